package bundle

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/computclaw/airlock/app"
)

// Limits of an input schema and of its inputs. Each part, with references expanded, may be compared
// with each value.
const (
	maxSchema      = 64 << 10 // bytes
	maxSchemaParts = 2000
	maxSchemaDepth = 100       // compiling takes time in proportion to its square
	maxComparisons = 1_000_000 // each that fails takes 300 bytes until all are done
)

// Schema checks the inputs of a run. Safe for concurrent use.
type Schema struct {
	compiled *jsonschema.Schema
	parts    int
}

// CompileSchema reads a JSON Schema, of draft 2020-12 unless it names another. It must refer
// neither outside nor to itself in a circle.
func CompileSchema(text string) (Schema, error) {
	if len(text) > maxSchema {
		return Schema{}, fmt.Errorf("it has %s, more than %s", app.FormatSize(int64(len(text))), app.FormatSize(maxSchema))
	}
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return Schema{}, fmt.Errorf("it is not valid JSON: %w", err)
	}
	root, isObject := document.(map[string]any)
	if !isObject {
		return Schema{}, errors.New("it is not a JSON object")
	}
	x := expander{root: root}
	whole := maps.Clone(root)
	for _, folder := range definitions {
		delete(whole, folder) // counted where they are used
	}
	expanded, err := x.expand(whole, nil)
	if err != nil {
		return Schema{}, err
	}
	const name = "airlock:input-schema"
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(jsonschema.SchemeURLLoader{}) // loads nothing
	compiler.AssertFormat()
	if err := compiler.AddResource(name, expanded); err != nil {
		return Schema{}, err
	}
	compiled, err := compiler.Compile(name)
	if err != nil {
		return Schema{}, explainSchema(err)
	}
	return Schema{compiled, x.parts}, nil
}

// explainSchema tells where a document is no schema.
func explainSchema(err error) error {
	var invalid *jsonschema.SchemaValidationError
	var cause *jsonschema.ValidationError
	if errors.As(err, &invalid) && errors.As(invalid.Err, &cause) {
		at, what := firstCause(cause)
		return fmt.Errorf("%s: %s", at, what)
	}
	return errors.New(strings.ReplaceAll(err.Error(), "airlock:input-schema", ""))
}

// definitions are the names under which a schema keeps what it refers to.
var definitions = []string{"$defs", "definitions"}

// expander writes out the references of a schema. It refuses those that lead outside or in a
// circle, and large results.
type expander struct {
	root  map[string]any
	parts int
	depth int // of the part that is being expanded
}

// expand returns a part with its references written out. open are the references that lead to it.
func (x *expander) expand(part any, open []string) (any, error) {
	if x.depth++; x.depth > maxSchemaDepth {
		return nil, fmt.Errorf("it is nested more than %d deep, with its references written out", maxSchemaDepth)
	}
	defer func() { x.depth-- }()
	if err := x.count(1); err != nil {
		return nil, err
	}
	switch part := part.(type) {
	case json.Number:
		if digits(part) > maxDigits {
			return nil, fmt.Errorf("it has a number of more than %d digits", maxDigits)
		}
	case []any:
		out := make([]any, len(part))
		for i, item := range part {
			var err error
			if out[i], err = x.expand(item, open); err != nil {
				return nil, err
			}
		}
		return out, nil
	case map[string]any:
		return x.object(part, open)
	}
	return part, nil
}

func (x *expander) count(parts int) error {
	if x.parts += parts; x.parts > maxSchemaParts {
		return fmt.Errorf("it has more than %d parts, with its references written out", maxSchemaParts)
	}
	return nil
}

func (x *expander) object(part map[string]any, open []string) (any, error) {
	out := make(map[string]any, len(part))
	var target any
	for name, value := range part {
		to, isText := value.(string)
		var err error
		switch {
		case isText && (name == "$dynamicRef" || name == "$recursiveRef"):
			err = fmt.Errorf("it uses %s", name)
		case isText && name == "$ref":
			target, err = x.refer(to, open)
		case isText && name == "format" && to == "regex":
			err = errors.New("it uses the format regex")
		default:
			if err = x.patterns(name, value); err == nil {
				out[name], err = x.expand(value, open)
			}
		}
		if err != nil {
			return nil, err
		}
	}
	switch all, isList := out["allOf"].([]any); {
	case target == nil:
	case len(out) == 0:
		return target, nil
	case isList || out["allOf"] == nil:
		out["allOf"] = append(all, target)
	}
	return out, nil
}

