package match

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"
	"testing"
)

// Lists of numbers and hex digits with unusual separators or names had hidden a value.
func TestHoleG9Lists(t *testing.T) {
	const value = "sk-pässwörd-Zt2Lm8-très-löng"
	f := strong(value)
	numbers := func(format string) string { return each(value, format) }
	for name, text := range map[string]string{
		"bars": numbers("%d|"), "dots": numbers("%d."), "slashes": numbers("%d/"), "lines": numbers("%d_"),
		"equals": numbers("%d="), "dashes": "x-" + numbers("%d-"),
		"PHP, Ruby":    bytesAsObject(value, "%d => %d", ", "),
		"PHP in lines": bytesAsObject(value, "%d => %d", ",\n  "), "PHP in JSON": bytesAsObject(value, `%d =\u003e %d`, ", "),
		"tags": numbers("%d<br>\n"), "quoted-printable": numbers("%d=2C"),
		"hex, signs": numbers("#%02x"), "U+": numbers("U+%04X "), "hex, bars": numbers("%02x|"),
	} {
		if len(f.Find([]byte("["+text+"]"))) == 0 {
			t.Errorf("%s: %q is not found", name, text)
		}
	}
}

// Lists with colons between, as MAC addresses are written, hex with names, and what
// print_r writes had hidden a value.
func TestHoleG10Lists(t *testing.T) {
	for _, value := range []string{"sk-live_51Hx/Q+zT7Kq9vLm2Rt5", "sk-pässwörd-Zt2Lm8-très-löng"} {
		f := strong(value)
		numbers := func(format string) string { return each(value, format) }
		names := func(format, between string) string { return bytesAsObject(value, format, between) }
		for name, text := range map[string]string{
			"colons": numbers("%d:"), "colons, blanks": numbers("%d : "), "colons, escaped": numbers("%d%%3A"),

			"hex, capitals": numbers("0X%02X, "),
			"hex, JSON":     names(`"%d":"%02x"`, ","), "hex, PHP": names("%d => 0x%02x", ", "),
			"hex, PHP, quoted": names("%d => '%02X'", ",\n  "), "hex, YAML": names("%d: 0x%02x", "\n"),
			"hex, names of hex": names("0x%02x: 0x%02x", ", "), "print_r": "Array\n(\n    " + names("[%d] => %d", "\n    ") + "\n)\n",
			"print_r of hex":  names("[%d] => %02x", "\n    "),
			"print_r in JSON": names(`[%d] => %d`, `\n    `),
		} {
			if len(f.Find([]byte("["+text+"]"))) == 0 {
				t.Errorf("%s: %q is not found", name, text)
			}
		}
	}
}

// Lists of characters beyond 255, and other cases of non-ASCII letters, had hidden a value.
func TestHoleG10OtherThanASCII(t *testing.T) {
	const value = "admin:пароль-секрет-длинный"
	f := strong(value)
	for name, text := range map[string]string{
		"code points": eachRune(value, "%d, "), "code points, colons": eachRune(value, "%d:"),
		"code points in hex": eachRune(value, "0x%x, "), "U+": eachRune(value, "U+%04X "),
		"code points, names": `{"0":` + strings.ReplaceAll(eachRune(value, `%d,"9":`), `,"9":}`, "}"),
		"title":              "Admin:Пароль-Секрет-Длинный", "capitals": strings.ToUpper(value), "mixed": "admin:пАРОЛЬ-секРЕТ-ДЛинный",
		"title, escaped": eachRune("Admin:Пароль-Секрет-Длинный", `\u%04X`), "title, listed": eachRune("Admin:Пароль-Секрет-Длинный", "%d, "),
		"title, percent": url.QueryEscape("Admin:Пароль-Секрет-Длинный"),
		"title, base64":  base64.StdEncoding.EncodeToString([]byte("x: Admin:Пароль-Секрет-Длинный")),
	} {
		if len(f.Find([]byte("["+text+"]"))) == 0 {
			t.Errorf("%s: %q is not found", name, text)
		}
	}
}

// Lists with long names, or names set apart only by a comma, an equals sign or a blank, had hidden
// a value.
func TestHoleListsOfAnyName(t *testing.T) {
	for _, value := range []string{"sk-live_51Hx/Q+zT7Kq9vLm2Rt5", "sk-pässwörd-Zt2Lm8-très-löng"} {
		f := strong(value)
		find := func(name, text string) {
			if len(f.Find([]byte("["+text+"]"))) == 0 {
				t.Errorf("%s: %q is not found", name, text)
			}
		}
		named := func(name, format, between string, first int) {
			var list []string
			for i, b := range []byte(value) {
				list = append(list, fmt.Sprintf(format, first+i, b))
			}
			find(name, strings.Join(list, between))
		}
		for _, first := range []int{1, 100_000, 1_700_000_000, 1_700_000_000_000_000_000} {
			named("long names", `"%d":%d`, ",", first)
			named("long names, PHP", "[%d] => %d", "\n", first)
		}
		for _, first := range []int{0, 1, 240, 1000, 1_700_000_000} {
			named("pairs", "[%d, %d]", ", ", first)
			named("equals", "%d=%d", ", ", first)
			named("CSV", "%d,%d", "\r\n", first)
			named("columns", "  %d  %d", "\n", first)
			named("behind others", "[%d,%d]", ",", first)
		}
		find("pairs behind numbers", "7, 7, 9, "+bytesAsObject(value, "%d, %d", ", ")+", 4, 4")
	}
}

// TestHoleHexOfOneDigit: in Go's %#v, Python's hex and JavaScript's toString(16) a tab has one digit.
func TestHoleHexOfOneDigit(t *testing.T) {
	value := "ab\tcdefg-123\thijkl-9"
	f := strong(value)
	for _, text := range []string{fmt.Sprintf("%#v", []byte(value)), "[" + each(value, "'0x%x', ") + "]",
		each(value, "%x,"), each(value, "%x "), bytesAsObject(value, `"%d": "%x"`, ", ")} {
		if len(f.Find([]byte(text))) == 0 {
			t.Errorf("%q is not found", text)
		}
	}
}

// TestHoleListsInBrackets: pairs are in round and curly brackets as well as in square ones.
func TestHoleListsInBrackets(t *testing.T) {
	value := "sk-live_51Hx/Q+zT7Kq9vLm2Rt5"
	f := strong(value)
	for _, text := range []string{bytesAsObject(value, "(%d, %d)", ", "), bytesAsObject(value, "{%d, %d}", ", "),
		bytesAsObject(value, `{"%d":%d}`, "\n"), each(value, "(%d) "), each(value, "{%d},"), each(value, "(0x%x)")} {
		if len(f.Find([]byte("["+text+"]"))) == 0 {
			t.Errorf("%q is not found", text)
		}
	}
}

func eachRune(text, format string) string {
	var b strings.Builder
	for _, c := range text {
		fmt.Fprintf(&b, format, c)
	}
	return b.String()
}
