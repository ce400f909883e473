package fields

import (
	"bytes"
	"encoding/base64"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/computclaw/airlock/app"
)

// Lengths in characters, but for bounds on what is read.
const (
	minField = 4
	minLine  = 8
	minWord  = 16
	maxDepth = 4 // of what stands in fields
)

// Field is a part of a value that is secret.
type Field struct {
	Name string // as the value calls it
	Text string
}

// Unguessable reports whether a field may be masked where nobody holds it. From masks, a script
// could find out a short field or a word.
func (f Field) Unguessable() bool {
	return utf8.RuneCountInString(f.Text) >= minReading && app.WeakValue(app.NewSecret(f.Text)) == ""
}

// Parts are what is secret in a value.
type Parts struct {
	One    bool // what is cut from it anywhere is as secret: none of it is public by its format
	Fields []Field
	Words  []string // that look made at random; of a text without names, its lines
}

// isEmpty reports whether nothing in a value is known to be secret by itself.
func (p *Parts) isEmpty() bool { return len(p.Fields)+len(p.Words) == 0 }

// byteOrderMark begins what some editors write.
const byteOrderMark = "\ufeff"

// Of takes a value apart.
func Of(value string) Parts {
	value = strings.TrimSpace(strings.TrimPrefix(value, byteOrderMark))
	r := reader{seen: map[string]bool{}, budget: 8<<10 + 16*len(value)}
	several := strings.ContainsAny(value, ":=\r\n\\@{[< ") && r.read(value, maxDepth) // most values have none of them
	switch {
	case several && (!r.parts.isEmpty() || isPublic(value)) && r.leavesPublic(value):
	case isHost(value):
		r.words(value)
	default:
		r.parts.One = true
	}
	r.readings("what it decodes to", value, !several, maxDepth, minReading)
	if r.budget <= 0 { // not all of it was read, so any part of it may be secret
		r.parts.One = true
	}
	return r.parts
}

// leavesPublic reports whether so much of a value is in no part that a piece of it can count which
// has nothing secret. Where a random word only looks like a name with a field behind, the name is
// too short for that.
func (r *reader) leavesPublic(value string) bool {
	if len(value) > maxLogin || strings.ContainsAny(value, " \t\r\n") {
		return true
	}
	public := []byte(value)
	for text := range r.seen {
		for from := 0; text != "" && strings.Contains(value[from:], text); from += len(text) {
			from += strings.Index(value[from:], text)
			clear(public[from : from+len(text)])
		}
	}
	n := len(public) - bytes.Count(public, []byte{0})
	return n >= minWord || 5*n >= 3*len(value)
}

// isPublic reports whether parts of a value are ordinary text too. It looks at lines and names,
// even if none is a secret's.
func isPublic(value string) bool {
	return strings.Contains(value, "://") || strings.IndexByte("{[", value[0]) >= 0 || lineBreak.MatchString(value)
}

// reader gathers parts. seen has the texts of those that are there, true for fields: a word may
// become one.
type reader struct {
	parts  Parts
	seen   map[string]bool
	budget int // bytes that may yet be read, or values within values would be read again and again
}

// word adds what looks made at random, or a line.
func (r *reader) word(text string) {
	if _, known := r.seen[text]; known {
		return
	}
	r.seen[text] = false
	r.parts.Words = append(r.parts.Words, text)
}

// read reports whether a value that is secret is put together from several parts, and gathers those
// that are secret themselves.
func (r *reader) read(value string, depth int) bool {
	return r.logins(value, depth) || r.structure(value, depth) || r.lines(value)
}

// structure is read for a value that need not be secret.
func (r *reader) structure(value string, depth int) bool {
	if r.budget -= len(value); depth <= 0 || r.budget < 0 {
		return false
	}
	rest, armoured := r.keys(value)
	if r.document(rest, depth) {
		return true
	}
	urls := r.urls(rest)
	named := r.assignments(rest, depth)
	r.yaml(rest, depth)
	if urls || named {
		r.words(rest)
	}
	return urls || named || armoured
}

// field takes note of a field, and of what is secret in it.
func (r *reader) field(name, text string, depth int) {
	text = strings.TrimSpace(text)
	if utf8.RuneCountInString(text) < minField || isStandIn(text) {
		return
	}
	if r.credentials(name, text, depth) {
		return
	}
	r.add(name, text)
	r.readings(name, text, !r.read(text, depth-1), depth, minField)
}

