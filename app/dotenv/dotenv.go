package dotenv

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/computclaw/airlock/app"
)

// Limits of one text.
const (
	MaxText    = 1 << 20 // bytes
	MaxEntries = 500
)

// maxProblems is how many lines are complained about.
const maxProblems = 20

// Entry is one variable.
type Entry struct {
	Name    string
	Value   app.Secret // may be empty
	Line    int        // where it begins
	Expands bool       // other programs would put a variable in where a dollar sign stands
}

// Problem is a line that can't be read, and what to do about it.
type Problem struct {
	Line    int // 0: of the text as a whole
	Message string
}

// Parse reads a text. The entries are those that could be read; each name stands once.
func Parse(text string) ([]Entry, []Problem) {
	text = strings.TrimPrefix(text, "\ufeff")
	switch {
	case len(text) > MaxText:
		return nil, []Problem{{0, fmt.Sprintf("The text is longer than %d bytes.", MaxText)}}
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		return nil, []Problem{{0, "This is not text in UTF-8."}}
	}
	p := &parser{rest: strings.ReplaceAll(text, "\r\n", "\n"), line: 1, seen: map[string]int{}}
	for p.rest != "" && len(p.problems) < maxProblems {
		p.next()
	}
	return p.entries, p.problems
}

type parser struct {
	rest     string // from the beginning of a line
	line     int
	seen     map[string]int
	entries  []Entry
	problems []Problem
}

// notAnEntry says why a line is none; "" if it is one. What stands there may be a part of a value,
// so it is not repeated.
func notAnEntry(name string, assigned bool) string {
	switch {
	case !assigned:
		return "This is not NAME=value. A value of several lines needs quotes around it."
	case app.CheckName(name) != nil:
		return "What stands before the = can't be a name: use letters, digits and underscores, at most 128, and don't " +
			"start with a digit. A value of several lines needs quotes around it."
	}
	return ""
}

// next reads one line, or one entry over several.
func (p *parser) next() {
	at := p.line
	line, _, _ := strings.Cut(p.rest, "\n")
	trimmed := strings.TrimSpace(line)
	if trimmed == "" || trimmed[0] == '#' {
		p.skip(len(line))
		return
	}
	name, value, ok := strings.Cut(line, "=")
	name = strings.TrimSpace(name)
	if after, found := strings.CutPrefix(name, "export"); found && after != "" && (after[0] == ' ' || after[0] == '\t') {
		name = strings.TrimSpace(after)
	}
	if problem := notAnEntry(name, ok); problem != "" {
		p.complain(at, problem)
		p.skip(len(line))
		return
	}
	before := len(line) - len(value)
	lead := len(value) - len(strings.TrimLeft(value, " \t"))
	entry, used, problem := read(p.rest[before+lead:])
	if problem != "" {
		p.complain(at, problem)
		p.skip(len(line)) // go on with the next line
		return
	}
	p.skip(before + lead + used)
	switch first, twice := p.seen[name]; {
	case twice:
		p.complain(at, fmt.Sprintf("%s stands in line %d already. Remove one of them.", name, first))
	case len(p.entries) == MaxEntries:
		p.complain(at, fmt.Sprintf("There are more than %d variables. Paste them in parts.", MaxEntries))
	default:
		entry.Name, entry.Line, p.seen[name] = name, at, at
		p.entries = append(p.entries, entry)
	}
}

// skip goes past n bytes and the line break after them.
func (p *parser) skip(n int) {
	n = min(n+1, len(p.rest))
	p.line += strings.Count(p.rest[:n], "\n")
	p.rest = p.rest[n:]
}

func (p *parser) complain(line int, message string) {
	p.problems = append(p.problems, Problem{line, message})
}

// read takes the value at the beginning of text, and returns how many bytes it has up to the end of
// its last line.
func read(text string) (e Entry, used int, problem string) {
	if text == "" {
		return e, 0, ""
	}
	switch quote := text[0]; quote {
	case '\'', '`':
		end := strings.IndexByte(text[1:], quote)
		if end < 0 {
			return e, 0, unclosed
		}
		e.Value, used = app.NewSecret(text[1:1+end]), end+2
	case '"':
		var value string
		if value, used, e.Expands, problem = readDouble(text); problem != "" {
			return e, 0, problem
		}
		e.Value = app.NewSecret(value)
	default:
		line, _, _ := strings.Cut(text, "\n")
		value := line
		if i := commentAt(line); i >= 0 {
			value = line[:i]
		}
		value = strings.TrimSpace(value)
		if strings.HasPrefix(value, "-----BEGIN ") && !strings.Contains(value, "-----END ") {
			return e, 0, "A key of several lines needs quotes around it, or a file of its own."
		}
		e.Value, e.Expands = app.NewSecret(value), expands(value)
		return e, len(line), ""
	}
	after, _, _ := strings.Cut(text[used:], "\n")
	if trimmed := strings.TrimSpace(after); trimmed != "" && (trimmed[0] != '#' || after[0] == '#') {
		return Entry{}, 0, "Something stands after the closing quote. Put quotes of another kind around the whole value."
	}
	return e, used + len(after), ""
}

const unclosed = "The quote is not closed."

// readDouble reads a value in double quotes.
func readDouble(text string) (value string, used int, expanding bool, problem string) {
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		switch c := text[i]; c {
		case '"':
			return b.String(), i + 1, expanding, ""
		case '\\':
			i++
			if i == len(text) {
				return "", 0, false, unclosed
			}
			plain, ok := map[byte]byte{'n': '\n', 'r': '\r', 't': '\t', '"': '"', '\\': '\\', '$': '$'}[text[i]]
			if !ok {
				return "", 0, false, `A backslash in double quotes stands before something other than n, r, t, ", \ and $. ` +
					"Use single quotes for a value with backslashes."
			}
			b.WriteByte(plain)
		case '$':
			expanding = expanding || expands(text[i:min(i+2, len(text))])
			b.WriteByte(c)
		default:
			b.WriteByte(c)
		}
	}
	return "", 0, false, unclosed
}

// commentAt is where a comment begins in an unquoted value, or -1.
func commentAt(line string) int {
	for i := range line {
		if line[i] == '#' && (i == 0 || line[i-1] == ' ' || line[i-1] == '\t') {
			return i
		}
	}
	return -1
}

// expands reports whether shells would see a variable in the text.
func expands(text string) bool {
	for i := 0; i+1 < len(text); i++ {
		if c := text[i+1]; text[i] == '$' &&
			(c == '{' || c == '_' || c == '(' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z') {
			return true
		}
	}
	return false
}
