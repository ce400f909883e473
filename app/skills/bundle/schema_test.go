package bundle_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/skills/bundle"
)

func TestInputsAreCheckedWithTheirPlace(t *testing.T) {
	schema, err := bundle.CompileSchema(`{"type": "object", "required": ["rows"], "additionalProperties": false,
		"properties": {"rows": {"type": "array", "items": {"$ref": "#/$defs/row"}}},
		"$defs": {"row": {"type": "object", "properties": {"amount": {"type": "number", "minimum": 0}}}}}`)
	if err != nil {
		t.Fatal(err)
	}
	for inputs, want := range map[string]string{
		`{"rows": [{"amount": 1}, {}]}`:   "",
		`{"rows": [{}, {"amount": "1"}]}`: "inputs.rows[1].amount: got string, want number.",
		`{"rows": [{"amount": -1}]}`:      "inputs.rows[0].amount: minimum: got -1, want 0.",
		`{}`:                              "inputs: missing property 'rows'.",
		`[]`:                              "inputs: got array, want object.",
		`{"rows": [], "x": 1}`:            "inputs: additional properties 'x' not allowed.",
		`{"rows": [{"amount": 12345678901234567890123}]}`: "",
		`{`: "The inputs are not valid JSON.",
	} {
		err := schema.Check([]byte(inputs))
		var told *app.Error
		if errors.As(err, &told) != (want != "") || told != nil && told.Message != want {
			t.Errorf("%s: %v, want %q", inputs, err, want)
		}
	}
}

// A schema can't make the server work for long: each reference counts as what it refers to.
func TestSchemasThatGrowAreRefused(t *testing.T) {
	doubling := `{"$ref": "#/$defs/a0", "$defs": {`
	for i := range 30 {
		doubling += fmt.Sprintf(`"a%d": {"allOf": [{"$ref": "#/$defs/a%d"}, {"$ref": "#/$defs/a%d"}]},`, i, i+1, i+1)
	}
	doubling += `"a30": {}}}`
	for text, want := range map[string]string{
		doubling: "it has more than",
		`{"$ref": "#/$defs/a", "$defs": {"a": {"not": {"$ref": "#/$defs/a"}}}}`: "the reference #/$defs/a leads back",
		`{"items": {"$ref": "#"}}`:               "the reference # is not one to #/$defs",
		`{"$ref": "file:///etc/passwd"}`:         "the reference file:///etc/passwd is not one",
		`{"$dynamicRef": "#a"}`:                  "it uses $dynamicRef",
		`{"$schema": "https://example.com/own"}`: "",
		`[]`:                                     "it is not a JSON object",
		`{"pattern": "("}`:                       "",
		strings.Repeat(" ", 65<<10) + "{}":       "it has 66562 bytes",
	} {
		if _, err := bundle.CompileSchema(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v, want %q", text, err, want)
		}
	}
}
