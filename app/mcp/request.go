package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/apidocs"
	"github.com/computclaw/airlock/app/client"
)

// toRequest distributes a tool's arguments over its request. own is the connection's profile. The
// API validates values. Errors are *app.Error.
func toRequest(tool apidocs.Tool, arguments json.RawMessage, own app.Secret) (client.Request, error) {
	r := client.Request{Method: tool.Method, Path: strings.Replace(tool.Path, "/profiles/{id}", "/profiles/self", 1),
		Profile: own}
	args := map[string]json.RawMessage{}
	if len(bytes.TrimSpace(arguments)) > 0 {
		if err := json.Unmarshal(arguments, &args); err != nil {
			return r, app.E(app.CodeInvalidJSON, "the arguments are not a JSON object",
				"Send the arguments as the tool's schema says.")
		}
	}
	leaveOut(args)
	if err := checkArguments(tool, args); err != nil {
		return r, err
	}
	query, body := url.Values{}, map[string]json.RawMessage{}
	for name, value := range args {
		if inBody(tool, name) {
			body[name] = value
			continue
		}
		text, err := word(name, value)
		if err != nil {
			return r, err
		}
		place(&r, name, text, query)
	}
	if r.Profile.Empty() && needsProfile(tool) {
		return r, app.E(app.CodeUnauthorized, "the call names no profile",
			"Send profile_id; create_profile makes a profile and returns its id.")
	}
	if len(query) > 0 {
		r.Path += "?" + query.Encode()
	}
	var err error
	if tool.Raw {
		r.Body, err = readUpload(body)
		return r, err
	}
	if tool.Body == "" {
		return r, nil
	}
	if r.Body, err = json.Marshal(body); err != nil {
		return r, fmt.Errorf("mcp: encode a request: %w", err)
	}
	return r, nil
}

// maxUpload is the largest file that a tool sends, in bytes.
const maxUpload = 2 << 20

// readUpload reads the file of a call: base64 content, or a text.
func readUpload(body map[string]json.RawMessage) (content []byte, err error) {
	encoded, text := body[apidocs.ArgContent], body[apidocs.ArgText]
	switch {
	case (encoded == nil) == (text == nil):
		return nil, app.Invalid(apidocs.ArgContent, "send either content or text", "content is base64.")
	case text != nil:
		words, err := word(apidocs.ArgText, text)
		content = []byte(words)
		if err != nil {
			return nil, err
		}
	default:
		if json.Unmarshal(encoded, &content) != nil {
			return nil, app.Invalid(apidocs.ArgContent, "content is not base64", "Encode it anew, or send text.")
		}
	}
	if len(content) > maxUpload {
		return nil, app.E(app.CodeTooLarge, "the file is larger than "+app.FormatSize(maxUpload),
			"Send a larger one over HTTP: a raw body to /files?name=NAME.")
	}
	return content, nil
}

// leaveOut removes null and empty arguments. Strict clients and some models send them for omitted
// ones. An empty answer to a question stays.
func leaveOut(args map[string]json.RawMessage) {
	absent := func(value json.RawMessage) bool { return string(value) == "null" || string(value) == `""` }
	answers := args["response"] != nil && string(args["response"]) != "null" && (args["error"] == nil ||
		absent(args["error"]))
	if string(args[apidocs.ArgProfile]) == `"self"` { // as answers have it
		delete(args, apidocs.ArgProfile)
	}
	maps.DeleteFunc(args, func(name string, value json.RawMessage) bool {
		return absent(value) && (name != "response" || !answers)
	})
}

// checkArguments refuses unknown arguments and missing ones that the address needs.
func checkArguments(tool apidocs.Tool, args map[string]json.RawMessage) error {
	known, _ := tool.Input["properties"].(map[string]any)
	names := slices.Sorted(maps.Keys(known))
	for name := range args {
		if _, ok := known[name]; !ok {
			hint := "It takes " + strings.Join(names, ", ") + "."
			if guess := app.Nearest(name, names); guess != "" {
				hint = "Did you mean " + guess + "? " + hint
			}
			return app.E(app.CodeUnknownField, "the argument "+app.Clip(name, 60)+" is not known to "+tool.Name, hint)
		}
	}
	required, _ := tool.Input["required"].([]string)
	for _, name := range required {
		if _, ok := args[name]; !ok {
			return app.Invalid(name, name+" is missing", "Call "+tool.Name+" with "+strings.Join(required, ", ")+".")
		}
	}
	return nil
}

// needsProfile reports whether a call needs a profile. For an execution its id is enough.
func needsProfile(tool apidocs.Tool) bool {
	return tool.Auth == apidocs.AuthBearer || tool.Auth == apidocs.AuthEither ||
		strings.HasPrefix(tool.Path, "/profiles/{id}")
}

// inBody reports whether an argument belongs in the request's body.
func inBody(tool apidocs.Tool, name string) bool {
	switch name {
	case apidocs.ArgProfile, apidocs.ArgExecution, apidocs.ArgKey:
		return false
	}
	return !strings.Contains(tool.Path, "{"+name+"}") &&
		!slices.ContainsFunc(tool.Query, func(f apidocs.Field) bool { return f.Name == name })
}

// place puts a text where the call has it.
func place(r *client.Request, name, text string, query url.Values) {
	segment := "{" + name + "}"
	if name == apidocs.ArgExecution {
		segment = "{id}"
	}
	switch {
	case name == apidocs.ArgProfile:
		r.Profile = app.NewSecret(text)
	case name == apidocs.ArgKey:
		r.Key = text
	case strings.Contains(r.Path, segment):
		r.Path = strings.Replace(r.Path, segment, url.PathEscape(text), 1)
	default:
		query.Set(name, text)
	}
}

// word is a string or number as text.
func word(name string, value json.RawMessage) (string, error) {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text, nil
	}
	var number json.Number
	if json.Unmarshal(value, &number) == nil {
		return number.String(), nil
	}
	return "", app.Invalid(name, name+" must be a string", "Send "+name+" as a string.")
}
