package jsontext

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// writer writes a document as compact text.
type writer struct {
	from   *Document
	to     []node // with where the nodes stand in out; nil: nobody asks
	sorted bool
	out    strings.Builder
}

// Sort returns JSON with the keys of its objects sorted, for comparisons. Errors: ErrInvalid.
func Sort(data []byte) (string, error) {
	d, err := Parse(data)
	if err != nil {
		return "", err
	}
	w := writer{from: d, sorted: true}
	w.value(d.Root())
	return w.out.String(), nil
}

func (w *writer) value(n Node) {
	start := w.out.Len()
	switch w.from.Kind(n) {
	case Array:
		w.out.WriteByte('[')
		for e := range w.from.Inside(n) {
			w.comma(start)
			w.value(e)
		}
		w.out.WriteByte(']')
	case Object:
		w.object(n, start)
	default:
		w.out.WriteString(compact(w.from.text[w.from.nodes[n].start:w.from.nodes[n].end]))
	}
	w.stands(n, start)
}

func (w *writer) object(n Node, start int) {
	w.out.WriteByte('{')
	for _, key := range w.keys(n) {
		w.comma(start)
		at := w.out.Len()
		w.out.WriteString(compact(w.from.text[w.from.nodes[key].start:w.from.nodes[key].end]))
		w.stands(key, at)
		w.out.WriteByte(':')
		w.value(w.from.Value(key))
	}
	w.out.WriteByte('}')
}

func (w *writer) keys(object Node) []Node {
	keys := slices.Collect(w.from.Inside(object))
	if w.sorted {
		slices.SortFunc(keys, func(a, b Node) int { return strings.Compare(w.from.String(a), w.from.String(b)) })
	}
	return keys
}

// comma writes a comma unless it would follow the bracket at start.
func (w *writer) comma(start int) {
	if w.out.Len() > start+1 {
		w.out.WriteByte(',')
	}
}

// stands notes where a node was written.
func (w *writer) stands(n Node, start int) {
	if w.to != nil {
		w.to[n].start, w.to[n].end = int32(start), int32(w.out.Len())
	}
}

// compact returns a string with the fewest escapes, and others as they are.
func compact(written string) string {
	if written[0] != '"' || strings.IndexByte(written, '\\') < 0 && !strings.Contains(written, "\u2028") &&
		!strings.Contains(written, "\u2029") {
		return written
	}
	return Quote(decode(written))
}

// Quote returns a text as a JSON string with the fewest escapes.
func Quote(text string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(text) // a string can always be encoded
	return strings.TrimSuffix(b.String(), "\n")
}
