package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/computclaw/airlock/app"
)

// fromJSON is implemented by inputs that may be written in more than one way.
type fromJSON interface {
	bindJSON(raw json.RawMessage, path string) error
}

// bindObject reads a JSON object into a struct whose fields are tagged `in:"name"` or `in:"name,required"`. raw is valid JSON. Names are matched
// exactly, unknown and repeated ones are refused, and null counts as absent. Fields may be strings, float64, bools, ints, json.RawMessage (any value),
// slices, structs, pointers to these, or fromJSON.
func bindObject(raw json.RawMessage, out reflect.Value, path string) error {
	fields := fieldsOf(out)
	seen := map[string]bool{}
	dec := json.NewDecoder(bytes.NewReader(raw))
	_, _ = dec.Token() // the opening brace
	for dec.More() {
		token, err := dec.Token()
		name, ok := token.(string)
		if err != nil || !ok {
			return app.E(app.CodeInvalidJSON, "the body is not valid JSON", "Send one JSON object.")
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return app.E(app.CodeInvalidJSON, "the body is not valid JSON", "Send one JSON object.")
		}
		here := join(path, name)
		field, known := fields[name]
		switch {
		case !known:
			return unknownField(here, name, fields)
		case seen[name]:
			return fieldError(app.CodeInvalidJSON, here, here+" is given twice", "Give each field once.")
		}
		seen[name] = true
		if string(value) == "null" {
			continue
		}
		field.given = true
		fields[name] = field
		if err := bindValue(value, field.value, here); err != nil {
			return err
		}
	}
	for _, name := range order(out) {
		if f := fields[name]; f.required && !f.given {
			return fieldError(app.CodeInvalidField, join(path, name), join(path, name)+" is missing", "Add it; GET /skill.md shows an example of every call.")
		}
	}
	return nil
}

type inputField struct {
	value    reflect.Value
	required bool
	given    bool
}

func fieldsOf(out reflect.Value) map[string]inputField {
	fields := map[string]inputField{}
	for i := range out.NumField() {
		name, option, _ := strings.Cut(out.Type().Field(i).Tag.Get("in"), ",")
		if name != "" {
			fields[name] = inputField{value: out.Field(i), required: option == "required"}
		}
	}
	return fields
}

func order(out reflect.Value) []string {
	var names []string
	for i := range out.NumField() {
		if name, _, _ := strings.Cut(out.Type().Field(i).Tag.Get("in"), ","); name != "" {
			names = append(names, name)
		}
	}
	return names
}

func bindValue(raw json.RawMessage, out reflect.Value, path string) error {
	if custom, ok := out.Addr().Interface().(fromJSON); ok {
		return custom.bindJSON(raw, path)
	}
	if out.Type() == reflect.TypeFor[json.RawMessage]() {
		out.SetBytes(bytes.Clone(raw))
		return nil
	}
	switch out.Kind() {
	case reflect.Pointer:
		out.Set(reflect.New(out.Type().Elem()))
		return bindValue(raw, out.Elem(), path)
	case reflect.String:
		return bindString(raw, out, path)
	case reflect.Float64, reflect.Int:
		return bindNumber(raw, out, path)
	case reflect.Bool:
		if kindOf(raw) != "a boolean" {
			return wrongType(path, "true or false", raw)
		}
		out.SetBool(raw[0] == 't')
		return nil
	case reflect.Slice:
		return bindSlice(raw, out, path)
	case reflect.Struct:
		if kindOf(raw) != "an object" {
			return wrongType(path, "an object", raw)
		}
		return bindObject(raw, out, path)
	}
	return fmt.Errorf("web: input field %s has the unsupported type %s", path, out.Type())
}

func bindString(raw json.RawMessage, out reflect.Value, path string) error {
	var text string
	if kindOf(raw) != "a string" || json.Unmarshal(raw, &text) != nil {
		return wrongType(path, "a string", raw)
	}
	if strings.ContainsRune(text, 0) {
		return fieldError(app.CodeInvalidField, path, path+" contains a NUL character", "Remove it.")
	}
	out.SetString(text)
	return nil
}

