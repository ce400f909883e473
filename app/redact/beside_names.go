package redact

import (
	"slices"
	"strings"

	"github.com/computclaw/airlock/app/redact/jsontext"
)

// maxNames is how many names a text of a result may stand beside.
const maxNames = 4

// namesOf are what a text of a result stands beside: a key, the first of a pair, the head of a
// column.
type namesOf []string

// with returns the names with one more.
func (n namesOf) with(name string) namesOf {
	if name == "" || len(n) == maxNames {
		return n
	}
	return append(n[:len(n):len(n)], name)
}

// forMember returns the names of an object's member, given the object's label. The objects of some
// lists are pairs, and those of some tables columns whose keys count rows.
func (n namesOf) forMember(key, label string) namesOf {
	names := namesOf{key}
	switch {
	case strings.Trim(key, "0123456789") == "":
		names = append(names, n...)
	case strings.EqualFold(key, "value"):
		names = append(names, n...).with(label)
	}
	return names[:min(len(names), maxNames)]
}

// listed is what matters of a list for the names of its elements.
type listed struct {
	length int
	label  string   // the first element, if it is a text
	rows   bool     // some elements are lists
	heads  []string // the first element as names; nil if it has none
}

func (s *resultSearch) listOf(list jsontext.Node) (l listed) {
	for e := range s.Inside(list) {
		if l.length == 0 && s.Kind(e) == jsontext.String {
			l.label = s.String(e)
		}
		if l.length == 0 {
			l.heads = s.asHeads(e)
		}
		l.length++
		l.rows = l.rows || s.Kind(e) == jsontext.Array
	}
	return l
}

// forElement returns the names of a list's element. They are the list's, the other half of a pair,
// and the heads of as many columns.
func (n namesOf) forElement(l listed, i int, heads [][]string) namesOf {
	if i == 1 && l.length == 2 {
		n = n.with(l.label)
	}
	for _, row := range heads {
		if len(row) == l.length {
			n = n.with(row[i])
		}
	}
	return n
}

// labelOf returns the name in {"name": …, "value": …}; "" if there is none.
func (s *resultSearch) labelOf(object jsontext.Node) (label string) {
	names := []string{"name", "key", "header", "field", "Name", "Key"}
	best := len(names)
	for key := range s.Inside(object) {
		i := slices.Index(names[:best], s.String(key))
		if value := s.Value(key); i >= 0 && s.Kind(value) == jsontext.String {
			best, label = i, s.String(value)
		}
	}
	return label
}

// headsOf returns the lists of names among an object's members, such as the columns of a table.
func (s *resultSearch) headsOf(object jsontext.Node) (heads [][]string) {
	for key := range s.Inside(object) {
		if row := s.asHeads(s.Value(key)); row != nil {
			heads = append(heads, row)
		}
	}
	return heads
}

// asHeads returns a list of strings, or of objects with a label, as names; nil for all else.
func (s *resultSearch) asHeads(n jsontext.Node) (names []string) {
	if s.Kind(n) != jsontext.Array {
		return nil
	}
	for e := range s.Inside(n) {
		switch s.Kind(e) {
		case jsontext.String:
			names = append(names, s.String(e))
		case jsontext.Object:
			names = append(names, s.labelOf(e))
		default:
			return nil
		}
	}
	return names
}

// rulesBeside returns what rules find in a text because of the name beside it. They would find it
// in a document.
func (r *Redactor) rulesBeside(name, text string) (found []Match) {
	quote := `"`
	if strings.ContainsAny(text, `"\`) {
		quote = "'"
	}
	before := `"` + name + `": ` + quote
	for _, m := range r.rules(before + text + quote) {
		m.Start, m.End = max(m.Start-len(before), 0), min(m.End-len(before), len(text))
		found = append(found, m)
	}
	return found
}
