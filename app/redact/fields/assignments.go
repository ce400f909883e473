package fields

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// assignment is a name and what stands between it and its value, in .env, INI, YAML, TOML, headers,
// DSNs and queries.
var assignment = regexp.MustCompile(`["']?([A-Za-z_][A-Za-z0-9_.-]*)["']?[ \t]*(?:=>|[:=])[ \t]*`)

// spoken is a password as .netrc has it, also before the login.
var spoken = regexp.MustCompile(`(?:^|\s)(?:login\s+\S+|machine\s+\S+)\s+password\s+(\S+)`)

// maxAssignments bounds what a value in one long line costs.
const maxAssignments = 4000

// namedLine matches the beginning of a line with a name. otherLine matches one that may have
// another; comments, sections and lists don't count.
var (
	namedLine = regexp.MustCompile(`(?m)^[ \t]*(?:- +|export +)*["']?[A-Za-z_/][A-Za-z0-9_./-]*["']?[ \t]*(?:=>|[:=])`)
	otherLine = regexp.MustCompile(`(?m)^[ \t]*[A-Za-z0-9]`)
)

// hasNames reports whether most lines of a text begin with a name, as in a file of settings.
func hasNames(text string) bool {
	return strings.ContainsAny(text, "\r\n") &&
		2*len(namedLine.FindAllStringIndex(text, -1)) > len(otherLine.FindAllStringIndex(text, -1))
}

// assignments reads a text of names with values. It reports false if there is none: one name alone
// counts only if it is that of a secret, or most lines have one.
func (r *reader) assignments(text string, depth int) bool {
	found := false
	for _, m := range spoken.FindAllStringSubmatch(text, -1) {
		r.field("password", m[1], depth)
		found = true
	}
	label, done, several := "", 0, 0
	lines, line := hasNames(text), !strings.ContainsAny(text, "\r\n")
	all := slices.DeleteFunc(assignment.FindAllStringSubmatchIndex(text, maxAssignments),
		func(m []int) bool { return isPadded(text, m) })
	for i, m := range all {
		if m[0] < done || strings.HasPrefix(text[m[1]:], "//") && text[m[1]-1] == ':' {
			continue // within a value, or the scheme of a URL
		}
		name, next := text[m[2]:m[3]], len(text)
		if i+1 < len(all) {
			next = all[i+1][0]
		}
		if !begins(text, m[0]) {
			continue
		}
		readings, end, enclosed := r.valueAt(text, m[1], m[0], next)
		if r.budget -= end - m[1]; r.budget < 0 {
			break
		}
		if enclosed {
			done = end
		}
		if line && len(name) >= 4 && (m[0] == 0 || text[m[0]-1] != ':') {
			several++
		}
		if isValue(name) && label != "" {
			name = label
		}
		found = found || kindOf(name) == secretName || lines
		if label = ""; isLabel(name) {
			label = readings[0]
		}
		if m[0] > 0 && strings.IndexByte("?&#", text[m[0]-1]) >= 0 {
			if plain, err := url.QueryUnescape(readings[0]); err == nil {
				readings = append(readings, plain)
			}
		}
		if kindOf(name) == secretName && !enclosed && end < len(text) && isLineBreak(text[end]) {
			readings = append(readings, r.readContinued(text, m[1])...)
		}
		for _, value := range readings {
			r.noteNamed(name, value, depth)
		}
	}
	return found || several > 1
}

// isPadded reports whether what looks like a name is the end of base64 within a line.
func isPadded(text string, m []int) bool {
	return m[0] > 0 && isBlank(text[m[0]-1]) && text[m[1]-1] == '=' &&
		(m[1] == len(text) || text[m[1]] == '=' || isLineBreak(text[m[1]]))
}

// begins reports whether a name may begin at an offset: at the beginning of a line, or behind what
// separates values.
func begins(text string, at int) bool {
	return at == 0 || strings.IndexByte(" \t\r\n?&#;,{[(:|$", text[at-1]) >= 0
}

// valueAt returns all that the value at an offset may mean, where it ends, and whether quotes or
// braces enclose it. from is where its name begins, and next where the next name may.
func (r *reader) valueAt(text string, at, from, next int) (readings []string, end int, enclosed bool) {
	if readings, end := r.readQuoted(text, at); readings != nil {
		return readings, end, true
	}
	end = at + len(firstLine(text[at:]))
	if isQuote(text[from]) && strings.IndexByte(text[from+1:at], text[from]) < 0 { // around name and value
		if i := strings.IndexByte(text[at:end], text[from]); i >= 0 {
			return []string{text[at : at+i]}, at + i, true
		}
	}
	if at < end && text[at] == '{' && strings.HasSuffix(text[:at], "=") && r.budget > 0 {
		r.budget -= end - at
		if m := braced.FindStringSubmatch(text[at:end]); m != nil {
			return []string{strings.ReplaceAll(m[1], "}}", "}")}, at + len(m[0]), true
		}
	}
	whole := end
	for _, name := range []int{from, next} {
		if name > 0 && name != at && name < end {
			end = cutAt(text, at, end, separatorAt(text, name))
		}
	}
	readings = withComment(strings.TrimSpace(text[at:end]))
	line := strings.LastIndexAny(text[:from], "\r\n") + 1
	if end < whole && isBlank(text[end]) && lineBegins.MatchString(text[line:from]) {
		readings = append(readings, withComment(strings.TrimSpace(text[at:whole]))...) // files have one name a line
	}
	return readings, end, false
}

