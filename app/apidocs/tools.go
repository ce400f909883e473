package apidocs

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Tool is one API call as a model's tool, with JSON in and out.
type Tool struct {
	Operation
	Name        string // snake case, unique
	Description string
	Input       map[string]any // JSON Schema of the object, without references
}

// Names of arguments that the API calls otherwise or lacks.
const (
	ArgProfile   = "profile_id"      // the token; without it the connection's own
	ArgExecution = "execution_id"    // {id} of paths under /executions
	ArgKey       = "idempotency_key" // the header
	ArgContent   = "content"         // the body of uploadFile in base64
	ArgText      = "text"            // the same as it is
)

// Tools lists the agent API as tools, in the order of use. It omits ?wait=: a tool's caller wants
// to wait.
func Tools() []Tool {
	var list []Tool
	for _, op := range Operations() {
		switch {
		case op.ID == "skill":
			op.Summary = "Read how Airlock works: the flow, what scripts can use, errors, limits"
			op.Detail = "With a profile also its keys, its hosts and an example for them. Read it before the first script."
		case op.ID == "uploadFile":
			op.Detail = "Give content (base64) or text, at most 2 MiB. Pass the file_id to execute in files."
		case op.ID == "uploadSkill":
			op.Detail = "A person approves each version: tell them next_step. Then execute with skill runs it, or its own tool."
		case op.Returns == "" || op.ID == "health" || op.Raw:
			continue
		}
		list = append(list, Tool{Operation: op, Name: snake(op.ID), Description: toolText(op), Input: input(op)})
	}
	return list
}

// aboutHTTP finds what a tool has no use for.
var aboutHTTP = regexp.MustCompile(`\?[a-z]+=|header|[Bb]earer|\b(GET|POST|DELETE) |/executions/`)

// toolText is the model's description, with waiting in place of HTTP.
func toolText(op Operation) string {
	sentences := []string{op.Summary + "."}
	if waits := DescribeWait(op.ID); waits != "" {
		sentences = append(sentences, waits)
	}
	for sentence := range strings.SplitSeq(op.Detail, ". ") {
		if sentence != "" && !aboutHTTP.MatchString(sentence) {
			sentences = append(sentences, strings.TrimSuffix(sentence, ".")+".")
		}
	}
	return strings.Join(sentences, " ")
}

// DescribeWait describes how long an operation's tool waits and for whom, or "".
func DescribeWait(operation string) string {
	switch operation {
	case "execute", "rerun":
		return "Waits for the end and returns the whole execution, or the script's question to you."
	case "readExecution", "respond":
		return "Waits until it has ended or asks you something."
	case "readProfile":
		return "Waits while a person has yet to lock it or to set a missing value."
	}
	return ""
}

// input is the schema of a call's arguments from path, query, headers and body.
func input(op Operation) map[string]any {
	properties, required := object{}, []string{}
	if op.Auth != AuthNone {
		properties[ArgProfile] = object{"type": "string",
			"description": "the profile to act for (ark_…); leave it out if the connection has one"}
	}
	if strings.HasPrefix(op.Path, "/executions/{id}") {
		properties[ArgExecution] = object{"type": "string", "description": "exec_…"}
		required = append(required, ArgExecution)
	}
	if strings.HasSuffix(op.Path, "{name}") {
		properties["name"] = object{"type": "string"}
		required = append(required, "name")
	}
	for _, f := range op.Query {
		if f.Name != wait.Name {
			properties[f.Name] = typeOf(f)
		}
	}
	if len(op.Headers) > 0 {
		properties[ArgKey] = object{"type": "string", "description": op.Headers[0].About}
	}
	if op.ID == "uploadFile" {
		properties[ArgContent] = object{"type": "string", "description": "the file in base64"}
		properties[ArgText] = object{"type": "string", "description": "the file as text, instead of content"}
		required = append(required, "name")
	}
	if op.Body != "" {
		for _, f := range fieldsOf(op.Body) {
			if f.Name == ArgProfile {
				continue
			}
			properties[f.Name] = inlineSchema(f)
			if f.Type == "any" { // adapters of clients refuse an argument without a type
				properties[f.Name] = object{"type": "object", "description": f.About}
			}
			if f.Required {
				required = append(required, f.Name)
			}
		}
	}
	slices.Sort(required)
	return object{"type": "object", "properties": properties, "required": required, "additionalProperties": false}
}

// inlineSchema is a field's type with references replaced by their content. Requests have no
// cycles. Of two alternatives it takes the longer, which has a place for the reason.
func inlineSchema(f Field) object {
	item, many := strings.CutPrefix(f.Type, "[]")
	item = strings.TrimPrefix(item, "string or ")
	fields := fieldsOf(item)
	if fields == nil {
		return typeOf(f)
	}
	properties, required := object{}, []string{}
	for _, inner := range fields {
		properties[inner.Name] = inlineSchema(inner)
		if inner.Required {
			required = append(required, inner.Name)
		}
	}
	o := object{"type": "object", "properties": properties, "required": required, "additionalProperties": false}
	if many {
		o = object{"type": "array", "items": o}
	}
	if f.About != "" {
		o["description"] = f.About
	}
	return o
}

// fieldsOf returns the fields of a request's schema, or nil.
func fieldsOf(name string) []Field {
	for _, s := range requests() {
		if s.Name == name {
			return s.Fields
		}
	}
	return nil
}

func snake(camel string) string {
	var b strings.Builder
	for _, r := range camel {
		if unicode.IsUpper(r) {
			b.WriteByte('_')
			r = unicode.ToLower(r)
		}
		b.WriteRune(r)
	}
	return b.String()
}
