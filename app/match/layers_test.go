package match

import (
	"encoding/base32"
	"encoding/base64"
	"strings"
	"testing"
)

// An encoded text that is cut off what it continues has its bytes at other alignments.
func TestEncodedTextIsFoundBehindACut(t *testing.T) {
	f := strong(secret)
	for name, encode := range map[string]func([]byte) string{
		"base64": base64.StdEncoding.EncodeToString, "base32": base32.StdEncoding.EncodeToString,
		"small base32": func(text []byte) string { return strings.ToLower(base32.StdEncoding.EncodeToString(text)) },
	} {
		bits := 6
		if name != "base64" {
			bits = 5
		}
		for before := range 10 {
			text := encode([]byte("0123456789"[:before] + secret + "!"))
			for cut := range 8*before/bits + 1 {
				if got := f.Find([]byte(text[cut:])); len(got) == 0 {
					t.Errorf("%s: not found in %q behind %d bytes, cut at %d", name, text[cut:], before, cut)
				}
			}
		}
	}
}