// lineBegins is what may stand before the first name of a line.
var lineBegins = regexp.MustCompile(`^[ \t]*(?:- +|export +)*$`)

// comment is the beginning of a comment, or of more of the value: files of settings differ.
var comment = regexp.MustCompile(`[ \t]+(?:#|;|//)`)

// withComment returns a value without what may be a comment, and with it unless that is a sentence.
func withComment(value string) []string {
	m := comment.FindStringIndex(value)
	if m == nil {
		return []string{value}
	}
	if text := value[m[0]:m[1]]; strings.HasSuffix(text, "#") && strings.HasPrefix(value[m[1]:], " ") &&
		strings.Contains(strings.TrimSpace(value[m[1]:]), " ") {
		return []string{value[:m[0]]}
	}
	return []string{value[:m[0]], value}
}

// continued is a value that goes on in lines behind a backslash, or that are indented and have no
// name.
var continued = regexp.MustCompile(`^[^\r\n]+(?:\\\r?\n[^\r\n]*|\r?\n[ \t]+[^\s=:#;-][^\r\n=:]*)+`)

var continuation = regexp.MustCompile(`\\?\r?\n[ \t]*`)

// readContinued returns all that a value of several lines at an offset may mean; nil if it has one.
func (r *reader) readContinued(text string, at int) []string {
	value := continued.FindString(text[at:])
	if r.budget -= len(value); value == "" {
		return nil
	}
	return []string{continuation.ReplaceAllString(value, ""), continuation.ReplaceAllString(value, "\n")}
}

// braced is a value of ODBC and JDBC that may have any sign in it.
var braced = regexp.MustCompile(`^\{((?:[^}\r\n]|\}\})*)\}(?:[;\s]|$)`)

// separatorAt returns what separates a name from what stands before it.
func separatorAt(text string, name int) byte {
	before := strings.TrimRight(text[:name], " \t")
	if strings.HasSuffix(before, ",") || strings.HasSuffix(before, ";") || strings.HasSuffix(before, "{") {
		return before[len(before)-1]
	}
	return text[name-1]
}

// cutAt returns where a value ends before another one that stands behind a separator.
func cutAt(text string, at, end int, separator byte) int {
	ends := ""
	switch separator {
	case '?', '&', '#':
		ends = "&# \t\"'"
	case ';':
		ends = ";"
	case ',', '{', '(':
		ends = ",})"
	case ' ', '\t':
		if strings.TrimLeft(firstLine(text[strings.LastIndexByte(text[:at], '\n')+1:at]), " \t-") == "" {
			return end
		}
		ends = " \t"
	default:
		return end
	}
	i := at
	for i < end && strings.IndexByte(ends, text[i]) < 0 {
		if ends[0] == ' ' && text[i] == '\\' { // libpq and shells
			i++
		}
		i++
	}
	return min(i, end)
}

func firstLine(text string) string {
	if i := strings.IndexAny(text, "\r\n"); i >= 0 {
		return text[:i]
	}
	return text
}

func isLineBreak(c byte) bool { return c == '\r' || c == '\n' }

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

// readQuoted returns what a value between quotes may mean, two readings at least, and where it
// ends; nil if there is none.
func (r *reader) readQuoted(text string, at int) (readings []string, end int) {
	if at+1 < len(text) && text[at] == '$' {
		at++ // the shell's $'…'
	}
	if at == len(text) || !isQuote(text[at]) || r.budget <= 0 {
		return nil, at
	}
	end = closingQuote(text[:min(len(text), at+r.budget)], at)
	if end < 0 || !closes(text, end) { // all of the text was searched
		r.budget -= len(text) - at
	}
	if end < 0 {
		return nil, at
	}
	quoted := text[at+1 : end]
	if text[at] == '"' {
		return []string{unescape(quoted), strings.ReplaceAll(quoted, `""`, `"`)}, end + 1
	}
	return []string{quoted, unescape(quoted), undoubleQuotes.Replace(quoted)}, end + 1
}

// closingQuote returns the offset of the closing quote, or -1. It is the first, or one that nothing
// of the value can follow.
func closingQuote(text string, at int) int {
	first, quote := -1, text[at]
	for i := at + 1; i < len(text); i++ {
		escaped := text[i] == '\\' && i+1 < len(text) && (quote == '"' || text[i+1] == quote && !closes(text, i+1))
		switch {
		case escaped:
			i++
		case text[i] != quote:
		case closes(text, i):
			return i
		default:
			if first < 0 {
				first = i
			}
			if text[i+1] == quote {
				i++
			}
		}
	}
	return first
}

// closes reports whether a quote may be the last character of a value.
func closes(text string, at int) bool {
	return at+1 == len(text) || strings.IndexByte(" \t\r\n,;:=)}]&>/|#", text[at+1]) >= 0
}
