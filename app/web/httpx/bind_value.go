package httpx

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

// JSONBinder is an input with several notations.
type JSONBinder interface {
	BindJSON(raw json.RawMessage, path string) error
}

// BindJSON reads valid JSON into the target of out. path names it in errors.
//
// It supports strings, float64, int, bool, json.RawMessage (any value), slices, maps by string,
// structs, pointers to these and JSONBinder. Struct fields are tagged `in:"name"` or
// `in:"name,required"`. Unlike encoding/json, it matches names exactly, refuses unknown and
// repeated ones, and takes null as absent. No released library does.
func BindJSON(raw json.RawMessage, out any, path string) error {
	return bindValue(raw, reflect.ValueOf(out).Elem(), path)
}

func bindValue(raw json.RawMessage, out reflect.Value, path string) error {
	if custom, ok := out.Addr().Interface().(JSONBinder); ok {
		return custom.BindJSON(raw, path)
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
		if KindOf(raw) != "a boolean" {
			return WrongType(path, "true or false", raw)
		}
		out.SetBool(raw[0] == 't')
		return nil
	case reflect.Slice:
		return bindSlice(raw, out, path)
	case reflect.Map:
		return bindMap(raw, out, path)
	case reflect.Struct:
		return bindStruct(raw, out, path)
	}
	return fmt.Errorf("httpx: input field %s has the unsupported type %s", path, out.Type())
}

// inputField is a struct field that a JSON member is read into.
type inputField struct {
	name     string
	value    reflect.Value
	required bool
	given    bool // and not null
}

func inputFields(out reflect.Value) []*inputField {
	var fields []*inputField
	for i := range out.NumField() {
		name, option, _ := strings.Cut(out.Type().Field(i).Tag.Get("in"), ",")
		if name != "" {
			fields = append(fields, &inputField{name: name, value: out.Field(i), required: option == "required"})
		}
	}
	return fields
}

// eachMember visits an object's members in order. It refuses repeated names.
func eachMember(raw json.RawMessage, path string, visit func(name, here string, value json.RawMessage) error) error {
	if KindOf(raw) != "an object" {
		return WrongType(path, "an object", raw)
	}
	seen := map[string]bool{}
	dec := json.NewDecoder(bytes.NewReader(raw))
	_, _ = dec.Token() // the opening brace
	for dec.More() {
		token, _ := dec.Token()
		name, _ := token.(string)
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return app.E(app.CodeInvalidJSON, "the body is not valid JSON", "Send one JSON object.")
		}
		here := join(path, name)
		if seen[name] {
			return FieldError(app.CodeInvalidJSON, here, here+" is given twice", "Give each name once.")
		}
		seen[name] = true
		if err := visit(name, here, value); err != nil {
			return err
		}
	}
	return nil
}

func bindStruct(raw json.RawMessage, out reflect.Value, path string) error {
	fields := inputFields(out)
	err := eachMember(raw, path, func(name, here string, value json.RawMessage) error {
		i := slices.IndexFunc(fields, func(f *inputField) bool { return f.name == name })
		if i < 0 {
			return unknownField(here, name, fields)
		}
		if fields[i].given = string(value) != "null"; !fields[i].given {
			return nil
		}
		return bindValue(value, fields[i].value, here)
	})
	if err != nil {
		return err
	}
	for _, f := range fields {
		if f.required && !f.given {
			here := join(path, f.name)
			return FieldError(app.CodeInvalidField, here, here+" is missing",
				"Add it; GET /skill.md shows an example of every call.")
		}
	}
	return nil
}

func bindMap(raw json.RawMessage, out reflect.Value, path string) error {
	out.Set(reflect.MakeMap(out.Type()))
	return eachMember(raw, path, func(name, here string, value json.RawMessage) error {
		if out.Len() == maxItems {
			return errTooManyItems(path)
		}
		item := reflect.New(out.Type().Elem()).Elem()
		if err := bindValue(value, item, here); err != nil {
			return err
		}
		out.SetMapIndex(reflect.ValueOf(name), item)
		return nil
	})
}

