package fields

import (
	"encoding/base64"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxBrackets bounds how deep a text may be: parsers take the square of that.
const maxBrackets = 1000

// yaml reads YAML, for what assignments can't know: lists, blocks, escapes. Most texts with names are
// no YAML.
func (r *reader) yaml(text string, depth int) {
	if strings.Count(text, "{")+strings.Count(text, "[") > maxBrackets {
		return
	}
	if !strings.Contains(text, ": ") && !strings.Contains(text, ":\n") && !strings.HasPrefix(text, "{") {
		return
	}
	dec := yaml.NewDecoder(strings.NewReader(text))
	for doc := (yaml.Node{}); dec.Decode(&doc) == nil; doc = (yaml.Node{}) {
		if v := valueOf(&doc); doc.Content[0].Kind != yaml.ScalarNode {
			r.node("", v, depth)
		}
	}
}

// valueOf returns a part of YAML as JSON would have it, with numbers and dates as they are written.
// Anchored lists and maps are left out where they are repeated, or a text could become a long one.
func valueOf(n *yaml.Node) any {
	switch n.Kind {
	case yaml.DocumentNode:
		return valueOf(n.Content[0])
	case yaml.SequenceNode:
		list := make([]any, len(n.Content))
		for i, e := range n.Content {
			list[i] = valueOf(e)
		}
		return list
	case yaml.MappingNode:
		object := make(map[string]any, len(n.Content)/2)
		for i := 0; i+1 < len(n.Content); i += 2 {
			object[n.Content[i].Value] = valueOf(n.Content[i+1])
		}
		return object
	case yaml.AliasNode:
		if n.Alias.Kind == yaml.ScalarNode {
			return valueOf(n.Alias)
		}
	case yaml.ScalarNode:
		if raw, err := base64.StdEncoding.DecodeString(n.Value); err == nil && n.Tag == "!!binary" {
			return string(raw)
		}
		return n.Value
	}
	return nil
}
