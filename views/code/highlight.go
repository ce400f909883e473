package code

import (
	"context"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/a-h/templ"
)

// maxHighlighted bounds coloured Python. Each word takes some 30 bytes more of a page.
const maxHighlighted = 128 << 10

var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// Part is Python of one kind within a line.
type Part struct {
	class string // kw, str, com, num, def; "" for all else
	text  string
}

// Highlight divides Python into lines of parts. It reads each byte once, so hostile text costs
// linear time.
//
// A carriage return ends a line and a comment, as in Python.
func Highlight(source string) [][]Part {
	source = lineEnds.Replace(source)
	lines, whole, at := [][]Part{nil}, source, 0
	add := func(class, text string) {
		for i, piece := range strings.Split(text, "\n") {
			if i > 0 {
				lines = append(lines, nil)
				at++
			}
			last := &lines[len(lines)-1]
			if n := len(*last); piece != "" && n > 0 && (*last)[n-1].class == class {
				(*last)[n-1].text = whole[at-len((*last)[n-1].text) : at+len(piece)]
			} else if piece != "" {
				*last = append(*last, Part{class, piece})
			}
			at += len(piece)
		}
	}
	if len(source) > maxHighlighted {
		add("", source)
		return lines
	}
	before := "" // the word before, which names a def or class
	for source != "" {
		class, n := nextToken(source)
		text := source[:n]
		source = source[n:]
		switch {
		case class == "name" && (before == "def" || before == "class"):
			class = "def"
		case class == "name" && isKeyword(text):
			class = "kw"
		case class == "name":
			class = ""
		}
		if strings.TrimSpace(text) != "" {
			before = text
		}
		add(class, text)
	}
	return lines
}

// nextToken returns the kind and length of source's first token.
func nextToken(source string) (class string, n int) {
	first, size := utf8.DecodeRuneInString(source)
	switch {
	case first == '#':
		if n = strings.IndexByte(source, '\n'); n < 0 {
			n = len(source)
		}
		return "com", n
	case first == '"' || first == '\'':
		return "str", stringLength(source, 0)
	case first >= '0' && first <= '9':
		return "num", wordLength(source, true)
	case isWord(first):
		n = wordLength(source, false)
		if n <= 2 && n < len(source) && (source[n] == '"' || source[n] == '\'') &&
			strings.Trim(strings.ToLower(source[:n]), "rbfut") == "" {
			return "str", stringLength(source, n)
		}
		return "name", n
	}
	return "", size
}

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

func wordLength(source string, number bool) int {
	for i, r := range source {
		if !isWord(r) && (r < '0' || r > '9') && (!number || r != '.') {
			return i
		}
	}
	return len(source)
}

func isWord(r rune) bool { return r == '_' || unicode.IsLetter(r) }

func isKeyword(word string) bool {
	switch word {
	case "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del",
		"elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal",
		"not", "or", "pass", "raise", "return", "try", "while", "with", "yield", "match", "case":
		return true
	}
	return false
}

// Line renders one line of Python.
func Line(line []Part) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		var b strings.Builder
		Write(&b, line)
		_, err := io.WriteString(w, b.String())
		return err
	})
}

// Write writes one line of parts as HTML.
func Write(b *strings.Builder, line []Part) {
	for _, p := range line {
		text := templ.EscapeString(ShowBidi(p.text))
		if p.class == "" {
			b.WriteString(text)
			continue
		}
		b.WriteString(`<i class="` + p.class + `">` + text + `</i>`)
	}
}
