package match

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// A value in lines that break without a blank behind, or that are indented by many, was not found.
func TestHoleG9WrappedLines(t *testing.T) {
	const value = "github_pat_11ABCDEFG0aZbYcXdWeVfUgT+hSiRjQkPlOmNnMoLpKqJrIsHtGuFvEwDxCyBzA0192837465qwerty=="
	f := strong(value)
	far := strings.Repeat(" ", 300)
	for _, br := range []string{"\n", "\r\n", "\r", "\n\n", `\n`, `\r\n`, "<br>", "<BR/>", "<br />\n", `<br \/>\n`, "=\n",
		"\\\n", "`\r\n", "^\r\n", "&#10;", "%0D%0A", `\u000a`, "\n ", "\n" + far, "\r\n" + far, "\n\t  \t" + far, `\n` + far,
		"%0A" + strings.ReplaceAll(far, " ", "+"), "\n" + strings.Repeat("\x00 ", 20) + "\x00"} {
		value, f := value, f
		if strings.Contains(br, "++") { // which ends where a plus sign of the value begins
			value = strings.ReplaceAll(value, "+", "-")
			f = strong(value)
		}
		for _, width := range []int{1, 2, 7, 20, 70} {
			text := wrap(value, width, br)
			if got, want := found(f, "x: "+text+"; y"), "x: ["+text+"]; y"; got != want {
				t.Errorf("%.20q after each %d: %s", br, width, strings.ReplaceAll(fmt.Sprintf("%q", got), far, "FAR"))
			}
		}
	}
}

// A passphrase is wrapped at its blanks.
func TestHoleG9WrappedAtBlanks(t *testing.T) {
	const value = "correct horse battery staple"
	f := strong(value)
	for _, br := range []string{"\n", "\r\n", `\n`, "\n    ", "\n" + strings.Repeat(" ", 80), "&#10;"} {
		text := strings.Replace(value, " b", br+"b", 1)
		if got, want := found(f, "x: "+text+"."), "x: ["+text+"]."; got != want {
			t.Errorf("%q: %q", br, got)
		}
	}
}

// Lines that were wrapped once escaped or encoded, if no escape is cut.
func TestHoleG9WrappedEncodings(t *testing.T) {
	const value = `sk+live/51Hx"Q\zT=<9>&'uV-7Kq9vLm2Rt5Wz8Tp4YnJd3s`
	f := strong(value)
	far := "\n" + strings.Repeat(" ", 200)
	for _, br := range []string{"\n", "\r\n", far} {
		for name, text := range map[string]string{
			"base64": base64.StdEncoding.EncodeToString([]byte(value)), "hex": hex.EncodeToString([]byte(value)),
			"UTF-16": each(value, "%c\x00"), "references": each(value, "&#%03d;"), `\u`: each(value, `\u%04x`),
		} {
			unit := map[string]int{"UTF-16": 2, "references": 6, `\u`: 6}[name]
			for width := max(unit, 1); width < 30; width += max(unit, 1) {
				if lines := wrap(text, width, br); len(f.Find([]byte("x "+lines+" y"))) == 0 {
					t.Errorf("%s after each %d: %.200q", name, width, lines)
				}
			}
		}
	}
}

// Whatever stands between its characters, a match is found whole, and nothing else is.
func TestMatchesInLinesAreWhole(t *testing.T) {
	breaks := []string{"", "", "", "", "\n", "\r\n", "\n  ", `\n`, "<br>", "\n" + strings.Repeat(" ", 40), "%0A", "=\r\n"}
	rapid.Check(t, func(r *rapid.T) {
		value := "q" + rapid.StringOfN(rapid.SampledFrom([]rune("abcdefghijkXYZ0123456789+/=")), 16, 40, -1).Draw(r, "value") + "Z"
		text := ""
		for _, b := range []byte(value) {
			ways := escapesOf(b)
			br := rapid.SampledFrom(breaks).Draw(r, "break")
			if br == `\n` || br == "%0A" { // before an escape it is taken off first, which may lose something else
				ways = ways[:1]
			}
			text += br + rapid.SampledFrom(append(ways, ways[0], ways[0])).Draw(r, "escape")
		}
		text = strings.TrimLeft(text, "=\r\n \\n<br>%0A")
		if !strings.EqualFold(text[:1], "q") {
			r.Skip("its first character is escaped")
		}
		got := strong(value).Find([]byte("x: " + text + "; "))
		for _, m := range got {
			if m.Start == 3 && m.End >= 3+len(text) {
				return
			}
		}
		r.Fatalf("%q in %q: %v", value, text, got)
	})
}

// Layout is passed over in linear time, however much of it a host sends.
func TestLayoutTakesLinearTime(t *testing.T) {
	const value = "sk_live_4vR9tXw2LmQ8bN6zK1cJ"
	f := strong(value)
	for name, unit := range map[string]string{
		"blanks": " ", "indented": "s\n" + strings.Repeat(" ", 5000), "begun": "sk_live_4v\n" + strings.Repeat(" ", 100),
		"escaped": `sk_live\n` + strings.Repeat(" ", 1000), "breaks": "s\n", "found": value + "\n" + strings.Repeat(" ", 2000),
		"wrapped": wrap(value, 3, "\n"+strings.Repeat(" ", 500)),
	} {
		text := []byte(fit(unit, 1<<20))
		from := cpu()
		f.Find(text)
		if took := time.Duration((cpu() - from) * float64(time.Second)); took > 2*time.Second {
			t.Errorf("%s: a MiB took %s", name, took)
		}
	}
}