func (x *expander) refer(to string, open []string) (any, error) {
	target, err := resolve(x.root, to)
	if err != nil {
		return nil, err
	}
	if slices.Contains(open, to) {
		return nil, fmt.Errorf("the reference %s leads back to itself", app.Clip(to, 100))
	}
	return x.expand(target, append(slices.Clip(open), to))
}

func resolve(root map[string]any, to string) (any, error) {
	folder, name, ok := strings.Cut(strings.TrimPrefix(to, "#/"), "/")
	kept, _ := root[folder].(map[string]any)
	if target, found := kept[name]; ok && found && strings.HasPrefix(to, "#/") && slices.Contains(definitions, folder) {
		return target, nil
	}
	return nil, fmt.Errorf("the reference %s is not one to #/$defs", app.VisibleText(app.Clip(to, 100)))
}

// Check compares inputs with the schema. A mismatch is an app.Error about the field "inputs" that
// names the first wrong place, such as inputs.rows[3].amount. CodeTooLarge for inputs that would
// take long.
func (s Schema) Check(inputs []byte) error {
	if s.compiled == nil {
		return nil
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(inputs))
	if err != nil {
		return app.Invalid("inputs", "The inputs are not valid JSON.", "Send a JSON object.")
	}
	if s.parts*weigh(value) > maxComparisons {
		e := app.E(app.CodeTooLarge,
			"inputs has too many values, or too long ones, to be compared with the skill's input_schema",
			"Nothing ran. Send what is large as a file, with POST /files.")
		e.Field = "inputs"
		return e
	}
	var mismatch *jsonschema.ValidationError
	if err := s.compiled.Validate(value); !errors.As(err, &mismatch) {
		return err
	}
	at, what := firstCause(mismatch)
	return app.Invalid("inputs"+at, fmt.Sprintf("inputs%s: %s.", at, what),
		"Nothing ran. The skill's input_schema says what it takes.")
}

// firstCause is the first leaf of a mismatch: where in the value, and what is wrong there.
func firstCause(mismatch *jsonschema.ValidationError) (at, what string) {
	for len(mismatch.Causes) > 0 {
		mismatch = mismatch.Causes[0]
	}
	for _, part := range mismatch.InstanceLocation {
		if strings.Trim(part, "0123456789") == "" && part != "" {
			at += "[" + part + "]"
		} else {
			at += "." + app.VisibleText(app.Clip(part, 100))
		}
	}
	what = mismatch.ErrorKind.LocalizedString(message.NewPrinter(language.English))
	return at, app.VisibleText(app.Clip(what, 300))
}

// syntaxLine returns the line where a text stops being JSON, or 0 if all of it is JSON.
func syntaxLine(text []byte) int {
	var wrong *json.SyntaxError
	if !errors.As(json.Unmarshal(text, new(any)), &wrong) {
		return 0
	}
	return 1 + bytes.Count(text[:wrong.Offset], []byte("\n"))
}

// inputSchema reads airlock.input-schema: JSON, or the path of a JSON file in the bundle.
func (r *manifestReader) inputSchema(b *Bundle) string {
	const hint = "Write a JSON Schema that refers to nothing outside of itself."
	f := r.fields[ownPrefix+"input-schema"]
	text := strings.TrimSpace(f.text)
	if text == "" {
		return ""
	}
	place := Problem{File: SkillFile, Line: f.line}
	if !strings.HasPrefix(text, "{") {
		content, ok := b.File(text)
		if !ok {
			r.bad(f, "Write the JSON itself, or the path of a file in the bundle.", "The bundle has no file %s.",
				app.VisibleText(app.Clip(text, 100)))
			return ""
		}
		place, text = Problem{File: text, Line: syntaxLine(content)}, string(content)
	}
	if _, err := CompileSchema(text); err != nil {
		place.Message, place.Hint = fmt.Sprintf("The input schema can't be used: %v.", err), hint
		r.problems = append(r.problems, place)
		return ""
	}
	var compact bytes.Buffer
	if json.Compact(&compact, []byte(text)) != nil {
		return text
	}
	return compact.String()
}