func bindString(raw json.RawMessage, out reflect.Value, path string) error {
	var text string
	if KindOf(raw) != "a string" || json.Unmarshal(raw, &text) != nil {
		return WrongType(path, "a string", raw)
	}
	if strings.ContainsRune(text, 0) {
		return FieldError(app.CodeInvalidField, path, path+" contains a NUL character", "Remove it.")
	}
	out.SetString(text)
	return nil
}

func bindNumber(raw json.RawMessage, out reflect.Value, path string) error {
	if KindOf(raw) != "a number" {
		return WrongType(path, "a number", raw)
	}
	if out.Kind() == reflect.Int {
		n, err := strconv.Atoi(string(raw))
		if err != nil {
			return FieldError(app.CodeInvalidField, path, path+" must be a whole number",
				"Write it without fraction or exponent.")
		}
		out.SetInt(int64(n))
		return nil
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil {
		return FieldError(app.CodeInvalidField, path, path+" is too large a number", "Use a smaller one.")
	}
	out.SetFloat(f)
	return nil
}

const maxItems = 1000

func errTooManyItems(path string) error {
	return FieldError(app.CodeInvalidField, path, fmt.Sprintf("%s has more than %d items", path, maxItems), "Send fewer.")
}

func bindSlice(raw json.RawMessage, out reflect.Value, path string) error {
	var items []json.RawMessage
	if KindOf(raw) != "an array" || json.Unmarshal(raw, &items) != nil {
		return WrongType(path, "an array", raw)
	}
	if len(items) > maxItems {
		return errTooManyItems(path)
	}
	list := reflect.MakeSlice(out.Type(), len(items), len(items))
	for i, item := range items {
		here := fmt.Sprintf("%s[%d]", path, i)
		if string(item) == "null" {
			return WrongType(here, "a value", item)
		}
		if err := bindValue(item, list.Index(i), here); err != nil {
			return err
		}
	}
	out.Set(list)
	return nil
}

// otherNames maps agents' synonyms to our fields, where spelling doesn't suggest them.
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

func unknownField(path, name string, fields []*inputField) error {
	var known []string
	for _, f := range fields {
		known = append(known, f.name)
	}
	slices.Sort(known)
	hint := "This call takes " + strings.Join(known, ", ") + "."
	guess := app.Nearest(name, known)
	if other := otherNames[strings.ToLower(name)]; guess == "" && slices.Contains(known, other) {
		guess = other
	}
	switch {
	case name == "private":
		hint = "Only a person can open private address ranges, in Airlock's UI. " +
			"Leave the field out and say in reason that the host is internal."
	case name == "value" && slices.Contains(known, "mode"):
		hint = "Only a person sets values, in Airlock's UI. Leave the field out. " +
			"If you know the real value, tell the person that it should be replaced: it is no secret any more."
	case guess != "":
		hint = "Did you mean " + guess + "? " + hint
	}
	return FieldError(app.CodeUnknownField, path, "the field "+app.Clip(path, 80)+" is not known", hint)
}

// WrongType refuses a value other than want, such as "a string".
func WrongType(path, want string, raw json.RawMessage) error {
	return FieldError(app.CodeInvalidField, path, fmt.Sprintf("%s must be %s, not %s", path, want, KindOf(raw)),
		"Change its type; GET /skill.md shows an example of every call.")
}

// AtField attributes an app error to the field at path.
func AtField(path string, err error) error {
	if e, ok := err.(*app.Error); ok && e != nil { //nolint:errorlint // app's checks return it bare
		at := *e
		at.Field = path
		return &at
	}
	return err
}

// InField prefixes an app error's field with path.
func InField(path string, err error) error {
	if e, ok := err.(*app.Error); ok && e != nil { //nolint:errorlint // app's checks return it bare
		return AtField(path+"."+e.Field, err)
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
