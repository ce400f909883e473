package bundle

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/computclaw/airlock/app"
)

// Limits of an input schema. With its references written out it may have so many parts, since each
// is compared with each input.
const (
	maxSchema      = 64 << 10
	maxSchemaParts = 2000
)

// Schema checks the inputs of a run. Safe for concurrent use.
type Schema struct{ compiled *jsonschema.Schema }

// CompileSchema reads a JSON Schema, of draft 2020-12 unless it names another. It refers to nothing
// outside of itself, and not to itself in a circle.
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
	if err := checkReferences(root); err != nil {
		return Schema{}, err
	}
	const name = "airlock:input-schema"
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(jsonschema.SchemeURLLoader{}) // loads nothing
	compiler.AssertFormat()
	if err := compiler.AddResource(name, document); err != nil {
		return Schema{}, err
	}
	compiled, err := compiler.Compile(name)
	if err != nil {
		return Schema{}, explainSchema(err)
	}
	return Schema{compiled}, nil
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

// checkReferences refuses references that lead outside or in a circle, and schemas that become large
// when each reference is replaced by what it refers to.
func checkReferences(root map[string]any) error {
	parts := 0
	var visit func(node any, open []string) error
	visit = func(node any, open []string) error {
		if parts++; parts > maxSchemaParts {
			return fmt.Errorf("it has more than %d parts, with its references written out", maxSchemaParts)
		}
		switch node := node.(type) {
		case []any:
			for _, item := range node {
				if err := visit(item, open); err != nil {
					return err
				}
			}
		case map[string]any:
			for name, value := range node {
				to, isText := value.(string)
				if !isText || name != "$ref" {
					if (name == "$dynamicRef" || name == "$recursiveRef") && isText {
						return fmt.Errorf("it uses %s", name)
					}
					if name == "$defs" || name == "definitions" { // counted where they are used
						continue
					}
					if err := visit(value, open); err != nil {
						return err
					}
					continue
				}
				target, err := resolve(root, to)
				if err != nil {
					return err
				}
				for _, other := range open {
					if other == to {
						return fmt.Errorf("the reference %s leads back to itself", app.Clip(to, 100))
					}
				}
				if err := visit(target, append(open[:len(open):len(open)], to)); err != nil {
					return err
				}
			}
		}
		return nil
	}
	return visit(root, []string{"#"})
}

// resolve follows a reference to #/$defs/NAME or #/definitions/NAME.
func resolve(root map[string]any, to string) (any, error) {
	folder, name, ok := strings.Cut(strings.TrimPrefix(to, "#/"), "/")
	definitions, _ := root[folder].(map[string]any)
	if target, found := definitions[name]; ok && found && strings.HasPrefix(to, "#/") &&
		(folder == "$defs" || folder == "definitions") {
		return target, nil
	}
	return nil, fmt.Errorf("the reference %s is not one to #/$defs", app.VisibleText(app.Clip(to, 100)))
}

// Check compares inputs with the schema. A mismatch is an app.Error about the field "inputs" that
// tells the first place that is wrong, such as inputs.rows[3].amount.
func (s Schema) Check(inputs []byte) error {
	if s.compiled == nil {
		return nil
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(inputs))
	if err != nil {
		return app.Invalid("inputs", "The inputs are not valid JSON.", "Send a JSON object.")
	}
	var mismatch *jsonschema.ValidationError
	if err := s.compiled.Validate(value); !errors.As(err, &mismatch) {
		return err
	}
	at, what := firstCause(mismatch)
	told := app.Invalid("inputs"+at, fmt.Sprintf("inputs%s: %s.", at, what),
		"Nothing ran. The skill's input_schema says what it takes.")
	return told
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
		place, text = Problem{File: text}, string(content)
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
