package bundle

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// pyToken is a name, or another character of Python source. Numbers and texts are tokens without
// content.
type pyToken struct {
	text string // a name, in the form in which Python compares it, or one character; numberToken, textToken
	line int    // from 1
}

const (
	numberToken = "0"
	textToken   = `"`
)

// isName reports whether a token is an identifier or keyword.
func (t pyToken) isName() bool {
	r, _ := utf8.DecodeRuneInString(t.text)
	return isNameStart(r)
}

// pyLine is a logical line: up to the next line break outside of brackets and texts.
type pyLine struct {
	indent int
	tokens []pyToken
}

const (
	maxPyNesting = 50      // of fields in f-strings; Python takes 149
	maxPyTokens  = 500_000 // of a file
)

// pyScanner takes Python source apart. It knows f-strings as of Python 3.12, which read those
// before alike.
type pyScanner struct {
	source  string
	at      int
	line    int
	nesting int
	lines   []pyLine
	indent  int
	tokens  []pyToken
	total   int
}

// scanPython returns the logical lines of a source, with an error all before the error.
func scanPython(source string) ([]pyLine, int, error) {
	source = strings.TrimPrefix(source, "\ufeff")
	s := &pyScanner{source: newlines.Replace(source), line: 1}
	err := s.code(false)
	s.endLine()
	return s.lines, s.line, err
}

func (s *pyScanner) endLine() {
	if len(s.tokens) > 0 {
		s.lines = append(s.lines, pyLine{s.indent, s.tokens})
	}
	s.tokens = nil
}

func (s *pyScanner) emit(text string, line int) {
	if len(s.tokens) == 0 {
		s.indent = s.indentation()
	}
	s.tokens = append(s.tokens, pyToken{text, line})
	s.total++
}

// indentation is the width of the blanks before the current character in its line.
func (s *pyScanner) indentation() (width int) {
	begin := strings.LastIndexByte(s.source[:s.at], '\n') + 1
	for _, c := range s.source[begin:s.at] {
		switch c {
		case ' ':
			width++
		case '\t':
			width = (width/8 + 1) * 8
		case '\f':
			width = 0
		default:
			return width
		}
	}
	return width
}

// code reads up to the end, or up to the closing brace of an f-string's field.
func (s *pyScanner) code(field bool) error {
	var open []byte // brackets
	for s.at < len(s.source) {
		if s.total > maxPyTokens {
			return errors.New("it has too many parts")
		}
		switch c := s.source[s.at]; {
		case c == '\n':
			if s.line++; !field && len(open) == 0 {
				s.endLine()
			}
			s.at++
		case c == ' ' || c == '\t' || c == '\f':
			s.at++
		case c == '#':
			s.skipTo('\n')
		case strings.HasPrefix(s.source[s.at:], "\\\n"):
			s.line++
			s.at += 2
		case field && len(open) == 0 && c == '}':
			s.at++
			return nil
		case field && len(open) == 0 && c == ':':
			s.at++
			return s.formattedText("}", false)
		case strings.IndexByte("([{", c) >= 0:
			open = append(open, c)
			s.emit(string(c), s.line)
			s.at++
		case strings.IndexByte(")]}", c) >= 0:
			if len(open) == 0 || strings.IndexByte("([{", open[len(open)-1]) != strings.IndexByte(")]}", c) {
				return fmt.Errorf("the bracket %c closes none", c)
			}
			open = open[:len(open)-1]
			s.emit(string(c), s.line)
			s.at++
		default:
			if err := s.token(); err != nil {
				return err
			}
		}
	}
	if field || len(open) > 0 {
		return errors.New("a bracket is not closed")
	}
	return nil
}

