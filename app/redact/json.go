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

// ErrJSON is wrapped by every error of JSON. The texts hold nothing of the data.
var ErrJSON = errors.New("redact: not one valid JSON value")

// MaxDepth is how deeply arrays and objects may be nested.
const MaxDepth = 200

// JSON masks the secrets in the strings and keys of one JSON value, keeping its shape, and reports how many places were masked.
// The answer is compact JSON with sorted keys; of equal keys the last counts; numbers stay as they are written.
//
// A number whose digits hold a secret of 8 characters or more becomes a masked string. Where masking makes two keys of an
// object equal, all but one get " (2)", " (3)" … appended, in the order of the keys as they were; keys without a secret keep
// their names.
//
// Errors wrap ErrJSON: the data is not one valid JSON value in UTF-8, or is nested more than MaxDepth deep.
func (r *Redactor) JSON(data json.RawMessage) (Clean, int, error) {
	value, err := decode(data)
	if err != nil {
		return Clean{}, 0, err
	}
	w := walker{machine: r.machine}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(w.value(value)); err != nil {
		return Clean{}, 0, fmt.Errorf("%w: it can't be encoded again", ErrJSON)
	}
	return Clean{strings.TrimSuffix(out.String(), "\n")}, w.hits, nil
}

func decode(data []byte) (any, error) {
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

// walker masks decoded JSON.
type walker struct {
	machine *machine
	hits    int
}

func (w *walker) value(v any) any {
	switch v := v.(type) {
	case string:
		masked, hits := w.machine.mask(v, true)
		w.hits += hits
		return masked
	case json.Number:
		masked, hits := w.machine.mask(v.String(), false)
		w.hits += hits
		if hits > 0 {
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
	out := make(map[string]any, len(in))
	masked := map[string]string{} // new names, for keys that hold a secret
	for _, key := range slices.Sorted(maps.Keys(in)) {
		name, hits := w.machine.mask(key, true)
		w.hits += hits
		if hits > 0 {
			masked[key] = name
			continue
		}
		out[key] = w.value(in[key])
	}
	count := map[string]int{}
	for _, key := range slices.Sorted(maps.Keys(masked)) {
		name := masked[key]
		for _, taken := out[name]; taken; _, taken = out[name] {
			count[masked[key]] = max(count[masked[key]], 1) + 1
			name = fmt.Sprintf("%s (%d)", masked[key], count[masked[key]])
		}
		out[name] = w.value(in[key])
	}
	return out
}

// mask returns a whole text with its secrets masked. Without words, values that count only as words are let through.
func (m *machine) mask(text string, words bool) (string, int) {
	s := Stream{scan: scan{machine: m, letWords: !words}, buf: []byte(text)}
	s.scan.take(s.buf, 0, 0)
	if len(s.regions) == 0 && !s.open && utf8.ValidString(text) {
		return text, 0
	}
	return s.finish(), s.hits
}
