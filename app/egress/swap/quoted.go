package swap

import (
	"encoding/json"
	"strings"
)

// fitJSON escapes values inside JSON strings, including keys, and refuses other places.
func fitJSON(text string) fit {
	quoted := quotes{text: text}
	return func(value string, at int) (string, string) {
		if !quoted.allowsValueAt(at) {
			return "", "it is not inside a JSON string"
		}
		return quoteJSON(value), ""
	}
}

// quotes tells, for ascending places, which are inside double-quoted strings with backslash
// escapes.
type quotes struct {
	text string
	pos  int
	in   bool
}

// allowsValueAt reports whether a value may be part of a string here, outside of escapes.
func (q *quotes) allowsValueAt(at int) bool {
	for ; q.pos < at; q.pos++ {
		switch q.text[q.pos] {
		case '"':
			q.in = !q.in
		case '\\':
			if q.in {
				q.pos++
			}
		}
	}
	return q.in && q.pos == at
}

func quoteJSON(text string) string {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text) // strings can always be encoded
	return trimQuotes(strings.TrimSuffix(b.String(), "\n"))
}

// trimQuotes takes the quotes off.
func trimQuotes(quoted string) string { return quoted[1 : len(quoted)-1] }
