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

// TestHoleSchemasOfAnyCost: references below a property $defs, or in a part with its own $id, were
// not counted. One comparison then took any time.
func TestHoleSchemasOfAnyCost(t *testing.T) {
	doubling := `"b0": {"type": "integer"}`
	for i := range 30 {
		doubling += fmt.Sprintf(`,"b%d": {"allOf": [{"$ref": "#/$defs/b%d"}, {"$ref": "#/$defs/b%d"}]}`, i+1, i, i)
	}
	for _, text := range []string{
		`{"properties": {"$defs": {"$ref": "#/$defs/b30"}}, "$defs": {` + doubling + `}}`,
		`{"properties": {"definitions": {"$ref": "#/$defs/b30"}}, "$defs": {` + doubling + `}}`,
	} {
		if _, err := bundle.CompileSchema(text); err == nil || !strings.Contains(err.Error(), "more than 2000 parts") {
			t.Errorf("%.50s: %v", text, err)
		}
	}
	schema, err := bundle.CompileSchema(`{"$ref": "#/$defs/x", "$defs": {"b30": {"type": "object"}, ` +
		`"x": {"$id": "https://x.test/x", "title": "x", "$ref": "#/$defs/b30", "$defs": {"b30": {"type": "integer"}}}}}`)
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Check([]byte(`{}`)); err != nil { // by the b30 that is counted
		t.Errorf("a reference in a part with an $id: %v", err)
	}
}

// TestHoleManyValuesManyParts: the parts of a schema are multiplied by the values of the inputs.
func TestHoleManyValuesManyParts(t *testing.T) {
	ones, text := "["+strings.Repeat("1,", 100_000)+"1]", `"`+strings.Repeat("x", 1<<20)+`"`
	for schema, inputs := range map[string]string{
		`{"items": {"allOf": [` + strings.Repeat("true,", 1900) + `true]}}`:              ones,
		`{"allOf": [` + strings.Repeat(`{"contains": false},`, 600) + `true]}`:           ones,
		`{"allOf": [` + strings.Repeat(`{"pattern": "(x+x+)+y"},`, 400) + `true]}`:       text,
		`{"allOf": [` + strings.Repeat(`{"patternProperties": {"": {}}},`, 500) + `{}]}`: `{` + text + `: 1}`,
	} {
		compiled, err := bundle.CompileSchema(schema)
		if err != nil {
			t.Fatalf("%.50s: %v", schema, err)
		}
		if err := compiled.Check([]byte(inputs)); app.CodeOf(err) != app.CodeTooLarge {
			t.Errorf("%.50s: %v", schema, err)
		}
	}
	rows, err := bundle.CompileSchema(`{"type": "array", "items": {"type": "object", "required": ["id", "price"], "properties": ` +
		`{"id": {"type": "integer"}, "price": {"type": "number", "minimum": 0}, "name": {"type": "string"}}}}`)
	if err != nil {
		t.Fatal(err)
	}
	if err := rows.Check([]byte("[" + strings.Repeat(`{"id": 1, "price": 2.5, "name": "x"},`, 6_000) + `{"id": 1, "price": 2}]`)); err != nil {
		t.Errorf("6,000 rows, as people have them: %v", err)
	}
}

// TestHolePatternsOfAnyCost: a regular expression counted as one part. A bundle of 1 KiB could cost
// an hour or 3 GiB of memory.
func TestHolePatternsOfAnyCost(t *testing.T) {
	for text, want := range map[string]string{
		`{"pattern": "^(` + strings.Repeat("(.?){500}", 90) + `)y$"}`:               "more than 2000 parts",
		`{"patternProperties": {"` + strings.Repeat("x{1000}", 100) + `": {}}}`:     "more than 2000 parts",
		`{"pattern": "` + strings.Repeat(`\\pL`, 100) + `"}`:                        "more than 2000 parts",
		`{"properties": {"a": {"pattern": "` + strings.Repeat("x", 1001) + `"}}}`:   "a pattern of more than 1000 bytes",
		`{"properties": {"a": {"type": "string", "format": "regex"}}}`:              "it uses the format regex",
		`{"allOf": [` + strings.Repeat(`{"pattern": "x{1000}"},`, 10) + `{"a":1}]}`: "more than 2000 parts",
	} {
		if _, err := bundle.CompileSchema(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.50s: %v, want %q", text, err, want)
		}
	}
	schema, err := bundle.CompileSchema(`{"properties": {"iban": {"pattern": "^[A-Z]{2}[0-9]{2}[A-Z0-9]{1,30}$"},
		"pattern": {"type": "string"}, "format": {"enum": ["csv", "regex"]}, "text": {"pattern": "^.{1,1000}$"}}}`)
	if err != nil {
		t.Fatalf("patterns as people have them: %v", err)
	}
	if err := schema.Check([]byte(`{"iban": "DE02100500000054540402", "pattern": "x", "format": "regex"}`)); err != nil {
		t.Error(err)
	}
	if err := schema.Check([]byte(`{"text": "` + strings.Repeat("x", 1<<20) + `"}`)); app.CodeOf(err) != app.CodeTooLarge {
		t.Errorf("a text of 1 MiB with a pattern of 1,000 steps: %v", err)
	}
}

// TestHoleSchemasOfAnyDepth: a deeply nested schema of 13 KiB took half a minute at every read.
func TestHoleSchemasOfAnyDepth(t *testing.T) {
	chain := `{"$ref": "#/$defs/a0", "$defs": {`
	for i := range 200 {
		chain += fmt.Sprintf(`"a%d": {"not": {"$ref": "#/$defs/a%d"}},`, i, i+1)
	}
	deep := func(n int) string { return strings.Repeat(`{"not":`, n) + "{}" + strings.Repeat("}", n) }
	for _, text := range []string{deep(1900), deep(100), chain + `"a200": {}}}`} {
		if _, err := bundle.CompileSchema(text); err == nil || !strings.Contains(err.Error(), "nested more than 100 deep") {
			t.Errorf("%.50s: %v", text, err)
		}
	}
	if _, err := bundle.CompileSchema(deep(99)); err != nil {
		t.Error(err)
	}
}

func TestHoleNumbersOfAnyLength(t *testing.T) {
	schema, err := bundle.CompileSchema(`{"items": {"type": "number", "minimum": 1, "maximum": 1e300}}`)
	if err != nil {
		t.Fatal(err)
	}
	for _, number := range []string{"1e9999999", "1e-9999999", "1E+99999999999999999999", "1e-99999999999999999999",
		"1e999999", strings.Repeat("9", 1001)} {
		if err := schema.Check([]byte("[" + number + "]")); app.CodeOf(err) != app.CodeTooLarge {
			t.Errorf("%.30s: %v", number, err)
		}
		if _, err := bundle.CompileSchema(`{"multipleOf": ` + number + `}`); err == nil ||
			!strings.Contains(err.Error(), "a number of more than 1000 digits") {
			t.Errorf("%.30s in a schema: %v", number, err)
		}
	}
	if err := schema.Check([]byte("[1e300, 2.50, 9007199254740993, 3.14159]")); err != nil {
		t.Error(err)
	}
}
