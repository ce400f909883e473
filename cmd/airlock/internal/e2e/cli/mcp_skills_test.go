package cli_test

import (
	"encoding/json"
	"net/http"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
)

// saveSkill has an agent save a script as the skill "ask-twice", and a person approve it.
func saveSkill(t *testing.T, in *e2e.Instance, profile string) {
	t.Helper()
	d := filesDesk{in}
	body, err := json.Marshal(map[string]any{"script": "words = llm.complete('why?') if inputs else ''\n" +
		"if inputs: save_file('copy.txt', files.open('in.txt').read() * inputs['n'])\nset_result([words, inputs])"})
	e2e.Must(t, err)
	_, text, _ := d.do("POST", "/execute?wait=30", profile, body)
	var ran struct {
		ID string `json:"execution_id"`
	}
	e2e.Must(t, json.Unmarshal(text, &ran))
	status, text, _ := d.do("POST", "/skills", profile,
		[]byte(`{"execution_id":"`+ran.ID+`","name":"ask-twice","description":"Asks"}`))
	var v struct{ Digest string }
	if err := json.Unmarshal(text, &v); err != nil || status != http.StatusCreated {
		t.Fatalf("%d %s", status, text)
	}
	in.Admin("", "skill", "approve", v.Digest)
}

// modelRunsSkill calls a skill's tool as a client without a model. It gets the question, then
// result and artifact as from execute.
func modelRunsSkill(t *testing.T, connect func(*sdk.Client) (*sdk.ClientSession, error)) {
	session, err := connect(sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil))
	e2e.Must(t, err)
	defer session.Close()
	sent, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "upload_file",
		Arguments: map[string]any{"name": "in.txt", "text": "ab"}})
	e2e.Must(t, err)
	var file struct {
		ID string `json:"file_id"`
	}
	e2e.Must(t, json.Unmarshal([]byte(textIn(sent)), &file))
	got := called(t, session, &sdk.CallToolParams{Name: "skill_ask-twice", Arguments: map[string]any{
		"inputs": map[string]any{"n": 2}, "files": map[string]any{"in.txt": file.ID}}})
	if got.Status != "awaiting_llm" || got.Question.ID == "" {
		t.Fatalf("%+v", got)
	}
	result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "respond",
		Arguments: map[string]any{"execution_id": got.ID, "request_id": got.Question.ID, "response": "so"}})
	e2e.Must(t, err)
	e2e.Must(t, json.Unmarshal([]byte(result.Content[0].(*sdk.TextContent).Text), &got))
	if got.Status != "completed" || string(got.Result) != `["so",{"n":2}]` || got.Skill != "ask-twice@1" {
		t.Errorf("%+v", got)
	}
	link, ok := result.Content[len(result.Content)-1].(*sdk.ResourceLink)
	if !ok {
		t.Fatalf("no link to the artifact in %+v", result.Content)
	}
	read, err := session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: link.URI})
	if err != nil || read.Contents[0].Text != "abab" {
		t.Errorf("%+v, %v", read, err)
	}
}
