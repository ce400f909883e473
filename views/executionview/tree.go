package executionview

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/computclaw/airlock/views/format"
)

// node is one value of a JSON tree.
type node struct {
	key      string // in its object, or index in its list
	listed   bool   // key is an index
	kind     string // object, array, string, number, boolean, null
	value    string // of a leaf
	children []node
	more     int // children that are left out
}

// Bounds of a tree. Larger values show as raw text.
const (
	treeNodes = 1500
	treeDepth = 24
	treeWide  = 200 // children shown of one value
	openDepth = 2   // levels that begin open
)

// treeOf parses JSON into a tree with ordered keys. ok is false for other text and large values.
func treeOf(data json.RawMessage) (root node, ok bool) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	left := treeNodes
	root, err := readNode(d, treeDepth, &left)
	return root, err == nil && left > 0
}

func readNode(d *json.Decoder, depth int, left *int) (n node, err error) {
	*left--
	token, err := d.Token()
	if err != nil {
		return n, err
	}
	if depth == 0 || *left <= 0 {
		*left = 0
		return n, errTooLarge
	}
	switch v := token.(type) {
	case json.Delim:
		return readMany(d, v, depth, left)
	case string:
		return node{kind: "string", value: v}, nil
	case json.Number:
		return node{kind: "number", value: v.String()}, nil
	case bool:
		return node{kind: "boolean", value: strconv.FormatBool(v)}, nil
	}
	return node{kind: "null", value: "null"}, nil
}

func readMany(d *json.Decoder, open json.Delim, depth int, left *int) (n node, err error) {
	n.kind = "object"
	if open == '[' {
		n.kind = "array"
	}
	for i := 0; d.More(); i++ {
		key := strconv.Itoa(i)
		if n.kind == "object" {
			token, err := d.Token()
			if err != nil {
				return n, err
			}
			key, _ = token.(string)
		}
		if i >= treeWide {
			var skipped json.RawMessage
			if err := d.Decode(&skipped); err != nil {
				return n, err
			}
			n.more++
			continue
		}
		child, err := readNode(d, depth-1, left)
		if err != nil {
			return n, err
		}
		child.key, child.listed = key, n.kind == "array"
		n.children = append(n.children, child)
	}
	_, err = d.Token() // the closing bracket
	return n, err
}

type treeError string

func (e treeError) Error() string { return string(e) }

const errTooLarge = treeError("executionview: the value is too large for a tree")

// summary says what a folded value holds.
func (n node) summary() string {
	count := int64(len(n.children) + n.more)
	if n.kind == "array" {
		return format.Count(count, "item")
	}
	return format.Count(count, "field")
}
