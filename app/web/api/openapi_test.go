package api

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/computclaw/airlock/app/apidocs"
)

func TestOpenAPIRefersOnlyToWhatItHas(t *testing.T) {
	text, err := OpenAPI("1", "https://a.example")
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
	for _, op := range apidocs.Operations() {
		if _, ok := doc.Paths[op.Path][strings.ToLower(op.Method)]; !ok {
			t.Errorf("%s %s is missing", op.Method, op.Path)
		}
	}
}
