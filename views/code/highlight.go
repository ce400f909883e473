package code

import (
	"strings"
	"unicode"

	"github.com/a-h/templ"
)

// maxHighlighted bounds coloured Python. Each word takes some 30 bytes more of a page.
const maxHighlighted = 128 << 10

var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// Part is Python of one kind within a line.
type Part struct {
	class string // com, str, num, kw; "" for all else
	text  string
}

// Plain returns the lines of a text.
func Plain(text string) (lines [][]Part) {
	for line := range strings.SplitSeq(unifyLineEnds(text), "\n") {
		lines = append(lines, []Part{{text: line}})
	}
	return lines
}

// unifyLineEnds returns a text with LF between lines. A carriage return ends a line and a comment,
// as in Python.
func unifyLineEnds(text string) string { return strings.TrimSuffix(lineEnds.Replace(text), "\n") }

// Python returns the lines of Python, coloured. It reads each byte once, so hostile text costs
// linear time.
func Python(source string) [][]Part {
	source = unifyLineEnds(source)
	lines, done := [][]Part{nil}, 0
	add := func(class string, end int) {
		for i, piece := range strings.Split(source[done:end], "\n") {
			if i > 0 {
				lines = append(lines, nil)
			}
			if piece != "" {
				lines[len(lines)-1] = append(lines[len(lines)-1], Part{class, piece})
			}
		}
		done = end
	}
	for at := 0; at < len(source) && len(source) <= maxHighlighted; {
		class, n := nextToken(source[at:])
		if class != "" {
			add("", at)
			add(class, at+n)
		}
		at += n
	}
	add("", len(source))
	return lines
}

// nextToken returns the kind and length of source's first token.
func nextToken(source string) (class string, n int) {
	first := source[0]
	n = prefixLength(source, isWord)
	switch {
	case first == '#':
		return "com", prefixLength(source, func(r rune) bool { return r != '\n' })
	case first >= '0' && first <= '9':
		return "num", prefixLength(source, func(r rune) bool { return isWord(r) || r == '.' })
	case n <= 2 && n < len(source) && strings.Trim(source[:n], "rbfutRBFUT") == "" &&
		(source[n] == '"' || source[n] == '\''):
		return "str", stringLength(source, n)
	case isKeyword(source[:n]):
		return "kw", n
	}
	return "", max(n, 1)
}

// prefixLength returns the length of the text before the first other character.
func prefixLength(text string, is func(rune) bool) int {
	return len(text) - len(strings.TrimLeftFunc(text, is))
}

func isWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// stringLength returns the length of a string literal with quotes at an offset. Unended ones reach
// to the end of the line, or of the text if multi-line.
func stringLength(source string, at int) int {
	quote, many := source[at:at+1], strings.HasPrefix(source[at:], strings.Repeat(source[at:at+1], 3))
	if many {
		quote = strings.Repeat(quote, 3)
	}
	for i := at + len(quote); i < len(source); i++ {
		switch {
		case source[i] == '\\':
			i++
		case source[i] == '\n' && !many:
			return i
		case strings.HasPrefix(source[i:], quote):
			return i + len(quote)
		}
	}
	return len(source)
}

func isKeyword(word string) bool {
	switch word {
	case "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del",
		"elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal",
		"not", "or", "pass", "raise", "return", "try", "while", "with", "yield", "match", "case":
		return true
	}
	return false
}

// HTML returns a line of Python as HTML.
func HTML(line []Part) string {
	var b strings.Builder
	for _, p := range line {
		text := templ.EscapeString(p.text)
		if p.class == "" {
			b.WriteString(text)
			continue
		}
		b.WriteString(`<i class="` + p.class + `">` + text + `</i>`)
	}
	return b.String()
}
