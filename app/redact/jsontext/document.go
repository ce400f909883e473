package jsontext

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"unicode/utf8"
)

// MaxDepth is how deeply arrays and objects may be nested.
const MaxDepth = 200

// ErrInvalid is wrapped by every error of this package. The texts hold nothing of the data.
var ErrInvalid = errors.New("jsontext: not one valid JSON value")

// Kind is the kind of a value.
type Kind uint8

// The kinds. A Key is followed by the value under it.
const (
	Word Kind = iota // true, false, null
	Number
	String
	Key
	Array
	Object
)

// Node is a value or a key of a Document, by its number.
type Node int32

const none Node = -1

// node is where a value stands, the next one beside it, and the first one in it or under it.
type node struct {
	start, end int32
	next       Node
	inner      Node
	kind       Kind
}

// Document is one JSON value: compact, with numbers as they were written. Of equal keys the last
// value counts, at the first one's place.
type Document struct {
	text  string
	nodes []node
}

// Check returns the error that Parse would return.
func Check(data []byte) error {
	if !utf8.Valid(data) {
		return fmt.Errorf("%w: it is not UTF-8", ErrInvalid)
	}
	if deepest, _ := measure(data); deepest > MaxDepth {
		return fmt.Errorf("%w: it is nested more than %d deep", ErrInvalid, MaxDepth)
	}
	var syntax *json.SyntaxError
	if err := json.Unmarshal(data, &skipped{}); errors.As(err, &syntax) {
		return fmt.Errorf("%w: it is malformed at byte %d", ErrInvalid, syntax.Offset)
	} else if err != nil {
		return ErrInvalid
	}
	return nil
}

// skipped is any JSON value.
type skipped struct{}

func (*skipped) UnmarshalJSON([]byte) error { return nil }

// measure returns the deepest nesting and the most nodes, without regard to whether the data is well
// formed.
func measure(data []byte) (deepest, nodes int) {
	now, quoted := 0, false
	nodes = 1
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			now++
			nodes++
			deepest = max(deepest, now)
		case c == ']' || c == '}':
			now--
		case c == ',' || c == ':':
			nodes++
		}
	}
	return deepest, nodes
}

// Parse reads one JSON value. Errors: ErrInvalid.
func Parse(data []byte) (*Document, error) {
	if err := Check(data); err != nil {
		return nil, err
	}
	_, nodes := measure(data)
	p := parser{text: string(data), nodes: make([]node, 0, nodes)}
	p.value(0)
	given := Document{text: p.text, nodes: p.nodes}
	w := writer{from: &given, to: p.nodes} // a node's place is not read after it was written
	w.out.Grow(len(data))
	w.value(given.Root())
	return &Document{text: w.out.String(), nodes: w.to}, nil
}

// Text returns the compact text.
func (d *Document) Text() string { return d.text }

// Root returns the outermost value.
func (d *Document) Root() Node { return 0 }

// Kind returns the kind of a node.
func (d *Document) Kind(n Node) Kind { return d.nodes[n].kind }

// Span returns where a node stands in the text. That of a key is without its value.
func (d *Document) Span(n Node) (start, end int) { return int(d.nodes[n].start), int(d.nodes[n].end) }

// Value returns the value under a key.
func (d *Document) Value(key Node) Node { return d.nodes[key].inner }

// Inside returns the values of an array or the keys of an object, in their order.
func (d *Document) Inside(n Node) iter.Seq[Node] {
	return func(yield func(Node) bool) {
		if d.nodes[n].kind < Array {
			return
		}
		for at := d.nodes[n].inner; at != none && yield(at); at = d.nodes[at].next {
		}
	}
}

// String returns the text of a string or key, and others as they are written.
func (d *Document) String(n Node) string {
	written := d.text[d.nodes[n].start:d.nodes[n].end]
	if written[0] != '"' {
		return written
	}
	return decode(written)
}

func decode(quoted string) (text string) {
	if strings.IndexByte(quoted, '\\') < 0 {
		return quoted[1 : len(quoted)-1]
	}
	_ = json.Unmarshal([]byte(quoted), &text)
	return text
}
