package apidocs

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/computclaw/airlock/app"
)

// object is a JSON object. encoding/json sorts its keys, so the document is stable.
type object = map[string]any

// OpenAPI returns the agent API as an OpenAPI 3.1 document. url is the instance's address without
// trailing slash, or "". statuses maps error codes to HTTP statuses. views are all answers.
func OpenAPI(version, url string, statuses map[app.Code]int, views []View) ([]byte, error) {
	paths := object{}
	for _, op := range Operations() {
		item, ok := paths[op.Path].(object)
		if !ok {
			item = object{}
			paths[op.Path] = item
		}
		item[strings.ToLower(op.Method)] = operation(op, statuses)
	}
	schemas := map[string]object{}
	for _, s := range requests() {
		schemas[s.Name] = schema(s)
		schemas[s.Name]["additionalProperties"] = false // answers grow
	}
	for _, s := range viewSchemas(views) {
		schemas[s.Name] = schema(s)
	}
	doc := object{
		"openapi": "3.1.0",
		"info": object{"title": "Airlock agent API", "version": version,
			"description": "Runs Python in a sandbox with credentials that a person granted. GET /skill.md explains the flow."},
		"paths": paths,
		"components": object{
			"schemas":         schemas,
			"securitySchemes": object{"profile": object{"type": "http", "scheme": "bearer", "bearerFormat": "ark_…"}},
		},
	}
	if url != "" {
		doc["servers"] = []object{{"url": url}}
	}
	text, err := json.MarshalIndent(doc, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("skill: encode the OpenAPI document: %w", err)
	}
	return append(text, '\n'), nil
}

func operation(op Operation, statuses map[app.Code]int) object {
	o := object{
		"operationId": op.ID,
		"summary":     op.Summary,
		"responses":   responses(op, statuses),
		"parameters":  parameters(op),
		"security":    []object{},
	}
	if op.Detail != "" {
		o["description"] = op.Detail
	}
	switch op.Auth {
	case AuthBearer:
		o["security"] = []object{{"profile": []string{}}}
	case AuthPath, AuthEither, AuthOption:
		o["security"] = []object{{}, {"profile": []string{}}}
	}
	if op.Body != "" {
		o["requestBody"] = object{"required": op.Body != "Rerun", "content": content(ref(op.Body), op.Request)}
	}
	if op.Zip {
		body := content(ref(op.Body), op.Request)
		body["application/zip"] = object{}
		o["requestBody"] = object{"required": true, "content": body}
	}
	if op.Raw {
		o["requestBody"] = object{"required": true, "content": object{"application/octet-stream": object{}}}
	}
	return o
}

func parameters(op Operation) []object {
	list := []object{}
	for part := range strings.SplitSeq(op.Path, "/") {
		if name, ok := strings.CutPrefix(part, "{"); ok {
			list = append(list, object{"name": strings.TrimSuffix(name, "}"), "in": "path", "required": true,
				"schema": object{"type": "string"}})
		}
	}
	for _, f := range op.Query {
		list = append(list, object{"name": f.Name, "in": "query", "description": f.About, "schema": typeOf(f)})
	}
	for _, f := range op.Headers {
		list = append(list, object{"name": f.Name, "in": "header", "description": f.About, "schema": typeOf(f)})
	}
	return list
}

func responses(op Operation, statuses map[app.Code]int) object {
	success := object{"description": op.Summary}
	switch {
	case op.Returns != "":
		success["content"] = content(ref(op.Returns), op.Response)
	case op.Media != "":
		kind := "string"
		if op.Media == "application/json" {
			kind = "object"
		}
		success["content"] = object{op.Media: object{"schema": object{"type": kind}}}
	}
	all := refusals(op, statuses)
	all[strconv.Itoa(op.Status)] = success
	if op.Also != "" {
		status, _, _ := strings.Cut(op.Also, " ")
		returns := map[string]string{"200": "Execution", "202": "Accepted"}[status]
		all[status] = object{"description": op.Also, "content": content(ref(returns), "")}
	}
	return all
}

// refusals returns a call's own errors by status, and the others as default.
func refusals(op Operation, statuses map[app.Code]int) object {
	codes := map[int][]string{}
	for _, code := range op.Errors {
		if status := statuses[code]; status != 0 {
			codes[status] = append(codes[status], string(code))
		}
	}
	all := object{"default": refusal("any other error")}
	for status, list := range codes {
		all[strconv.Itoa(status)] = refusal(strings.Join(list, ", "))
	}
	return all
}

func refusal(description string) object {
	return object{"description": description, "content": content(ref("Error"), "")}
}

// content is a JSON body with its example, unless that is abbreviated.
func content(schema object, example string) object {
	media := object{"schema": schema}
	var value any
	if json.Unmarshal([]byte(example), &value) == nil {
		media["example"] = value
	}
	return object{"application/json": media}
}

func schema(s Schema) object {
	properties, required := object{}, []string{}
	for _, f := range s.Fields {
		properties[f.Name] = typeOf(f)
		if f.Required {
			required = append(required, f.Name)
		}
	}
	o := object{"type": "object", "properties": properties}
	if len(required) > 0 {
		o["required"] = required
	}
	return o
}

func typeOf(f Field) object {
	o := typeSchema(f.Type)
	switch {
	case f.Null && f.Type == "any":
		o["type"] = []any{"object", "array", "string", "number", "boolean", "null"}
	case f.Null && o["type"] != nil:
		o["type"] = []any{o["type"], "null"}
	}
	if f.About != "" && o["$ref"] == nil {
		o["description"] = f.About
	}
	return o
}

func typeSchema(name string) object {
	if item, ok := strings.CutPrefix(name, "[]"); ok {
		return object{"type": "array", "items": typeSchema(item)}
	}
	if short, long, two := strings.Cut(name, " or "); two {
		return object{"anyOf": []object{typeSchema(short), typeSchema(long)}}
	}
	switch name {
	case "any":
		return object{}
	case "datetime":
		return object{"type": "string", "format": "date-time"}
	case "string", "number", "integer", "boolean":
		return object{"type": name}
	}
	if strings.Contains(name, "|") {
		return object{"type": "string", "enum": strings.Split(name, "|")}
	}
	return ref(name)
}

func ref(name string) object { return object{"$ref": "#/components/schemas/" + name} }
