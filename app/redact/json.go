package redact

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// ErrJSON is wrapped by every error about a result. The texts hold nothing of the data.
var ErrJSON = errors.New("redact: not one valid JSON value")

// MaxDepth is how deeply arrays and objects may be nested.
const MaxDepth = 200

// CheckJSON returns the error that Execution would return for a result.
func CheckJSON(data json.RawMessage) error {
	_, err := parseResult(data)
	return err
}

func parseResult(data []byte) (any, error) {
	if !utf8.Valid(data) {
		return nil, fmt.Errorf("%w: it is not UTF-8", ErrJSON)
	}
	if depth(data) > MaxDepth {
		return nil, fmt.Errorf("%w: it is nested more than %d deep", ErrJSON, MaxDepth)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var value any
	if err := dec.Decode(&value); err != nil {
		return nil, fmt.Errorf("%w: it is malformed at byte %d", ErrJSON, dec.InputOffset())
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, fmt.Errorf("%w: something follows it", ErrJSON)
	}
	return value, nil
}

// depth returns the deepest nesting, without regard to whether the data is well formed.
func depth(data []byte) int {
	now, deepest, quoted := 0, 0, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			now++
			deepest = max(deepest, now)
		case c == ']' || c == '}':
			now--
		}
	}
	return deepest
}

// tree is decoded JSON with its texts.
type tree struct {
	value  any
	leaves []*leaf // keys and values, in the order of sorted keys
	keys   []*leaf
	values []*leaf
}

func newTree(value any) *tree {
	t := &tree{value: value}
	t.collect(value, nil, nil)
	return t
}

// collect gathers the texts of a value that stands beside names. heads are those of the table that
// it may be in.
func (t *tree) collect(v any, names namesOf, heads [][]string) {
	switch v := v.(type) {
	case string:
		t.add(&leaf{text: v, names: names})
	case json.Number:
		t.add(&leaf{text: v.String(), number: true})
	case []any:
		t.list(v, names, heads)
	case map[string]any:
		heads := headsOf(v)
		for _, key := range slices.Sorted(maps.Keys(v)) {
			t.keys = append(t.keys, &leaf{text: key})
			t.leaves = append(t.leaves, t.keys[len(t.keys)-1])
			t.collect(v[key], names.forMember(v, key), heads)
		}
	}
}

// list gathers the texts of a list, which may be a row, a pair, or rows below their heads.
func (t *tree) list(v []any, names namesOf, heads [][]string) {
	rows := slices.ContainsFunc(v, func(e any) bool { _, ok := e.([]any); return ok })
	for i, e := range v {
		if rows {
			t.collect(e, names, heads)
		} else {
			t.collect(e, names.forElement(v, i, heads), heads)
		}
		if first := asHeads(v[0]); i == 0 && rows && first != nil {
			heads = append(heads[:len(heads):len(heads)], first)
		}
	}
}

func (t *tree) add(l *leaf) {
	t.values = append(t.values, l)
	t.leaves = append(t.leaves, l)
}

// joints are the orders in which the leaves make sense besides the one they are in.
func (t *tree) joints() [][]part {
	if len(t.keys) == 0 || len(t.leaves) < 3 {
		return nil
	}
	return [][]part{partsOf(t.values), partsOf(t.keys)}
}

// encode returns the masked JSON: compact, with sorted keys; of equal keys the last counts; numbers
// stay as they are written.
//
// A number whose digits hold a secret of 8 characters or more becomes a masked string. Where
// masking makes two keys of an object equal, all but one get " (2)", " (3)" … appended, in the
// order of the keys as they were; keys without a secret keep their names.
func (t *tree) encode(m *machine, hits *tally) (Clean, error) {
	w := walker{machine: m, leaves: t.leaves, tally: hits}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(w.value(t.value)); err != nil {
		return Clean{}, fmt.Errorf("%w: it can't be encoded again", ErrJSON)
	}
	return Clean{strings.TrimSuffix(out.String(), "\n")}, nil
}

// walker rebuilds decoded JSON from its leaves, which it takes in the order in which they were
// collected.
type walker struct {
	machine *machine
	leaves  []*leaf
	tally   *tally
}

// next returns the next leaf as it is to be shown, and whether something in it is masked.
func (w *walker) next() (string, bool) {
	l := w.leaves[0]
	w.leaves = w.leaves[1:]
	return w.machine.render(l.text, l.regions, w.tally), len(l.regions) > 0
}

func (w *walker) value(v any) any {
	switch v := v.(type) {
	case string:
		masked, _ := w.next()
		return masked
	case json.Number:
		if masked, hit := w.next(); hit {
			return masked
		}
	case []any:
		for i := range v {
			v[i] = w.value(v[i])
		}
	case map[string]any:
		return w.object(v)
	}
	return v
}

func (w *walker) object(in map[string]any) map[string]any {
	type entry struct {
		name  string
		value any
	}
	out := make(map[string]any, len(in))
	var masked []entry // in the order of their keys
	for _, key := range slices.Sorted(maps.Keys(in)) {
		name, hit := w.next()
		value := w.value(in[key])
		if hit {
			masked = append(masked, entry{name, value})
			continue
		}
		out[key] = value
	}
	count := map[string]int{}
	for _, e := range masked {
		name := e.name
		for _, taken := out[name]; taken; _, taken = out[name] {
			count[e.name] = max(count[e.name], 1) + 1
			name = fmt.Sprintf("%s (%d)", e.name, count[e.name])
		}
		out[name] = e.value
	}
	return out
}
