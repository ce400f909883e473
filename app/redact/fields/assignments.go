package fields

import (
	"net/url"
	"regexp"
	"strings"
)

// assignment is a name and what stands between it and its value, in .env, INI, YAML, TOML, headers,
// DSNs and queries.
var assignment = regexp.MustCompile(`["']?([A-Za-z_][A-Za-z0-9_.-]*)["']?[ \t]*(?:=>|[:=])[ \t]*`)

// spoken is a password as .netrc has it.
var spoken = regexp.MustCompile(`(?m)(?:^|\s)login\s+\S+\s+password\s+(\S+)`)

// maxAssignments bounds what a value in one long line costs.
const maxAssignments = 4000

// assignments reads a text of names with values. It reports false if there is none: one name alone
// counts only if it is that of a secret, or a line of YAML or a file.
func (r *reader) assignments(text string, depth int) bool {
	found := false
	for _, m := range spoken.FindAllStringSubmatch(text, -1) {
		r.field("password", m[1], depth)
		found = true
	}
	label, done, several := "", 0, 0
	lines := strings.ContainsAny(text, "\r\n")
	all := assignment.FindAllStringSubmatchIndex(text, maxAssignments)
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
		value, end := valueAt(text, m[1], m[0], next)
		if end > m[1] && isQuote(text[m[1]]) || strings.Contains(value, "\n") {
			done = end
		}
		if len(name) >= 4 {
			several++
		}
		found = found || kindOf(name) == secretName || lines
		if name == "value" && label != "" {
			name = label
		}
		if label = ""; strings.EqualFold(name, "name") || strings.EqualFold(name, "key") {
			label = value
		}
		r.named(name, value, depth)
		if m[0] > 0 && strings.IndexByte("?&", text[m[0]-1]) >= 0 {
			if plain, err := url.QueryUnescape(value); err == nil {
				r.named(name, plain, depth)
			}
		}
	}
	return found || several > 1
}

// begins reports whether a name may begin at an offset: at the beginning of a line, or behind what
// separates values.
func begins(text string, at int) bool {
	return at == 0 || strings.IndexByte(" \t\r\n?&;,{[(:|", text[at-1]) >= 0
}

// valueAt returns the value at an offset, without its quotes, and where it ends. from is where its
// name begins, and next where the next name may.
func valueAt(text string, at, from, next int) (value string, end int) {
	if at == len(text) {
		return "", at
	}
	if isQuote(text[at]) {
		if value, end, ok := quotedAt(text, at); ok {
			return value, end
		}
	}
	end = at + len(firstLine(text[at:]))
	if block := strings.TrimRight(text[at:end], " \t+-"); block == "|" || block == ">" {
		return blockAt(text, end)
	}
	for _, name := range []int{from, next} {
		if name > 0 && name != at && name < end {
			end = cutAt(text, at, end, separatorAt(text, name))
		}
	}
	value = strings.TrimSpace(text[at:end])
	if i := strings.Index(value, " #"); i >= 0 {
		value = strings.TrimSpace(value[:i])
	}
	return value, end
}

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
	case '?', '&':
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
	if i := strings.IndexAny(text[at:end], ends); i >= 0 {
		return at + i
	}
	return end
}

func firstLine(text string) string {
	if i := strings.IndexAny(text, "\r\n"); i >= 0 {
		return text[:i]
	}
	return text
}

func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

// quotedAt returns a value between quotes.
func quotedAt(text string, at int) (value string, end int, ok bool) {
	for i := at + 1; i < len(text); i++ {
		switch {
		case text[i] == '\\' && text[at] == '"':
			i++
		case text[i] == text[at]:
			value = text[at+1 : i]
			if text[at] == '"' {
				value = unescape.Replace(value)
			}
			return value, i + 1, true
		}
	}
	return "", 0, false
}

var unescape = strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\n`, "\n", `\r`, "\r", `\t`, "\t", `\$`, "$")

// blockAt returns a block of YAML: the lines that are indented more than the first, without that.
func blockAt(text string, at int) (value string, end int) {
	var b strings.Builder
	indent := 0
	at += len(text[at:]) - len(strings.TrimLeft(text[at:], "\r\n"))
	for line := range strings.Lines(text[at:]) {
		bare := strings.TrimLeft(line, " ")
		if indent == 0 {
			indent = len(line) - len(bare)
		}
		if indent == 0 || len(line)-len(bare) < indent && strings.TrimSpace(line) != "" {
			break
		}
		b.WriteString(line[min(indent, len(line)-len(bare)):])
		at += len(line)
	}
	return strings.TrimSpace(b.String()), at
}
