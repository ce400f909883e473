package match

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"strings"
	"testing"
)

// forms are usual spellings of a text, by name.
func forms(value string) map[string]string {
	digits := hex.EncodeToString([]byte(value))
	return map[string]string{
		"plain": value, "capitals": strings.ToUpper(value), "path": url.PathEscape(value), `\u`: each(value, `\u%04x`),
		"references": each(value, "&#%d;"), "percent": each(value, "%%%02x"), "twice": each(value, "%%25%02x"),
		"behind half an escape": "%1" + value[:6] + each(value[6:], "%%25%02x"), "mixed": value[:9] + each(value[9:], `\\\\u%04x`),
		"UTF-16": each(value, "%c\x00"), "in lines": wrap(value, 5, "\n   "),
		"base64":         base64.StdEncoding.EncodeToString([]byte(value)),
		"base64 + 1":     base64.StdEncoding.EncodeToString([]byte(":" + value)),
		"base64 + 2":     base64.StdEncoding.EncodeToString([]byte("::" + value)),
		"base64 in JSON": wrap(base64.StdEncoding.EncodeToString([]byte(value)), 10, `\n`),
		"base32":         base32.StdEncoding.EncodeToString([]byte(value)), "hex": digits, "HEX": strings.ToUpper(digits),
		"hex with colons": wrap(digits, 2, ":"), "0x": each(value, "0x%02x, "), "numbers": each(value, "%d, "),
		"names": bytesAsObject(value, `"%d":%d`, ","), "pairs": bytesAsObject(value, "[%d, %d]", ",\n "),
		"rows": wrap(each(value, "%3d "), 40, "\n "),
	}
}

// Nothing of a spelling is let go before it is complete, and of other text nothing is held.
func TestOpen(t *testing.T) {
	const value = "sk-live_51Hx/Q+zT7Kq9vLm2Rt5"
	f := strong(value)
	for name, text := range forms(value) {
		all := "some text: " + text
		whole := f.Find([]byte(all))
		if len(whole) == 0 {
			t.Errorf("%s is not found", name)
			continue
		}
		s := f.Scanner()
		for i := range len(all) - 1 {
			s.Write([]byte(all[i : i+1]))
			if at := s.Open(); at > whole[0].Start && i < whole[0].End-1 {
				t.Errorf("%s: %d bytes are let go of %q", name, at-whole[0].Start, all[:i+1])
				break
			}
		}
	}
	for _, text := range []string{"a line\n", "done.", "50 %", "Enter a number: ", "{\"a\": true}", "x = y(z)"} {
		s := f.Scanner()
		s.Write([]byte(text))
		if held := len(text) - s.Open(); held > 4 {
			t.Errorf("%q: %d bytes are held", text, held)
		}
	}
}

// TestOpenHoldsNoLineBreak: only begun matches hold back a line break.
func TestOpenHoldsNoLineBreak(t *testing.T) {
	t.Parallel()
	const text = "s3cr3t-value-00123456789"
	for written, held := range map[string]int{"x\n": 0, text + ".\n": 0, "x s3c\n": 4} {
		s := New([]Pattern{{Text: text, Parts: true}}).Scanner()
		s.Write([]byte(written))
		if open := s.Open(); len(written)-open != held {
			t.Errorf("%q: %d bytes are held", written, len(written)-open)
		}
	}
}
