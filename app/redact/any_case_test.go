package redact

import (
	"encoding/base64"
	"strings"
	"testing"
	"unicode"
)

// TestAnyCaseOfALongValue: the case of letters is no way past the redactor, for values that are
// unmistakable without it.
func TestAnyCaseOfALongValue(t *testing.T) {
	t.Parallel()
	const secret = "k3V8x1q7W5z2M9n4B6c0"
	swapped := strings.Map(func(r rune) rune {
		if unicode.IsUpper(r) {
			return unicode.ToLower(r)
		}
		return unicode.ToUpper(r)
	}, secret)
	r := of(secret, "hunter2")
	for name, text := range map[string]string{"swapped": swapped, "small": strings.ToLower(secret),
		"capital": strings.ToUpper(secret), "title": "K3V8X1q7W5Z2M9N4B6C0", "mixed": "K3v8X1Q7w5Z2m9N4b6C0",
		"swapped in base64": base64.StdEncoding.EncodeToString([]byte(swapped))} {
		if got, hits := r.Text("so " + text + " it is"); got.String() != "so [REDACTED] it is" || hits[0].Name != "A" {
			t.Errorf("%s: %q, %+v", name, got, hits)
		}
		out, n, err := jsonOf(r, []byte(`{"a":"`+text+`"}`))
		if err != nil || n != 1 || out.String() != `{"a":"[REDACTED]"}` {
			t.Errorf("%s: %s", name, out)
		}
	}
	if live, n := stream(t, r, "so "+swapped+" it is"); n != 1 || live != "so [REDACTED] it is" {
		t.Errorf("live: %q", live)
	}
	for _, text := range []string{"Hunter2", "HUNTER2"} { // short values are ordinary words too often
		if got, n := maskText(r, "so "+text+"x it is"); n != 0 {
			t.Errorf("%q became %q", text, got)
		}
	}
}
