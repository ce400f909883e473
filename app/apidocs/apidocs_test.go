package apidocs

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestOpenAPIRefersOnlyToWhatItHas(t *testing.T) {
	text, err := OpenAPI("1", "https://a.example", nil)
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Paths      map[string]map[string]json.RawMessage
		Components struct{ Schemas map[string]json.RawMessage }
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	for ref := range strings.SplitSeq(string(text), `"#/components/schemas/`) {
		name, _, _ := strings.Cut(ref, `"`)
		if name != "{\n  " && len(name) < 40 && !strings.Contains(name, "{") {
			if _, ok := doc.Components.Schemas[name]; !ok {
				t.Errorf("no schema %q", name)
			}
		}
	}
	for _, op := range Operations() {
		if _, ok := doc.Paths[op.Path][strings.ToLower(op.Method)]; !ok {
			t.Errorf("%s %s is missing", op.Method, op.Path)
		}
	}
}

func TestExamplesAreValidJSON(t *testing.T) {
	for _, op := range Operations() {
		if op.Request != "" && !json.Valid([]byte(op.Request)) {
			t.Errorf("%s: the request example is not JSON: %s", op.ID, op.Request)
		}
		if op.Response != "" && !json.Valid([]byte(strings.ReplaceAll(op.Response, ", …}", "}"))) {
			t.Errorf("%s: the response example is not JSON: %s", op.ID, op.Response)
		}
	}
}
