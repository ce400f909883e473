package match

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"html"
	"mime/quotedprintable"
	"net/url"
	"strconv"
	"strings"
	"testing"
)

// encoders are usual ones, by name.
var encoders = map[string]func(string) string{
	"JSON": func(s string) string { b, _ := json.Marshal(s); return string(b) },
	"JSON, no HTML": func(s string) string {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		_ = e.Encode(s)
		return b.String()
	},
	"Go":    strconv.Quote,
	"HTML":  html.EscapeString,
	"path":  url.PathEscape,
	"form":  url.QueryEscape,
	"SQL":   func(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" },
	"lines": func(s string) string { return "one\nkey=" + s + "\nthree\n" },
	"YAML":  func(s string) string { return "k: |\n    " + strings.ReplaceAll(s, "\n", "\n    ") },
	"mail":  func(s string) string { return wrap("X-Long: "+s, 60, "\r\n ") },
	"quoted-printable": func(s string) string {
		var b bytes.Buffer
		w := quotedprintable.NewWriter(&b)
		_, _ = w.Write([]byte(s))
		_ = w.Close()
		return b.String()
	},
	"base64":         func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
	"base64 in mail": func(s string) string { return wrap(base64.StdEncoding.EncodeToString([]byte(s)), 76, "\r\n") },
	"hex":            func(s string) string { return hex.EncodeToString([]byte(s)) },
}

// Three nested encoders, at most one of them a layer, give nothing away. Line breaks and
// indentation that were escaped once more had hidden a value.
func TestHoleG5ThreeEncoders(t *testing.T) {
	const value = "github_pat_11ABCDEFG0aZbYcXdWeVfUgT_hSiRjQkPlOmNnMoLpKqJrIsHtGuFvEwDxCyBzA0192837465qwertyUIOP"
	f := strong(value)
	decoded := func(names ...string) (n int) {
		for _, name := range names {
			if name == "hex" || strings.HasPrefix(name, "base64") {
				n++
			}
		}
		return n
	}
	for a, first := range encoders {
		for b, second := range encoders {
			for c, third := range encoders {
				if text := third(second(first(value))); decoded(a, b, c) < 2 && len(f.Find([]byte("x "+text+" y"))) == 0 {
					t.Errorf("%s in %s in %s is not found", a, b, c)
				}
			}
		}
	}
}

// With a single reading, a character read as an escape by itself had been lost.
func TestHoleG5EscapedLayout(t *testing.T) {
	const value = "sk_live_4vR9tXw2LmQ8bN6zK1cJ"
	f := strong(value)
	std := wrap(base64.StdEncoding.EncodeToString([]byte(value)), 24, "\n")
	numbers := func(format string) string { return each(value, format) }
	escapedNumbers := func(format string) string { return each(numbers("%d,"), format) }
	for name, text := range map[string]string{
		"UTF-16 in SQL": strings.Join(strings.Split(value, ""), `\0`), "UTF-32 in JSON": each(value, `%c\u0000\u0000\u0000`),
		"UTF-16 in JSON in SQL": strings.Join(strings.Split(value, ""), `\\u0000`),
		"tags, PHP's JSON":      strings.ReplaceAll(std, "\n", `<br \/>\n`),
		"tags, Go's JSON":       strings.ReplaceAll(std, "\n", `\u003cbr\u003e\n`),
		"tags in HTML":          strings.ReplaceAll(std, "\n", "&lt;br /&gt;&#10;"),
		"fold in a form":        "X%3A+" + value[:14] + "%0D%0A+" + value[14:],
		"indented, in a form":   url.QueryEscape("k: |\n    " + strings.ReplaceAll(std, "\n", "\n    ")),
		"plus signs in a form":  url.QueryEscape("k:\n  " + strings.ReplaceAll(std, "\n", "\n  ") + "\n++++"),
		"0x, in a form":         numbers("0x%x%%2C+"), "numbers, in a form": numbers("%d%%2C+"),
		"numbers, decimal": escapedNumbers("&#%d;"), "numbers, hex": escapedNumbers(`\x%x`),
		"numbers, percent": escapedNumbers("%%%x"), "0x, all escaped": each(numbers("0x%x,"), `\x%x`),
		"numbers in YAML": numbers("- %d\n"), "fold, indented": value[:9] + "\r\n       " + value[9:],
	} {
		if len(f.Find([]byte(text))) == 0 {
			t.Errorf("%s: %q is not found", name, text)
		}
	}
}
