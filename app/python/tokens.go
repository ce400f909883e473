package python

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// token is a name, or another character of the source. Numbers and texts are tokens without
// content.
type token struct {
	text   string // a name, in the form in which Python compares it, or one of the others below
	line   int    // from 1
	column int    // bytes before it in its line
}

const (
	numberToken = "0"
	textToken   = `"`
	endToken    = "\n" // of a logical line
)

// isName reports whether a token is an identifier or keyword.
func (t token) isName() bool {
	r, _ := utf8.DecodeRuneInString(t.text)
	return isNameStart(r)
}

const (
	maxNesting = 50      // of fields in f-strings; Python takes 149
	maxTokens  = 500_000 // of a file
)

// scanner takes Python source apart. It knows f-strings as of Python 3.12, which read those before
// alike.
type scanner struct {
	source  string
	at      int
	line    int
	begin   int // of the line
	nesting int
	tokens  []token
}

// Newlines replaces Python's line ends by one.
var Newlines = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// scan returns the tokens of a source. With an error it returns those before the error, and its
// line.
func scan(source string) ([]token, int, error) {
	s := &scanner{source: Newlines.Replace(strings.TrimPrefix(source, "\ufeff")), line: 1}
	err := s.code(false)
	s.emit(endToken)
	return s.tokens, s.line, err
}

func (s *scanner) emit(text string) {
	s.tokens = append(s.tokens, token{text, s.line, s.at - s.begin})
}

// skip goes on by n bytes of the source.
func (s *scanner) skip(n int) {
	for range min(n, len(s.source)-s.at) {
		s.at++
		if s.source[s.at-1] == '\n' {
			s.line, s.begin = s.line+1, s.at
		}
	}
}

var errOpenBracket = errors.New("a bracket is not closed")

// code reads up to the end, or up to the closing brace of an f-string's field.
func (s *scanner) code(field bool) error {
	depth := 0 // of brackets
	for s.at < len(s.source) {
		if len(s.tokens) > maxTokens {
			return errors.New("it has too many parts")
		}
		rest := s.source[s.at:]
		switch c := rest[0]; {
		case c == '\n':
			if !field && depth == 0 {
				s.emit(endToken)
			}
			s.skip(1)
		case c == ' ' || c == '\t' || c == '\f':
			s.skip(1)
		case c == '#':
			s.skip(until(rest, func(r rune) bool { return r == '\n' }))
		case strings.HasPrefix(rest, "\\\n"):
			s.skip(2)
		case field && depth == 0 && c == '}':
			s.skip(1)
			return nil
		case field && depth == 0 && c == ':':
			s.skip(1)
			return s.text("}", true, false)
		case strings.IndexByte(")]}", c) >= 0 && depth == 0:
			return errors.New("the bracket " + string(c) + " closes none")
		default:
			depth += strings.Count("([{", rest[:1]) - strings.Count(")]}", rest[:1])
			if err := s.token(rest); err != nil {
				return err
			}
		}
	}
	if field || depth > 0 {
		return errOpenBracket
	}
	return nil
}

// token reads a name, a number, a text or another character.
func (s *scanner) token(rest string) error {
	r, size := utf8.DecodeRuneInString(rest)
	switch {
	case r == '"' || r == '\'':
		return s.readQuoted("")
	case isNameStart(r):
		name := rest[:until(rest, func(r rune) bool { return !isNamePart(r) })]
		if next := rest[len(name):]; next != "" && (next[0] == '"' || next[0] == '\'') && isTextPrefix(name) {
			s.skip(len(name))
			return s.readQuoted(strings.ToLower(name))
		}
		s.emit(norm.NFKC.String(name))
		size = len(name)
	case r >= '0' && r <= '9':
		s.emit(numberToken)
		size = until(rest, func(r rune) bool { return r != '.' && !isNamePart(r) })
	default:
		s.emit(string(r))
	}
	s.skip(size)
	return nil
}

// until returns how many bytes stand before what ends.
func until(text string, ends func(rune) bool) int {
	if n := strings.IndexFunc(text, ends); n >= 0 {
		return n
	}
	return len(text)
}

func isNameStart(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.Is(unicode.Nl, r) || unicode.Is(unicode.Other_ID_Start, r)
}

func isNamePart(r rune) bool {
	return isNameStart(r) || unicode.In(r, unicode.Nd, unicode.Mn, unicode.Mc, unicode.Pc, unicode.Other_ID_Continue)
}

func isTextPrefix(name string) bool {
	return len(name) <= 2 && strings.Trim(strings.ToLower(name), "rubft") == ""
}

// readQuoted reads a text from its opening quotes on.
func (s *scanner) readQuoted(prefix string) error {
	s.emit(textToken)
	quote := s.source[s.at : s.at+1]
	if three := strings.Repeat(quote, 3); strings.HasPrefix(s.source[s.at:], three) {
		quote = three
	}
	s.skip(len(quote))
	return s.text(quote, strings.ContainsAny(prefix, "ft"), strings.Contains(prefix, "r"))
}

// text reads a text, or what stands behind the colon of an f-string's field, to its end. The code
// in the fields of a formatted one is read too, between round brackets.
func (s *scanner) text(end string, formatted, raw bool) error {
	if s.nesting++; s.nesting > maxNesting {
		return errors.New("f-strings are nested too deep")
	}
	defer func() { s.nesting-- }()
	for s.at < len(s.source) {
		rest := s.source[s.at:]
		switch {
		case strings.HasPrefix(rest, end):
			s.skip(len(end))
			return nil
		case rest[0] == '\n' && len(end) == 1:
			return errOpenText
		case formatted && !raw && strings.HasPrefix(rest, `\N{`):
			s.skip(until(rest, func(r rune) bool { return r == '}' }) + 1)
		case formatted && (strings.HasPrefix(rest, `\{`) || strings.HasPrefix(rest, `\}`)):
			s.skip(1)
		case rest[0] == '\\', formatted && end != "}" && (strings.HasPrefix(rest, "{{") || strings.HasPrefix(rest, "}}")):
			s.skip(2)
		case formatted && rest[0] == '{':
			s.emit("(")
			s.skip(1)
			if err := s.code(true); err != nil {
				return err
			}
			s.emit(")")
		default:
			s.skip(1)
		}
	}
	return errOpenText
}

var errOpenText = errors.New("a text is not closed")