// token reads a name, a number, a text or another character.
func (s *pyScanner) token() error {
	rest := s.source[s.at:]
	r, size := utf8.DecodeRuneInString(rest)
	switch {
	case r == '"' || r == '\'':
		return s.text("")
	case isNameStart(r):
		name := rest[:nameLength(rest)]
		if next := rest[len(name):]; next != "" && (next[0] == '"' || next[0] == '\'') && isTextPrefix(name) {
			s.at += len(name)
			return s.text(strings.ToLower(name))
		}
		s.emit(norm.NFKC.String(name), s.line)
		s.at += len(name)
	case r >= '0' && r <= '9':
		s.emit(numberToken, s.line)
		end := strings.IndexFunc(rest, func(r rune) bool { return r != '.' && !isNamePart(r) })
		if end < 0 {
			end = len(rest)
		}
		s.at += end
	case r < ' ' || r >= utf8.RuneSelf || strings.ContainsRune("$?`\\", r):
		return fmt.Errorf("the character U+%04X stands outside of texts", r)
	default:
		s.emit(string(r), s.line)
		s.at += size
	}
	return nil
}

func isNameStart(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.Is(unicode.Nl, r) || unicode.Is(unicode.Other_ID_Start, r)
}

func isNamePart(r rune) bool {
	return isNameStart(r) || unicode.In(r, unicode.Nd, unicode.Mn, unicode.Mc, unicode.Pc, unicode.Other_ID_Continue)
}

func nameLength(text string) int {
	if end := strings.IndexFunc(text, func(r rune) bool { return !isNamePart(r) }); end >= 0 {
		return end
	}
	return len(text)
}

func isTextPrefix(name string) bool {
	return slices.Contains([]string{"r", "u", "b", "br", "rb", "f", "fr", "rf", "t", "tr", "rt"}, strings.ToLower(name))
}

// text reads a string from its opening quotes on.
func (s *pyScanner) text(prefix string) error {
	quote := s.source[s.at : s.at+1]
	if strings.HasPrefix(s.source[s.at:], strings.Repeat(quote, 3)) {
		quote = strings.Repeat(quote, 3)
	}
	s.emit(textToken, s.line)
	s.at += len(quote)
	if strings.ContainsAny(prefix, "ft") {
		return s.formattedText(quote, strings.Contains(prefix, "r"))
	}
	for s.at < len(s.source) {
		switch c := s.source[s.at]; {
		case strings.HasPrefix(s.source[s.at:], quote):
			s.at += len(quote)
			return nil
		case c == '\n' && len(quote) == 1:
			return errors.New("a text is not closed")
		case c == '\\':
			s.skipEscaped()
		default:
			s.skip()
		}
	}
	return errors.New("a text is not closed")
}

func (s *pyScanner) skip() {
	if s.source[s.at] == '\n' {
		s.line++
	}
	s.at++
}

// skipTo goes on at the next c, or at the end.
func (s *pyScanner) skipTo(c byte) {
	if n := strings.IndexByte(s.source[s.at:], c); n >= 0 {
		s.at += n
	} else {
		s.at = len(s.source)
	}
}

func (s *pyScanner) skipEscaped() {
	if s.skip(); s.at < len(s.source) {
		s.skip()
	}
}

// formattedText reads an f-string, or a field's part behind its colon, to its end. The code of its
// fields is read too, between round brackets.
func (s *pyScanner) formattedText(end string, raw bool) error {
	if s.nesting++; s.nesting > maxPyNesting {
		return errors.New("f-strings are nested too deep")
	}
	defer func() { s.nesting-- }()
	for s.at < len(s.source) {
		rest := s.source[s.at:]
		switch {
		case strings.HasPrefix(rest, end):
			s.at += len(end)
			return nil
		case rest[0] == '\n' && len(end) == 1:
			return errors.New("a text is not closed")
		case end != "}" && (strings.HasPrefix(rest, "{{") || strings.HasPrefix(rest, "}}")):
			s.at += 2
		case rest[0] == '{':
			s.emit("(", s.line)
			s.at++
			if err := s.code(true); err != nil {
				return err
			}
			s.emit(")", s.line)
		case !raw && strings.HasPrefix(rest, `\N{`):
			s.skipTo('}')
			s.at = min(s.at+1, len(s.source))
		case strings.HasPrefix(rest, `\{`) || strings.HasPrefix(rest, `\}`):
			s.at++
		case rest[0] == '\\':
			s.skipEscaped()
		default:
			s.skip()
		}
	}
	return errors.New("a text is not closed")
}
