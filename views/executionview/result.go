package executionview

import (
	"bytes"
	"encoding/json"

	"github.com/computclaw/airlock/app/redact/jsontext"
)

// Indent indents JSON and returns other text unchanged.
func Indent(data json.RawMessage) string {
	var buf bytes.Buffer
	if err := json.Indent(&buf, data, "", "  "); err != nil {
		return string(data)
	}
	return buf.String()
}

// IndentSorted is Indent with sorted keys, for comparisons.
func IndentSorted(data json.RawMessage) string {
	sorted, err := jsontext.Sort(data)
	if err != nil {
		return string(data)
	}
	return Indent(json.RawMessage(sorted))
}