// credentials takes note of those of an Authorization header, and reports whether a text is one.
func (r *reader) credentials(name, text string, depth int) bool {
	word, credentials, ok := scheme(text)
	if !ok {
		return false
	}
	if strings.EqualFold(word, "basic") {
		_, password := basicLogin(credentials)
		r.field("password", password, 1)
	}
	r.field(name, credentials, depth)
	return true
}

// basicLogin reads what stands behind Basic in a header. Behind the colon is a password, whatever
// it looks like (RFC 7617).
func basicLogin(text string) (user, password string) {
	text = strings.NewReplacer("-", "+", "_", "/").Replace(strings.TrimRight(text, "="))
	login, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil || !isPrintable(string(login)) {
		return "", ""
	}
	user, password, _ = strings.Cut(string(login), ":")
	return user, password
}

// add adds a field, and reports whether it is new.
func (r *reader) add(name, text string) bool {
	if r.seen[text] {
		return false
	}
	r.seen[text] = true
	r.parts.Fields = append(r.parts.Fields, Field{name, text})
	return true
}

// noteNamed takes note of a text beside its name, if either says that it is secret.
func (r *reader) noteNamed(name, text string, depth int) {
	kind := kindOf(name)
	_, _, ok := scheme(text)
	switch {
	case kind == publicName:
	case ok, kind == secretName, kind == keyName && (isOpaque(text) || credentialsOf(text) != ""), signatureOf(text) != "":
		r.field(name, text, depth)
	default:
		r.structure(text, depth-1)
		r.words(text)
		for _, plain := range decodings(text) {
			r.structure(plain, depth-1)
		}
	}
}

// words takes note of what looks made at random.
func (r *reader) words(text string) {
	if r.budget -= len(text); r.budget < 0 {
		return
	}
	separates := func(c rune) bool { return c <= ' ' || strings.ContainsRune("\"'`\\,;=&?<>(){}[]", c) }
	for token := range strings.FieldsFuncSeq(text, separates) {
		tokens := []string{token}
		if strings.Contains(token, "://") || isName(token) {
			tokens = strings.FieldsFunc(token, func(c rune) bool { return strings.ContainsRune("/:@.", c) })
		}
		for _, t := range tokens {
			if len(t) >= minWord && isRandom(t) {
				r.word(t)
			}
		}
	}
}

// lines takes note of the lines of a text without names. It reports false if none counts, and for
// what may as well be one password with \n in it.
func (r *reader) lines(text string) bool {
	found := false
	if lines := lineBreak.Split(text, -1); len(lines) > 1 {
		for _, line := range lines {
			if !isEasy(line) {
				r.line(line)
				found = true
			}
		}
	}
	return found && strings.ContainsAny(text, "\r\n")
}

func (r *reader) line(line string) {
	if line = strings.TrimSpace(line); utf8.RuneCountInString(line) >= minLine {
		r.word(line)
	}
}

// A block in armour begins with its label and ends with it, or with the text. The characters \n end
// a line, too.
var (
	armour    = regexp.MustCompile(`(?s)-----BEGIN ([A-Z0-9 ]{1,64})-----(.*?)(?:-----END [A-Z0-9 ]{1,64}-----|\z)`)
	lineBreak = regexp.MustCompile(`(?:\\r|\\n|\r|\n)+`)
)

// keys takes note of the lines of keys in armour, and returns the text without any armour.
func (r *reader) keys(text string) (rest string, found bool) {
	if !strings.Contains(text, "-----BEGIN ") {
		return text, false
	}
	found = true
	for _, m := range armour.FindAllStringSubmatch(text, -1) {
		if !strings.Contains(m[1], "KEY") || strings.Contains(m[1], "PUBLIC") {
			continue
		}
		for _, line := range lineBreak.Split(m[2], -1) {
			if !strings.Contains(line, ": ") { // a header, such as Proc-Type
				r.line(line)
			}
		}
		if m[0] != text {
			r.block(m[0])
		}
	}
	return armour.ReplaceAllString(text, " "), found
}

// block takes note of a key that stands among other things, as it is and with its line breaks.
func (r *reader) block(text string) {
	lines := lineBreak.Split(text, -1)
	for i, line := range lines {
		lines[i] = strings.TrimSpace(line)
	}
	r.add("private key", text)
	r.add("private key", strings.Join(lines, "\n"))
}
