package mcp

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/apidocs"
	"github.com/computclaw/airlock/app/client"
)

func TestToRequest(t *testing.T) {
	for name, c := range map[string]struct {
		tool, arguments, method, path, body, profile, key string
		code                                              app.Code
	}{
		"body": {tool: "create_profile", arguments: `{"description":"d"}`, method: "POST", path: "/profiles",
			body: `{"description":"d"}`, profile: "own"},
		"profile in a path": {tool: "add_keys", arguments: `{"keys":[{"name":"A"}],"profile_id":"ark_x"}`, method: "POST",
			path: "/profiles/self/keys", body: `{"keys":[{"name":"A"}]}`, profile: "ark_x"},
		"own profile": {tool: "read_profile", method: "GET", path: "/profiles/self", profile: "own"},
		"header": {tool: "execute", arguments: `{"script":"1","idempotency_key":"k"}`, method: "POST",
			path: "/execute", body: `{"script":"1"}`, profile: "own", key: "k"},
		"large numbers": {tool: "execute", arguments: `{"script":"1","inputs":{"n":12345678901234567890.5}}`,
			method: "POST", path: "/execute", body: `{"inputs":{"n":12345678901234567890.5},"script":"1"}`, profile: "own"},
		"execution": {tool: "cancel", arguments: `{"execution_id":"exec_1"}`, method: "POST",
			path: "/executions/exec_1/cancel", profile: "own"},
		"odd execution": {tool: "read_execution", arguments: `{"execution_id":"../profiles/self?x={id}"}`, method: "GET",
			path: "/executions/..%2Fprofiles%2Fself%3Fx=%7Bid%7D", profile: "own"},
		"name": {tool: "remove_key", arguments: `{"name":"A/B"}`, method: "DELETE",
			path: "/profiles/self/keys/A%2FB", profile: "own"},
		"query": {tool: "list_executions", arguments: `{"limit":5,"status":"error&x=1"}`, method: "GET",
			path: "/executions?limit=5&status=error%26x%3D1", profile: "own"},
		"left out": {tool: "execute", arguments: `{"script":"1","profile_id":null,"inputs":null,"timeout":"","label":""}`,
			method: "POST", path: "/execute", body: `{"script":"1"}`, profile: "own"},
		"self": {tool: "execute", arguments: `{"script":"1","profile_id":"self"}`, method: "POST", path: "/execute",
			body: `{"script":"1"}`, profile: "own"},
		"required and null": {tool: "cancel", arguments: `{"execution_id":null}`, code: app.CodeInvalidField},
		"empty answer": {tool: "respond", arguments: `{"execution_id":"e","response":"","error":""}`, method: "POST",
			path: "/executions/e/respond", body: `{"response":""}`, profile: "own"},
		"no answer": {tool: "respond", arguments: `{"execution_id":"e","response":"","error":"none"}`, method: "POST",
			path: "/executions/e/respond", body: `{"error":"none"}`, profile: "own"},
		"unknown":         {tool: "execute", arguments: `{"scrpt":"1"}`, code: app.CodeUnknownField},
		"missing":         {tool: "cancel", arguments: `{}`, code: app.CodeInvalidField},
		"not an object":   {tool: "execute", arguments: `[]`, code: app.CodeInvalidJSON},
		"object for text": {tool: "cancel", arguments: `{"execution_id":{}}`, code: app.CodeInvalidField},
		"wait":            {tool: "execute", arguments: `{"script":"1","wait":5}`, code: app.CodeUnknownField},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := toRequest(toolNamed(t, c.tool), json.RawMessage(c.arguments), app.NewSecret("own"))
			if code := app.CodeOf(err); code != c.code {
				t.Fatalf("error %v, want code %q", err, c.code)
			}
			if err == nil && (r.Method != c.method || r.Path != c.path || string(r.Body) != c.body ||
				r.Profile.Reveal() != c.profile || r.Key != c.key) {
				t.Errorf("%s %s %s profile %s key %q", r.Method, r.Path, r.Body, r.Profile.Reveal(), r.Key)
			}
		})
	}
}

