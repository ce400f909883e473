package remote

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	o, err := parse([]string{"--instance", "a-1", "--guest", "/g"})
	if err != nil || o != (options{"a-1", "/g"}) {
		t.Errorf("%+v, %v", o, err)
	}
	for _, args := range [][]string{nil, {"--instance", "../x", "--guest", "/g"}, {"--instance", "a"},
		{"--instance", "a", "--guest", "/g", "more"}, {"--nonsense"}} {
		if _, err := parse(args); err == nil {
			t.Errorf("%q: no error", args)
		}
	}
}

func TestGreeting(t *testing.T) {
	var out bytes.Buffer
	if err := greet(&out); err != nil {
		t.Fatal(err)
	}
	text, ok := strings.CutPrefix(out.String(), Greeting)
	var h Hello
	if err := json.Unmarshal([]byte(text), &h); !ok || err != nil || h.Arch != runtime.GOARCH ||
		!strings.HasPrefix(h.System, "Linux ") {
		t.Errorf("%q: %+v, %v", out.String(), h, err)
	}
}

// TestIsRemote checks which processes takeOver kills. Package ssh tests that it does.
func TestIsRemote(t *testing.T) {
	dir := t.TempDir()
	look := func(cmdline ...string) bool {
		if err := os.WriteFile(filepath.Join(dir, "cmdline"), []byte(strings.Join(cmdline, "\x00")+"\x00"),
			0o600); err != nil {
			t.Fatal(err)
		}
		return isRemote(dir, "mine")
	}
	program := "/home/x/.cache/airlock/" + ProgramPrefix + "00"
	for _, tt := range []struct {
		want    bool
		cmdline []string
	}{
		{true, []string{program, "serve", "--instance", "mine", "--guest", "/g"}},
		{false, []string{program, "serve", "--instance", "other", "--guest", "mine"}},
		{false, []string{program, "serve", "--instance"}},
		{false, []string{program}},
		{false, []string{"/bin/sh", "-c", program + " --instance mine"}},
		{false, []string{"/bin/sh", program, "--instance", "mine"}},
		{false, []string{""}},
	} {
		if got := look(tt.cmdline...); got != tt.want {
			t.Errorf("%q: %v, want %v", tt.cmdline, got, tt.want)
		}
	}
}
