package match

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

const secret = `sk+live/51Hx"Q\zT=<9>&'uV`

// strong returns a Finder of texts of class Strong.
func strong(texts ...string) *Finder {
	var patterns []Pattern
	for _, text := range texts {
		patterns = append(patterns, Pattern{Text: text})
	}
	return New(patterns)
}

// found returns the text with brackets around matches.
func found(f *Finder, text string) string {
	out, from := "", 0
	for _, m := range f.Find([]byte(text)) {
		if m.Start < from {
			continue
		}
		out += text[from:m.Start] + "[" + text[m.Start:m.End] + "]"
		from = m.End
	}
	return out + text[from:]
}

func TestEscapes(t *testing.T) {
	f := strong(secret)
	quoted, _ := json.Marshal(secret)
	inJSON := string(quoted[1 : len(quoted)-1])
	twice, _ := json.Marshal(inJSON)
	each := func(format string) string { return each(secret, format) }
	for name, text := range map[string]string{
		"raw": secret, "small": strings.ToLower(secret), "JSON of Go": inJSON,
		"JSON in JSON": string(twice[1 : len(twice)-1]),
		"query":        url.QueryEscape(secret), "path": url.PathEscape(secret),
		"query twice": url.QueryEscape(url.QueryEscape(secret)),
		"HTML":        html.EscapeString(secret), "HTML in a query": url.QueryEscape(html.EscapeString(secret)),
		"HTML in JSON": strings.ReplaceAll(html.EscapeString(secret), "&", `\u0026`),
		"names":        strings.NewReplacer("+", "&plus;", "/", "&sol;", "=", "&equals;").Replace(secret),
		"percent, all": each("%%%02x"), "x, all": each(`\x%02X`), "u, all": each(`\u%04x`), "U, all": each(`\U%08x`),
		"octal, all":   each(`\%03o`),
		"decimal, all": each("&#%d;"), "hex references, all": each("&#x%X;"), "CSS": each(`\%X `),
		"JavaScript": each(`\u{%x}`), "escape()": each("%%u%04X"),
		"quoted-printable": each("=%02X"), "CSV": strings.ReplaceAll(secret, `"`, `""`),
		"SQL":   strings.ReplaceAll(secret, "'", "''"),
		"shell": strings.ReplaceAll(secret, "'", `'\''`), "Python's shlex": strings.ReplaceAll(secret, "'", `'"'"'`),
		"soft break": secret[:9] + "=\r\n" + secret[9:], "continued": secret[:9] + "\\\n" + secret[9:],
		"UTF-16": strings.TrimSuffix(each("%c\x00"), "\x00"),
		"UTF-32": strings.TrimSuffix(each("%c\x00\x00\x00"), "\x00\x00\x00"),
	} {
		if got, want := found(f, "x"+text+"y"), "x["+text+"]y"; got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// each writes each byte in a format.
func each(text, format string) (out string) {
	for i := range len(text) {
		out += fmt.Sprintf(format, text[i])
	}
	return out
}

func TestLayers(t *testing.T) {
	f := strong(secret)
	std := base64.StdEncoding.EncodeToString
	quoted, _ := json.Marshal(secret)
	wide := make([]byte, 0, 2*len(secret))
	for _, u := range utf16.Encode([]rune(secret)) {
		wide = append(wide, byte(u), byte(u>>8))
	}
	digits := hex.EncodeToString([]byte(secret))
	for name, text := range map[string]string{
		"base64": std([]byte(secret)), "shifted 1": std([]byte(":" + secret)), "shifted 2": std([]byte("u:" + secret)),
		"glued": "abc" + std([]byte(secret)),
		"url":   base64.RawURLEncoding.EncodeToString([]byte(secret)), "JSON inside": std(quoted),
		"HTML inside":       std([]byte(html.EscapeString(secret))),
		"UTF-16 inside":     std(wide),
		"in lines":          wrap(std([]byte(secret)), 10, "\r\n"),
		"in indented lines": wrap(std([]byte(secret)), 11, "\n    "), "in escaped lines": wrap(std([]byte(secret)), 7, `\n`),
		"escaped": strings.ReplaceAll(std([]byte(secret)), "/", `\/`), "in a query": url.QueryEscape(std([]byte(secret))),
		"hex": digits, "HEX": strings.ToUpper(digits), "with colons": wrap(digits, 2, ":"),
		"with spaces": wrap(digits, 2, " "), "with 0x": "0x" + wrap(digits, 2, ", 0x"),
		"in lines of hex":  wrap(digits, 32, "\n"),
		"numbers":          strings.Trim(strings.Join(strings.Fields(fmt.Sprint([]byte(secret))), ", "), "[]"),
		"numbers in lines": strings.Trim(strings.Join(strings.Fields(fmt.Sprint([]byte(secret))), ",\n    "), "[]"),
	} {
		if got := f.Find([]byte(`{"` + text + `"}`)); len(got) == 0 {
			t.Errorf("%s: not found in %q", name, text)
		}
	}
	if got := found(f, "x: "+digits+" y"); got != "x: ["+digits+"] y" {
		t.Errorf("hex: %q", got)
	}
}

// wrap puts a break after each n bytes.
func wrap(text string, n int, br string) string {
	var parts []string
	for ; len(text) > n; text = text[n:] {
		parts = append(parts, text[:n])
	}
	return strings.Join(append(parts, text), br)
}

// An author of the preceding text must not hide a value's beginning in an escape.
func TestWhatStandsBeforeHidesNothing(t *testing.T) {
	const value = "41u003d75;x3dlt;amp;abcdef"
	f := strong(value)
	for _, before := range []string{"%", `\`, `\u00`, `\x`, "&#", "&#x", "&", "=", `\0`, "%25", `\\`, "%u", `\u{`, "a",
		"\x00", "'", `"`, `\U000000`, "~", "_x", "_x00", "$", "`", "^", "&#0000"} {
		if got := f.Find([]byte(before + value)); len(got) != 1 || got[0].End != len(before)+len(value) ||
			got[0].Start > len(before) {
			t.Errorf("after %q: %v", before, got)
		}
	}
	for _, after := range []string{"%", `\`, "=", "\x00", ";", "41", "="} {
		if got := f.Find([]byte(value + after)); len(got) != 1 || got[0].Start != 0 || got[0].End < len(value) {
			t.Errorf("before %q: %v", after, got)
		}
	}
}

// The first character is part of a match, whatever is passed over behind it.
func TestFirstCharacterIsPartOfAMatch(t *testing.T) {
	const value = "6f0279625a9867b4f78234d8"
	f := strong(value)
	for _, passed := range []string{"\x00", "\x00\x00\x00", "=\r\n", "\\\n", "\r\n "} {
		text := `{"k":"` + value[:1] + passed + value[1:] + `"}`
		if got, want := found(f, text), `{"k":"[`+value[:1]+passed+value[1:]+`]"}`; got != want {
			t.Errorf("%q", got)
		}
	}
}

// In UTF-16, escapes have zero bytes between their characters too.
func TestEscapesInUTF16(t *testing.T) {
	const value = "q7/Vt+9Lr2Xc4Zb8"
	f := strong(value)
	for _, text := range []string{`q7\/Vt\u002b9Lr2Xc4Zb8`, "q7%2FVt&#43;9Lr2Xc4Zb8", `\q7/Vt+\x39Lr2Xc4Zb8`} {
		wide := strings.Join(strings.Split(text, ""), "\x00")
		if len(f.Find([]byte(wide))) == 0 {
			t.Errorf("%q in UTF-16 is not found", text)
		}
	}
}

// escapesOf returns usual spellings of a byte, written apart from what reads them.
func escapesOf(b byte) []string {
	out := []string{
		string([]byte{b}), fmt.Sprintf("%%%02X", b), fmt.Sprintf("%%%02x", b), fmt.Sprintf(`\u%04x`, b),
		fmt.Sprintf(`\u%04X`, b), fmt.Sprintf(`\x%02x`, b), fmt.Sprintf("&#%d;", b),
		fmt.Sprintf("&#x%x;", b), fmt.Sprintf("&#x%X;", b), fmt.Sprintf("&#%03d;", b), fmt.Sprintf(`\%03o`, b),
		fmt.Sprintf(`\u{%x}`, b), fmt.Sprintf(`\U%08X`, b), fmt.Sprintf("=%02X", b),
		fmt.Sprintf("~%02X", b), fmt.Sprintf("$%02X", b), fmt.Sprintf("_x%04X_", b), fmt.Sprintf("&#%08d;", b),
	}
	if !('a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9') {
		out = append(out, `\`+string([]byte{b}), "^"+string([]byte{b}), "`"+string([]byte{b}))
	}
	if names := map[byte]string{'&': "&amp;", '<': "&lt;", '>': "&gt;", '"': "&quot;", '\'': "&apos;", '+': "&plus;",
		'=': "&equals;", '/': "&sol;", ' ': "+"}; names[b] != "" {
		out = append(out, names[b])
	}
	return out
}

func TestAnyMixtureOfEscapesIsFound(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		alphabet := rapid.SampledFrom([]string{
			"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/=", "ab", `abc+/=\"'<>&%;:,. `,
			"0123456789abcdef-_", `%\&41u0;x`, "~_`^$x01",
		}).Draw(r, "alphabet")
		value := rapid.StringOfN(rapid.SampledFrom([]rune(alphabet)), 16, 60, -1).Draw(r, "value")
		around := rapid.StringOfN(rapid.SampledFrom([]rune(alphabet+"%\\&=")), 0, 12, -1)
		text := around.Draw(r, "before")
		start := len(text)
		for _, b := range []byte(value) {
			ways := escapesOf(b)
			if !strings.ContainsAny(value, leads) { // else what is escaped twice can be read in more ways than are followed
				ways = append(ways, fmt.Sprintf("%%25%02X", b), fmt.Sprintf(`\\u%04x`, b), fmt.Sprintf("&amp;#%d;", b))
			}
			text += rapid.SampledFrom(ways).Draw(r, "escape")
		}
		end := len(text)
		text += around.Draw(r, "after")
		for _, m := range strong(value).Find([]byte(text)) {
			if m.Start <= start && m.End >= end {
				return
			}
		}
		// Matches of a value that overlaps itself may have become one.
		if strings.Count(strings.ToLower(value), strings.ToLower(value[:2])) < len(value)/3 {
			r.Fatalf("%q is not found whole in %q: %v", value, text, strong(value).Find([]byte(text)))
		}
	})
}

func TestWhatIsFoundIsAll(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		patterns := rapid.SliceOfN(rapid.StringMatching(`[ab]{8,10}|[abc]{8}`), 1, 4).Draw(r, "patterns")
		text := rapid.StringMatching(`[abcdABC]{0,120}`).Draw(r, "text")
		covered := make([]bool, len(text))
		want := make([]bool, len(text))
		for _, m := range strong(patterns...).Find([]byte(text)) {
			for i := m.Start; i < m.End; i++ {
				covered[i] = true
			}
		}
		for _, p := range patterns {
			for i := 0; i+len(p) <= len(text); i++ {
				if strings.EqualFold(text[i:i+len(p)], p) {
					for j := range len(p) {
						want[i+j] = true
					}
				}
			}
		}
		if diff := cmp.Diff(want, covered); diff != "" {
			r.Fatal(diff)
		}
	})
}

// Skipped bytes in a tail are as few as elsewhere: a window of Reach bytes must hold all of it.
func TestTailPassesOverFewBytes(t *testing.T) {
	f := NewWithTail([]string{"prefix_of_it_"}, "abc234", 6)
	for zeros, want := range map[int]int{1: 1, maxPassed: 1, maxPassed + 1: 0, 1000: 0} {
		text := "prefix_of_it_abc" + strings.Repeat("\x00", zeros) + "234"
		if got := f.Find([]byte(text)); len(got) != want {
			t.Errorf("%d zero bytes: %v", zeros, got)
		}
	}
}

func TestTail(t *testing.T) {
	f := NewWithTail([]string{"prefix_of_it_"}, "abc234", 6)
	for text, want := range map[string]string{
		"xprefix_of_it_abc234x": "abc234", "PREFIX_OF_IT_ABC234": "abc234", "prefix_of_it_%61b\\u0063234": "abc234",
		"prefix_of_it_abc23": "", "prefix_of_it_abcd23": "",
		base64.StdEncoding.EncodeToString([]byte("xprefix_of_it_abc234")): "abc234",
	} {
		got := ""
		for _, m := range f.Find([]byte(text)) {
			got = m.Tail
		}
		if got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}
