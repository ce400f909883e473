package bundle

import (
	"encoding/json"
	"maps"
	"slices"
)

// ExampleInputs returns inputs for agents to start from: the schema's example or default, or else
// one value of each required kind. nil without a schema.
func (m Manifest) ExampleInputs() json.RawMessage {
	var schema any
	if m.InputSchema == "" || json.Unmarshal([]byte(m.InputSchema), &schema) != nil {
		return nil
	}
	example, err := json.Marshal(exampleOf(schema, 0))
	if err != nil {
		return nil
	}
	return example
}

const maxExampleDepth = 6

func exampleOf(schema any, depth int) any {
	s, ok := schema.(map[string]any)
	if !ok || depth > maxExampleDepth {
		return nil
	}
	for _, name := range []string{"examples", "enum"} {
		if list, ok := s[name].([]any); ok && len(list) > 0 {
			return list[0]
		}
	}
	for _, name := range []string{"const", "default"} {
		if value, ok := s[name]; ok {
			return value
		}
	}
	kind := s["type"]
	if list, ok := kind.([]any); ok && len(list) > 0 {
		kind = list[0]
	}
	switch kind {
	case "string":
		return "…"
	case "integer", "number":
		if least, ok := s["minimum"]; ok {
			return least
		}
		return 0
	case "boolean":
		return false
	case "array":
		return []any{exampleOf(s["items"], depth+1)}
	case "object":
		return exampleObject(s, depth)
	}
	return nil
}

// exampleObject has the properties that are required; all, if none is.
func exampleObject(s map[string]any, depth int) map[string]any {
	properties, _ := s["properties"].(map[string]any)
	names := slices.Collect(maps.Keys(properties))
	if required, ok := s["required"].([]any); ok && len(required) > 0 {
		names = slices.DeleteFunc(names, func(name string) bool { return !slices.Contains(required, any(name)) })
	}
	object := map[string]any{}
	for _, name := range names {
		object[name] = exampleOf(properties[name], depth+1)
	}
	return object
}
