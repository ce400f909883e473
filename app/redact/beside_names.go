package redact

import "strings"

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

// forMember returns the names of an object's member. The objects of some lists are pairs, and those
// of some tables columns whose keys count rows.
func (n namesOf) forMember(object map[string]any, key string) namesOf {
	names := namesOf{key}
	switch {
	case strings.Trim(key, "0123456789") == "":
		names = append(names, n...)
	case strings.EqualFold(key, "value"):
		names = append(names, n...).with(labelOf(object))
	}
	return names[:min(len(names), maxNames)]
}

// forElement returns the names of an element of a list: those of the list, the other half of a
// pair, and the heads of columns, if there are as many as elements.
func (n namesOf) forElement(list []any, i int, heads [][]string) namesOf {
	if label, ok := list[0].(string); ok && i == 1 && len(list) == 2 {
		n = n.with(label)
	}
	for _, row := range heads {
		if len(row) == len(list) {
			n = n.with(row[i])
		}
	}
	return n
}

// labelOf returns the name in {"name": …, "value": …}; "" if there is none.
func labelOf(object map[string]any) string {
	for _, key := range []string{"name", "key", "header", "field", "Name", "Key"} {
		if label, ok := object[key].(string); ok {
			return label
		}
	}
	return ""
}

// headsOf returns the lists of names among an object's members, such as the columns of a table.
func headsOf(object map[string]any) (heads [][]string) {
	for _, v := range object {
		if row := asHeads(v); row != nil {
			heads = append(heads, row)
		}
	}
	return heads
}

// asHeads returns a list of strings, or of objects with a label, as names; nil for all else.
func asHeads(v any) (names []string) {
	list, _ := v.([]any)
	for _, e := range list {
		switch e := e.(type) {
		case string:
			names = append(names, e)
		case map[string]any:
			names = append(names, labelOf(e))
		default:
			return nil
		}
	}
	return names
}

// findBeside finds what patterns take for a secret because of a name that stands beside it, as they
// would in a text.
func (r *Redactor) findBeside(l *leaf) {
	quote := `"`
	if strings.ContainsAny(l.text, `"\`) {
		quote = "'"
	}
	for _, name := range l.names {
		before := `"` + name + `": ` + quote
		for _, p := range r.patterns(before + l.text + quote) {
			l.match(Match{max(p.Start-len(before), 0), min(p.End-len(before), len(l.text)), p.Rule})
		}
	}
}
