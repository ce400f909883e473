package apidocs

import (
	"encoding/json"
	"reflect"
	"strings"
	"time"

	"github.com/computclaw/airlock/app"
)

// View is a type of answers, with the name of its schema.
//
// Its fields have the tag json, and may have about (a description), schema (another schema's name)
// and null (a list that may be null). A field without omitempty is always there.
type View struct {
	Name string
	Type reflect.Type
}

// enums are the values of text types.
var enums = map[reflect.Type]string{
	reflect.TypeFor[app.Status]():   "awaiting_approval|pending|running|awaiting_llm|completed|error|timeout|cancelled",
	reflect.TypeFor[app.Phase]():    "awaiting_approval|queued|starting|running|awaiting_llm|finishing",
	reflect.TypeFor[app.State]():    "unlocked|locked|revoked|expired",
	reflect.TypeFor[app.MayRun]():   "any|approved_scripts|approved_skills",
	reflect.TypeFor[app.Mode]():     "sealed|injected|plain",
	reflect.TypeFor[app.Protocol](): "http|https|postgres|tcp",
	reflect.TypeFor[app.Verdict]():  "allowed|denied|failed",
}

// viewSchemas returns the schemas of views.
func viewSchemas(views []View) (list []Schema) {
	names := map[reflect.Type]string{}
	for _, v := range views {
		names[v.Type] = v.Name
	}
	for _, v := range views {
		s := Schema{Name: v.Name}
		for i := range v.Type.NumField() {
			if f := viewField(v.Type.Field(i), names); f.Name != "-" {
				s.Fields = append(s.Fields, f)
			}
		}
		list = append(list, s)
	}
	return list
}

func viewField(field reflect.StructField, names map[reflect.Type]string) Field {
	name, option, _ := strings.Cut(field.Tag.Get("json"), ",")
	f := Field{Name: name, Type: field.Tag.Get("schema"), About: field.Tag.Get("about"), Required: option == ""}
	pointer := field.Type.Kind() == reflect.Pointer
	raw := field.Type == reflect.TypeFor[*json.RawMessage]()
	f.Null = pointer && (f.Required || raw) || field.Tag.Get("null") != ""
	if f.Type == "" {
		f.Type = typeName(field.Type, names)
	}
	return f
}

// typeName returns a Go type as Field.Type names it.
func typeName(t reflect.Type, names map[reflect.Type]string) string {
	switch name, enum := names[t], enums[t]; {
	case name != "":
		return name
	case enum != "":
		return enum
	case t == reflect.TypeFor[time.Time]():
		return "datetime"
	case t == reflect.TypeFor[json.RawMessage]():
		return "any"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return typeName(t.Elem(), names)
	case reflect.Slice:
		return "[]" + typeName(t.Elem(), names)
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Int, reflect.Int64:
		return "integer"
	case reflect.Float64:
		return "number"
	}
	return "any"
}
