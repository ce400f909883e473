package swap

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"strings"
	"testing"

	"github.com/computclaw/airlock/app/known"
	"github.com/computclaw/airlock/app/secrets"
)

const longValue = "github_pat_11ABCDEFG0aZbYcXdWeVfUgT_hSiRjQkPlOmNnMoLpKqJrIsHtGuFvEwDxCyBzA0192837465qwertyUIOP"

// inLines puts a break behind each n bytes.
func inLines(text string, n int, br string) string {
	var b strings.Builder
	for ; len(text) > n; text = text[n:] {
		b.WriteString(text[:n] + br)
	}
	return b.String() + text + br
}

// passes returns the text as it comes through whole, by lines and by bytes; "" if that changes it.
func passes(t *testing.T, value, text string) (unchanged string) {
	t.Helper()
	s := New([]secrets.Resolved{credential("K", value, home.Host)})
	for how, pieces := range map[string][]string{
		" whole": {text}, " lines": strings.SplitAfter(text, "\n"), " bytes": strings.Split(text, ""),
	} {
		readers := make([]io.Reader, len(pieces))
		for i, p := range pieces {
			readers[i] = strings.NewReader(p)
		}
		resp := response("")
		resp.Body = io.NopCloser(io.MultiReader(readers...))
		if err := s.MaskResponse(home, resp, nil); err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(resp.Body); err != nil || string(got) == text {
			unchanged += how
		}
	}
	return unchanged
}

// A visual line end (tag, bracket, empty line) ends no layer. A stream flushed there gave away a
// value's first lines.
func TestHoleG5FlushedAtTheEndOfALine(t *testing.T) {
	std, digits := base64.StdEncoding.EncodeToString([]byte(longValue)), hex.EncodeToString([]byte(longValue))
	const brackets = `pw(7Kq)vX}9]tR>2mWz8Lc4Hb`
	for name, c := range map[string]struct{ value, text string }{
		"base64, tags":         {longValue, inLines(std, 76, "<br />\n")},
		"base64, empty lines":  {longValue, inLines(std, 64, "\n\n")},
		"hex, tags":            {longValue, inLines(digits, 60, "<br>\n")},
		"numbers, empty lines": {longValue, strings.ReplaceAll(each(longValue, "%d,\n"), "1,\n", "1,\n\n")},
		"LDIF behind )":        {brackets, "x: pw(7Kq)\n vX}9]tR>2mWz8Lc4Hb\n"},
		"LDIF behind }":        {brackets, "x: pw(7Kq)vX}\n 9]tR>2mWz8Lc4Hb\n"},
		"folded behind braces": {longValue, strings.Replace(longValue, "XdW", "X\\u{64}\n W", 1) + "\n"},
	} {
		if how := passes(t, c.value, c.text); how != "" {
			t.Errorf("%s passes unchanged:%s", name, how)
		}
	}
}

// spellings are usual ones of a value, by name.
func spellings(value string) map[string]string {
	std, digits := base64.StdEncoding.EncodeToString, hex.EncodeToString([]byte(value))
	var object, pairs []string
	for i, c := range []byte(value) {
		object, pairs = append(object, fmt.Sprintf("\"%d\":%d", i, c)), append(pairs, fmt.Sprintf("[%d, %d]", i, c))
	}
	return map[string]string{
		"plain": value, "capitals": strings.ToUpper(value), "reversed": known.Reverse(value), `\u`: each(value, `\u%04x`),
		"references": each(value, "&#%d;"), "hex references": each(value, "&#x%x;"), "percent": each(value, "%%%02x"),
		"twice": each(value, "%%25%02x"), "behind half an escape": "%1" + value[:6] + each(value[6:], "%%25%02x"),
		"mixed": value[:9] + each(value[9:], `\\\\u%04x`), "UTF-16": utf16Bytes(value, false), "UTF-16, big": utf16Bytes(value, true),
		"in lines": inLines(value, 5, "\n   "), "base64": std([]byte(value)), "base64 + 1": std([]byte(":" + value)),
		"base64 + 2": std([]byte("::" + value)), "base64 in lines": inLines(std([]byte(value)), 20, "\n"),
		"base64 in JSON": inLines(std([]byte(value)), 10, `\n`), "base32": base32.StdEncoding.EncodeToString([]byte(value)),
		"hex": digits, "HEX": strings.ToUpper(digits), "hex with colons": inLines(digits, 2, ":"), "0x": each(value, "0x%02x, "),
		"numbers": each(value, "%d, "), "names": "{" + strings.Join(object, ",") + "}", "pairs": "{" + strings.Join(pairs, ",\n ") + "}",
	}
}

