package executionview

import (
	"bytes"
	"encoding/json"
)

// Indent is JSON with indentation, or the text as it is if it isn't JSON.
func Indent(data json.RawMessage) string {
	var buf bytes.Buffer
	if err := json.Indent(&buf, data, "", "  "); err != nil {
		return string(data)
	}
	return buf.String()
}
