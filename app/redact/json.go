package redact

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/computclaw/airlock/app/redact/jsontext"
)

// ErrJSON is wrapped by every error about a result. The texts hold nothing of the data.
var ErrJSON = errors.New("redact: not one valid JSON value")

// CheckJSON returns the error that Execution would return for a result.
func CheckJSON(data json.RawMessage) error {
	if err := jsontext.Check(data); err != nil {
		return fmt.Errorf("%w: %w", ErrJSON, err)
	}
	return nil
}

// tree is a JSON value with its texts, in the order in which they were given.
type tree struct {
	*jsontext.Document
	leaves []*leaf // keys and values
	keys   []*leaf
	values []*leaf
	byNode map[jsontext.Node]*leaf
}

func newTree(data json.RawMessage) (*tree, error) {
	document, err := jsontext.Parse(data)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrJSON, err)
	}
	t := &tree{Document: document, byNode: map[jsontext.Node]*leaf{}}
	t.collect(t.Root(), nil, nil)
	return t, nil
}

// collect gathers the texts of a value that stands beside names. heads are those of the table that
// it may be in.
func (t *tree) collect(n jsontext.Node, names namesOf, heads [][]string) {
	switch t.Kind(n) {
	case jsontext.String:
		t.values = append(t.values, t.add(n, &leaf{names: names}))
	case jsontext.Number:
		t.values = append(t.values, t.add(n, &leaf{number: true}))
	case jsontext.Array:
		t.collectList(n, names, heads)
	case jsontext.Object:
		heads, label := t.headsOf(n), t.labelOf(n)
		for key := range t.Inside(n) {
			l := t.add(key, &leaf{})
			t.keys = append(t.keys, l)
			t.collect(t.Value(key), names.forMember(l.text, label), heads)
		}
	}
}

// collectList gathers the texts of a list, which may be a row, a pair, or rows below their heads.
func (t *tree) collectList(list jsontext.Node, names namesOf, heads [][]string) {
	l := t.listOf(list)
	if l.rows && l.heads != nil {
		heads = append(heads[:len(heads):len(heads)], l.heads)
	}
	i := 0
	for e := range t.Inside(list) {
		if l.rows {
			t.collect(e, names, heads)
		} else {
			t.collect(e, names.forElement(l, i, heads), heads)
		}
		i++
	}
}

func (t *tree) add(n jsontext.Node, l *leaf) *leaf {
	l.text, t.byNode[n] = t.String(n), l
	t.leaves = append(t.leaves, l)
	return l
}

// joints are the orders in which the leaves make sense besides the one they are in.
func (t *tree) joints() [][]part {
	if len(t.keys) == 0 || len(t.leaves) < 3 {
		return nil
	}
	return [][]part{partsOf(t.values), partsOf(t.keys)}
}

// encode returns the masked JSON: compact, in the order of its keys, with numbers as they are written.
//
// A number whose digits hold a secret of 8 characters or more becomes a masked string. Where masking
// makes two keys of an object equal, all but one get " (2)", " (3)" … appended, in the sorted order of
// the keys as they were; keys without a secret keep their names.
func (t *tree) encode(m *machine, hits *tally) Clean {
	w := walker{tree: t, machine: m, tally: hits}
	w.value(t.Root())
	return Clean{w.out.String()}
}

// walker writes a tree with its leaves masked.
type walker struct {
	*tree
	machine *machine
	tally   *tally
	out     strings.Builder
}

// masked returns a leaf with its masks; ok is false if it has none.
func (w *walker) masked(n jsontext.Node) (text string, ok bool) {
	l := w.byNode[n]
	if l == nil || len(l.regions) == 0 {
		return "", false
	}
	return w.machine.render(l.text, l.regions, w.tally), true
}

func (w *walker) value(n jsontext.Node) {
	switch w.Kind(n) {
	case jsontext.Array:
		separator := "["
		for e := range w.Inside(n) {
			w.out.WriteString(separator)
			w.value(e)
			separator = ","
		}
		w.out.WriteString(strings.TrimSuffix(separator, ",") + "]")
	case jsontext.Object:
		separator := "{"
		names := w.maskedNames(n)
		for key := range w.Inside(n) {
			w.out.WriteString(separator)
			if name, ok := names[key]; ok {
				w.out.WriteString(jsontext.Quoted(name))
			} else {
				w.out.WriteString(w.written(key))
			}
			w.out.WriteByte(':')
			w.value(w.Value(key))
			separator = ","
		}
		w.out.WriteString(strings.TrimSuffix(separator, ",") + "}")
	default:
		if text, ok := w.masked(n); ok {
			w.out.WriteString(jsontext.Quoted(text))
		} else {
			w.out.WriteString(w.written(n))
		}
	}
}

func (w *walker) written(n jsontext.Node) string {
	start, end := w.Span(n)
	return w.Text()[start:end]
}

// maskedNames returns the names of an object's keys that hold a secret; nil if none does.
func (w *walker) maskedNames(object jsontext.Node) map[jsontext.Node]string {
	var names map[jsontext.Node]string
	for key := range w.Inside(object) {
		if name, ok := w.masked(key); ok {
			if names == nil {
				names = map[jsontext.Node]string{}
			}
			names[key] = name
		}
	}
	if names == nil {
		return nil
	}
	taken := map[string]bool{}
	for key := range w.Inside(object) {
		if _, masked := names[key]; !masked {
			taken[w.String(key)] = true
		}
	}
	byGiven := func(a, b jsontext.Node) int { return strings.Compare(w.String(a), w.String(b)) }
	count := map[string]int{}
	for _, key := range slices.SortedFunc(maps.Keys(names), byGiven) {
		name := names[key]
		for free := name; taken[names[key]]; names[key] = free {
			count[name] = max(count[name], 1) + 1
			free = fmt.Sprintf("%s (%d)", name, count[name])
		}
		taken[names[key]] = true
	}
	return names
}
