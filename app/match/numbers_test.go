package match

import (
	"strconv"
	"strings"
	"testing"
)

// Lists of numbers and of hex digits with other signs, types or names than a comma had hidden a
// value, and those of signed bytes one with other than ASCII.
func TestHoleG9Lists(t *testing.T) {
	const value = "sk-pässwörd-Zt2Lm8-très-löng"
	f := New([]string{value})
	numbers := func(format string) string { return each(value, format) }
	signed := func(between string) string {
		var list []string
		for _, b := range []byte(value) {
			list = append(list, strconv.Itoa(int(int8(b))))
		}
		return strings.Join(list, between)
	}
	for name, text := range map[string]string{
		"bars": numbers("%d|"), "dots": numbers("%d."), "slashes": numbers("%d/"), "lines": numbers("%d_"),
		"equals": numbers("%d="), "dashes": "x-" + numbers("%d-"), "Rust": numbers("%du8, "), "Java": numbers("%dL, "),
		"C": numbers("%dU, "), "BigInt": numbers("%dn, "), "PHP, Ruby": bytesAsObject(value, "%d => %d", ", "),
		"PHP in lines": bytesAsObject(value, "%d => %d", ",\n  "), "PHP in JSON": bytesAsObject(value, `%d =\u003e %d`, ", "),
		"tags": numbers("%d<br>\n"), "quoted-printable": numbers("%d=2C"),
		"signed": "[" + signed(", ") + "]", "signed, close": "[" + signed(",") + "]", "signed, blanks": signed(" "),
		"signed, YAML": "- " + signed("\n- "), "signed, names": signedAsObject(value), "signed, escaped": signed("%2C"),
		"hex, signs": numbers("#%02x"), "U+": numbers("U+%04X "), "hex, bars": numbers("%02x|"),
	} {
		if len(f.Find([]byte("["+text+"]"))) == 0 {
			t.Errorf("%s: %q is not found", name, text)
		}
	}
}

func signedAsObject(text string) string {
	var members []string
	for i, b := range []byte(text) {
		members = append(members, strconv.Itoa(i)+`":`+strconv.Itoa(int(int8(b))))
	}
	return `{"` + strings.Join(members, `,"`) + "}"
}