// A connection without a profile gets an error in the words of tools, unsent. Calls on
// an execution need none.
func TestToRequestWithoutProfile(t *testing.T) {
	for name, refused := range map[string]bool{"read_profile": true, "add_keys": true, "list_executions": true,
		"execute": true, "create_profile": false, "read_execution": false, "skill": false} {
		tool, arguments := toolNamed(t, name), map[string]any{}
		required, _ := tool.Input["required"].([]string)
		for _, argument := range required {
			arguments[argument] = "x"
		}
		text, err := json.Marshal(arguments)
		if err != nil {
			t.Fatal(err)
		}
		_, err = toRequest(tool, text, app.Secret{})
		if (app.CodeOf(err) == app.CodeUnauthorized) != refused || (err != nil) != refused {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Hints name tools: a model can't follow one about HTTP.
func TestHintsNameTools(t *testing.T) {
	for hint, want := range map[string]string{
		"press Lock; then GET /profiles/{id}?wait=50 returns":             "press Lock; then read_profile returns",
		"Ask with POST /profiles/{id}/keys, or POST /profiles for others": "Ask with add_keys, or create_profile for others",
		"GET /executions/{id} shows it; GET /executions lists":            "read_execution shows it; list_executions lists",
		"what POST /execute returned; GET /skill.md shows":                "what execute returned; skill shows",
	} {
		if got := inTools(hint); got != want {
			t.Errorf("%q became %q, want %q", hint, got, want)
		}
	}
	result := errorResult(app.E(app.CodeProfileLocked, "m", "Create another with POST /profiles."))
	text, _ := json.Marshal(result.StructuredContent)
	if !strings.Contains(string(text), "with create_profile.") || !result.IsError {
		t.Errorf("%s", text)
	}
}

func TestWhoHasToAct(t *testing.T) {
	for answer, want := range map[string]string{
		`{"state":"unlocked","setup_url":"https://a/1","pairing_code":"k7m-4qx","keys":` +
			`[{"value_exists":false}]}`: "https://a/1 and the pairing code k7m-4qx",
		`{"state":"locked","setup_url":"https://a/1","keys":` +
			`[{"value_exists":true},{"value_exists":false}]}`: "set the missing value",
		`{"state":"locked","setup_url":"https://a/1","keys":[{"value_exists":true}]}`: "",
		`{"state":"revoked","keys":[{"value_exists":false}]}`:                         "",
		`{"executions":[]}`: "",
		`not JSON`:          "",
	} {
		got := readPending(client.Answer{Text: []byte(answer)}).advice()
		if (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q", answer, got)
		}
	}
}

// FuzzToRequest: arguments never change the operation or path's profile, and the body stays one
// JSON object.
func FuzzToRequest(f *testing.F) {
	tools := apidocs.Tools()
	f.Add(uint8(0), []byte(`{"script":"1","inputs":{"n":1e400},"idempotency_key":"k"}`))
	f.Add(uint8(3), []byte(`{"execution_id":"../../profiles/self/keys?x=%2e%2e"}`))
	f.Add(uint8(5), []byte(`{"name":"A/B","profile_id":"ark_x\r\nX: y"}`))
	f.Fuzz(func(t *testing.T, which uint8, arguments []byte) {
		tool := tools[int(which)%len(tools)]
		r, err := toRequest(tool, arguments, app.NewSecret("own"))
		if err != nil {
			return
		}
		path, _, _ := strings.Cut(r.Path, "?")
		if r.Method != tool.Method || strings.Count(path, "/") != strings.Count(tool.Path, "/") ||
			strings.ContainsAny(r.Path, "\r\n #") {
			t.Errorf("%s %q became %s %q", tool.Name, arguments, r.Method, r.Path)
		}
		var body map[string]json.RawMessage
		if tool.Body != "" && json.Unmarshal(r.Body, &body) != nil {
			t.Errorf("%s %q became the body %q", tool.Name, arguments, r.Body)
		}
	})
}

// TestToolsHaveWholeSchemas: a tool's schema refers to nothing outside it.
func TestToolsHaveWholeSchemas(t *testing.T) {
	for _, tool := range apidocs.Tools() {
		text, err := json.Marshal(tool.Input)
		if err != nil {
			t.Fatal(err)
		}
		if tool.Description == "" || jsonHas(tool.Input, "$ref") {
			t.Errorf("%s: %s", tool.Name, text)
		}
	}
}

func jsonHas(value any, key string) bool {
	switch v := value.(type) {
	case map[string]any:
		for name, inner := range v {
			if name == key || jsonHas(inner, key) {
				return true
			}
		}
	case []any:
		for _, inner := range v {
			if jsonHas(inner, key) {
				return true
			}
		}
	}
	return false
}

func toolNamed(t *testing.T, name string) apidocs.Tool {
	for _, tool := range apidocs.Tools() {
		if tool.Name == name {
			return tool
		}
	}
	t.Fatalf("there is no tool %s", name)
	return apidocs.Tool{}
}

// Adapters of clients stop at an argument without a type.
func TestEveryArgumentHasAType(t *testing.T) {
	for _, tool := range apidocs.Tools() {
		properties, _ := json.Marshal(tool.Input["properties"])
		var all map[string]map[string]any
		if err := json.Unmarshal(properties, &all); err != nil {
			t.Fatal(err)
		}
		for name, property := range all {
			if property["type"] == nil {
				t.Errorf("%s of %s: %v", name, tool.Name, property)
			}
		}
	}
}