func bindNumber(raw json.RawMessage, out reflect.Value, path string) error {
	if kindOf(raw) != "a number" {
		return wrongType(path, "a number", raw)
	}
	if out.Kind() == reflect.Int {
		n, err := strconv.Atoi(string(raw))
		if err != nil {
			return fieldError(app.CodeInvalidField, path, path+" must be a whole number", "Write it without fraction or exponent.")
		}
		out.SetInt(int64(n))
		return nil
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil {
		return fieldError(app.CodeInvalidField, path, path+" is too large a number", "Use a smaller one.")
	}
	out.SetFloat(f)
	return nil
}

// maxItems bounds what a short body could blow up into.
const maxItems = 1000

func bindSlice(raw json.RawMessage, out reflect.Value, path string) error {
	var items []json.RawMessage
	if kindOf(raw) != "an array" || json.Unmarshal(raw, &items) != nil {
		return wrongType(path, "an array", raw)
	}
	if len(items) > maxItems {
		return fieldError(app.CodeInvalidField, path, fmt.Sprintf("%s has more than %d items", path, maxItems), "Send fewer.")
	}
	list := reflect.MakeSlice(out.Type(), len(items), len(items))
	for i, item := range items {
		here := fmt.Sprintf("%s[%d]", path, i)
		if string(item) == "null" {
			return wrongType(here, "a value", item)
		}
		if err := bindValue(item, list.Index(i), here); err != nil {
			return err
		}
	}
	out.Set(list)
	return nil
}

// otherNames are words that agents try for our fields and that are too far away to be guessed as typing errors.
var otherNames = map[string]string{
	"code": "script", "source": "script", "python": "script", "program": "script",
	"profile": "profile_id", "id": "profile_id", "token": "profile_id",
	"args": "inputs", "arguments": "inputs", "data": "inputs", "params": "inputs", "parameters": "inputs",
	"timeout_seconds": "timeout", "time_limit": "timeout", "max_seconds": "timeout",
	"text": "response", "answer": "response", "completion": "response", "content": "response", "message": "error",
	"port": "ports", "url": "host", "hostname": "host", "domain": "host",
	"why": "reason", "purpose": "description", "key": "name",
	"credentials": "keys", "secrets": "keys", "allowlist": "hosts",
}

func unknownField(path, name string, fields map[string]inputField) error {
	known := make([]string, 0, len(fields))
	for n := range fields {
		known = append(known, n)
	}
	slices.Sort(known)
	hint := "This call takes " + strings.Join(known, ", ") + "."
	guess := app.Nearest(name, known)
	if _, fits := fields[otherNames[strings.ToLower(name)]]; guess == "" && fits {
		guess = otherNames[strings.ToLower(name)]
	}
	switch {
	case name == "private":
		hint = "Only a person can open private address ranges, in Airlock's UI. Leave the field out and say in reason that the host is internal."
	case name == "value" && fields["mode"].value.IsValid():
		hint = "Only a person sets values, in Airlock's UI. Leave the field out. If you know the real value, tell the person that it should be replaced: it is no secret any more."
	case guess != "":
		hint = "Did you mean " + guess + "? " + hint
	}
	return fieldError(app.CodeUnknownField, path, "the field "+app.Clip(path, 80)+" is not known", hint)
}

func wrongType(path, want string, raw json.RawMessage) error {
	return fieldError(app.CodeInvalidField, path, fmt.Sprintf("%s must be %s, not %s", path, want, kindOf(raw)), "Change its type; GET /skill.md shows an example of every call.")
}

func fieldError(code app.Code, field, message, hint string) *app.Error {
	return &app.Error{Code: code, Field: app.Clip(field, 80), Message: message, Hint: hint}
}

// under puts the path of a field before an error that app's own checks made about it.
func under(path string, err error) error {
	if e, ok := err.(*app.Error); ok && e != nil { //nolint:errorlint // app's checks return it bare
		at := *e
		at.Field = path
		return &at
	}
	return err
}

func join(path, name string) string {
	name = app.Clip(name, 60)
	if path == "" {
		return name
	}
	return path + "." + name
}