// TestHoleH6CutAnywhere: rows of numbers passed if a piece ended behind a bracket. Any cut of any
// spelling gives the same result.
func TestHoleH6CutAnywhere(t *testing.T) {
	const value = "sk_live_4vR9tXw2LmQ8bN6zK1cJ7pHd"
	s := New([]secrets.Resolved{credential("K", value, home.Host)})
	rows := func(width int, format, between, end string) string {
		var b strings.Builder
		for from := 0; from < len(value); from += width {
			row := strings.TrimSuffix(each(value[from:min(from+width, len(value))], format), ",")
			b.WriteString(" [" + row + between)
		}
		return "[" + strings.TrimSuffix(b.String(), between) + end
	}
	var counted, objects strings.Builder
	for i, c := range []byte(value) {
		fmt.Fprintf(&counted, " [\n  %d,\n  %d\n ],\n", i, c)
		fmt.Fprintf(&objects, " {\"%d\": %d},\n", i, c)
	}
	texts := map[string]string{
		"numpy": rows(8, " %d", "]\n", "]]\n"), "lists": rows(8, "%d,", "],\n", "]]\n"), "lists, no comma": rows(8, "%d,", "]\n", "]]\n"),
		"enumerate": "[\n" + strings.TrimSuffix(counted.String(), ",\n") + "\n]\n",
		"objects":   "[\n" + strings.TrimSuffix(objects.String(), ",\n") + "\n]\n",
		"hex rows":  rows(8, " %02x", "]\n", "]]\n"), "object in a line": `{"a": ` + rows(40, "%d,", "],", "]]") + "}\n",
		"braces": "{\n" + each(value, "{%d}\n") + "}\n",
	}
	spelled := spellings(value)
	maps.Copy(texts, spelled)
	for name, text := range texts {
		behind := []string{"", "}]}\n", "{\"a\": [1]}\n", strings.Repeat("a line of a log\n", 100)}
		if _, short := spelled[name]; short {
			behind = behind[:2]
		}
		for _, before := range behind {
			text := before + text + "end\n"
			whole := receive(t, s, text)
			if whole == text {
				t.Errorf("%s is not found", name)
			}
			for cut := len(before); cut < len(text); cut++ {
				resp := response("")
				resp.Body = io.NopCloser(io.MultiReader(strings.NewReader(text[:cut]), strings.NewReader(text[cut:])))
				if err := s.MaskResponse(home, resp, nil); err != nil {
					t.Fatal(err)
				}
				if got, err := io.ReadAll(resp.Body); err != nil || string(got) != whole {
					t.Errorf("%s, behind %.10q, cut at %d: %q instead of %q", name, before, cut-len(before), got[max(0, len(got)-400):],
						whole[max(0, len(whole)-400):])
					break
				}
			}
		}
	}
}

// TestObjectsInLinesPassAtOnce: a top-level object's brace releases the text, a bracket does not.
func TestObjectsInLinesPassAtOnce(t *testing.T) {
	s := New([]secrets.Resolved{credential("K", "sk_live_4vR9tXw2LmQ8bN6zK1cJ7pHd", home.Host)})
	for text, want := range map[string]int{
		"{\"a\": [1, 2], \"b\": {}}\n": 23, "{\"a\": \"}[\"}\r\n": 13, "{\"a\": 1}\n{\"b\"": 9, "[{\"a\": 1}\n": 0, "{\"a\": 1}]\n": 0,
		"[1, 2]\n": 0, "done!\n": 0, "{\"a\": {\n\"b\": 1}\n": 0, "\\u{3d}\n": 0, "{\"a\": \"x}\n": 0,
	} {
		r := newReplacer(s.newSearch(home, nil), false)
		if got := r.write(nil, []byte(text)); len(got) != want {
			t.Errorf("%q: %q passes at once", text, got)
		}
	}
	r := newReplacer(s.newSearch(home, nil), true)
	if got := r.write(nil, []byte("data: [1\n\ndata: 2\n")); string(got) != "data: [1\n\n" {
		t.Errorf("of events %q passes at once", got)
	}
}

// Indented lists were longer than the held part.
func TestHoleG5IndentedNumbers(t *testing.T) {
	for _, n := range []int{0, 20, 28, 40, 60} {
		for _, value := range []string{secretB, longValue} {
			text := "[\n" + strings.TrimSuffix(each(value, strings.Repeat(" ", n)+"%d,\n"), ",\n") + "\n]"
			if how := passes(t, value, text); how != "" {
				t.Errorf("%d bytes behind %d blanks pass unchanged:%s", len(value), n, how)
			}
		}
	}
}

// Held blanks are bounded, and don't repeat a search for each byte.
func TestIndentedLinesAreHeldWithinBounds(t *testing.T) {
	s := New([]secrets.Resolved{credential("K", longValue, home.Host)})
	r := newReplacer(s.newSearch(home, nil), false)
	reach := s.values.compile().finder.Reach()
	text := []byte(strings.Repeat(fmt.Sprintf("%64d,\n", 7), 8<<10))
	passed, most, times := 0, 0, 0
	for i := range text {
		out := r.write(nil, text[i:i+1])
		if passed += len(out); len(out) > 0 {
			times++
		}
		most = max(most, i+1-passed)
	}
	if most > 2*(reach*67/2) || times > 10*len(text)/most {
		t.Errorf("at most %d bytes are held, and what is held is searched %d times", most, times)
	}
}

// What lies in two layers is replaced in whatever pieces it comes.
func TestHoleG5EscapedLayoutInPieces(t *testing.T) {
	for _, text := range []string{
		`"` + longValue[:60] + `=\r\n` + longValue[60:] + `"`, `"X: ` + longValue[:60] + `\r\n ` + longValue[60:] + `"`,
		strings.Join(strings.Split(longValue, ""), `\0`), "X%3A+" + longValue[:60] + "%0D%0A+" + longValue[60:],
		each(longValue, "0x%x%%2C+"), each(longValue, "%d%%2c"), each(each(longValue, "%d,"), "&#%d;"),
		each(longValue, "- %d\n"),
	} {
		if how := passes(t, longValue, text); how != "" {
			t.Errorf("%q passes unchanged:%s", text, how)
		}
	}
}
