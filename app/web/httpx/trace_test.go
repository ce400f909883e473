package httpx

import (
	"net/http"
	"strings"
	"testing"
)

const (
	sampleTrace  = "4bf92f3577b34da6a3ce929d0e0e4736"
	sampleParent = "00-" + sampleTrace + "-00f067aa0ba902b7-01"
)

func TestTraceparentIsReadStrictly(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]string{
		sampleParent:                   sampleTrace,
		"01" + sampleParent[2:]:        sampleTrace, // a later version
		"cc" + sampleParent[2:] + "-x": sampleTrace,
		"":                             "",
		"ff" + sampleParent[2:]:        "",
		sampleParent + "-x":            "", // version 00 has four parts
		"01" + sampleParent[2:] + "x":  "",
		strings.ToUpper(sampleParent):  "",
		sampleParent[:54]:              "",
		" " + sampleParent:             "",
		"00-00000000000000000000000000000000-00f067aa0ba902b7-01": "",
		"00-" + sampleTrace + "-0000000000000000-01":              "",
		"00-" + sampleTrace[:31] + "g-00f067aa0ba902b7-01":        "",
		"00-" + sampleTrace + "00f067aa0ba902b7-01-":              "",
		strings.Repeat("0", 600):                                  "",
	} {
		if got := parseTraceparent(http.Header{"Traceparent": {header}}); got != want {
			t.Errorf("%q: %q, want %q", header, got, want)
		}
	}
	if got := parseTraceparent(http.Header{"Traceparent": {sampleParent, sampleParent}}); got != "" {
		t.Errorf("two headers: %q", got)
	}
}

func FuzzTraceparent(f *testing.F) {
	f.Add(sampleParent)
	f.Add("01" + sampleParent[2:] + "-more")
	f.Fuzz(func(t *testing.T, header string) {
		got := parseTraceparent(http.Header{"Traceparent": {header}})
		if got != "" && (len(got) != 32 || strings.Trim(got, "0123456789abcdef") != "" ||
			!strings.HasPrefix(header[3:], got)) {
			t.Errorf("%q: %q", header, got)
		}
	})
}
