package swap

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
	"testing"
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

// passes returns how the text comes through that is sent whole, by lines and by bytes: "" for ways
// in which it is changed.
func passes(t *testing.T, value, text string) (unchanged string) {
	t.Helper()
	s := New([]Credential{credential("K", value, home.Host)})
	for how, pieces := range map[string][]string{
		" whole": {text}, " lines": strings.SplitAfter(text, "\n"), " bytes": strings.Split(text, ""),
	} {
		readers := make([]io.Reader, len(pieces))
		for i, p := range pieces {
			readers[i] = strings.NewReader(p)
		}
		resp := response("")
		resp.Body = io.NopCloser(io.MultiReader(readers...))
		if err := s.Incoming(home, resp, nil); err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(resp.Body); err != nil || string(got) == text {
			unchanged += how
		}
	}
	return unchanged
}

// What ends a line for the eye, such as a tag, a bracket of the value itself or an empty line, ends
// no layer: a stream that was flushed there had given away the first lines of a value.
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

// Indented lists were longer than what is held back.
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

// Blanks are held back within bounds, and don't have what is held searched for each byte.
func TestIndentedLinesAreHeldWithinBounds(t *testing.T) {
	s := New([]Credential{credential("K", longValue, home.Host)})
	r := newReplacer(s.answers(home, nil).search, false)
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
