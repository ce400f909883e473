package swap

import (
	"strings"
	"testing"

	"github.com/computclaw/airlock/app/redact/encodings"
)

// A value that begins and ends with other than ASCII was not recognised without its first or last
// character, nor in the other case.
func TestHoleG8OtherThanASCII(t *testing.T) {
	const value = "é-Schlüssel-für-den-Dienst-7Kq2mWö"
	cut := strings.TrimSuffix(value, "ö")
	for name, text := range map[string]string{
		"whole": value, "without the last character": cut, "without the first": strings.TrimPrefix(value, "é"),
		"capitals": strings.ToUpper(value), "capitals, without the last": strings.ToUpper(cut),
		"small":                        strings.ToLower(value),
		"capitals of other than ASCII": strings.NewReplacer("é", "É", "ü", "Ü", "ö", "Ö").Replace(value),
		"in Latin-1":                   "\xe9-Schl\xfcssel-f\xfcr-den-Dienst-7Kq2mW\xf6",
		"capitals in Latin-1":          "\xc9-SCHL\xdcSSEL-F\xdcR-DEN-DIENST-7KQ2MW\xd6",
		"capitals in UTF-16":           utf16Bytes(strings.ToUpper(value), false),
		"percent":                      percent(strings.ToUpper(value), "-", "%%%02x", "+"),
		"reversed":                     encodings.Reverse(value),
		"reversed, in capitals":        encodings.Reverse(strings.ToUpper(value)),
	} {
		if how := passes(t, value, "x="+text+"\n"); how != "" {
			t.Errorf("%s passes unchanged:%s", name, how)
		}
	}
}
