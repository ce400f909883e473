package web

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/computclaw/airlock/app"
)

// bearing adds a profile to each request.
type bearing string

func (b bearing) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// modelOf connects an MCP client as a profile. changed announces new tool lists.
func (w *world) modelOf(p app.Profile) (session *sdk.ClientSession, changed chan struct{}) {
	w.t.Helper()
	changed = make(chan struct{}, 10)
	session, err := sdk.NewClient(&sdk.Implementation{Name: "t", Version: "1"}, &sdk.ClientOptions{
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) { changed <- struct{}{} },
	}).Connect(w.t.Context(), &sdk.StreamableClientTransport{Endpoint: w.server.URL + "/mcp",
		HTTPClient: &http.Client{Transport: bearing(p.ID)}}, nil)
	w.must(err)
	if got := session.InitializeResult().ProtocolVersion; got != "2025-11-25" {
		w.t.Errorf("the client, which knows 2026-07-28 too, speaks %s", got)
	}
	w.t.Cleanup(func() { _ = session.Close() })
	return session, changed
}

func (w *world) toolOf(session *sdk.ClientSession, name string) *sdk.Tool {
	w.t.Helper()
	list, err := session.ListTools(w.t.Context(), nil)
	w.must(err)
	for _, tool := range list.Tools {
		if tool.Name == name {
			return tool
		}
	}
	return nil
}

const monthly = "---\nname: monthly\ndescription: Sums a month with " + plantedSecret + "\nmetadata:\n" +
	"  airlock.input-schema: '{\"type\":\"object\",\"required\":[\"month\"],\"$defs\":{\"m\":{\"type\":\"string\"}}," +
	"\"properties\":{\"month\":{\"$ref\":\"#/$defs/m\"}}}'\n---\nSums.\n"

// TestASkillIsATool with its schema, for profiles that may run it. Changes are announced and
// refusals explained.
func TestASkillIsATool(t *testing.T) {
	w := newWorld(t)
	t.Cleanup(w.web.Drain)
	p, other := w.lockedProfile(), w.profile()
	session, changed := w.modelOf(p)
	awaitChange := func(what string) {
		t.Helper()
		select {
		case <-changed:
		case <-time.After(20 * time.Second):
			t.Errorf("%s: nobody told that the tools changed", what)
		}
	}
	a := w.call("POST", "/skills", zipped(t, map[string]string{"SKILL.md": monthly, "main.py": "set_result(inputs)"}),
		bearerOf(p), "Content-Type: application/zip")
	digest, _ := a.json["digest"].(string)
	if w.toolOf(session, "skill_monthly") != nil {
		t.Error("a version that waits for review is a tool")
	}
	for len(changed) > 0 {
		<-changed
	}
	_, err := w.engine.Skills.Approve(t.Context(), person, "monthly", 1, digest)
	w.must(err)
	awaitChange("approved")
	tool := w.toolOf(session, "skill_monthly")
	if tool == nil {
		t.Fatal("the approved skill is no tool")
	}
	schema, err := json.Marshal(tool.InputSchema)
	w.must(err)
	for _, want := range []string{`"required":["inputs"]`, `"$ref":"#/properties/inputs/$defs/m"`, `"files":`,
		`"idempotency_key":`} {
		if !strings.Contains(string(schema), want) {
			t.Errorf("%s is not in %s", want, schema)
		}
	}
	if strings.Contains(string(schema), `"script":`) || strings.Contains(tool.Description, plantedSecret) ||
		!strings.Contains(tool.Description, "Sums a month") {
		t.Errorf("%q with %s", tool.Description, schema)
	}
	if theirs, _ := w.modelOf(other); w.toolOf(theirs, "skill_monthly") != nil {
		t.Error("another profile has the tool")
	}
	call := func(arguments map[string]any) string {
		t.Helper()
		result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "skill_monthly", Arguments: arguments})
		w.must(err)
		text, _ := result.Content[0].(*sdk.TextContent)
		if !result.IsError {
			t.Errorf("%v: it ran: %s", arguments, text.Text)
		}
		return text.Text
	}
	for want, arguments := range map[string]map[string]any{
		"inputs":          nil,
		"inputs.month":    {"inputs": map[string]any{"month": 3}},
		"can't both":      {"script": "set_result(1)", "inputs": map[string]any{"month": "1"}},
		"not a file's id": {"files": map[string]any{"a.csv": "file_x"}, "inputs": map[string]any{"month": "1"}},
	} {
		if text := call(arguments); !strings.Contains(text, want) {
			t.Errorf("%v: no %q in %s", arguments, want, text)
		}
	}
	_, err = w.engine.Skills.Revoke(t.Context(), person, "monthly", 1, "It sends mail.")
	w.must(err)
	awaitChange("revoked")
	if w.toolOf(session, "skill_monthly") != nil {
		t.Error("a revoked skill is a tool")
	}
	if text := call(map[string]any{"inputs": map[string]any{"month": "1"}}); !strings.Contains(text, "skill_revoked") ||
		!strings.Contains(text, "It sends mail.") {
		t.Error(text)
	}
}

// TestAModelIsToldWhatAwaitsAPerson: execute says what to ask, read_execution waits, and refusals
// have reasons. Profiles for skills only are told so.
func TestAModelIsToldWhatAwaitsAPerson(t *testing.T) {
	t.Parallel()
	w := newPlayingWorld(t)
	t.Cleanup(w.web.Drain)
	p := w.lockedProfile()
	_, err := w.access.CodeRules.Set(t.Context(), person, p.Handle, app.MayRunApprovedScripts)
	w.must(err)
	session, _ := w.modelOf(p)
	call := func(name string, arguments map[string]any) (text string, failed bool) {
		t.Helper()
		result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: arguments})
		w.must(err)
		for _, one := range result.Content {
			if part, ok := one.(*sdk.TextContent); ok {
				text += part.Text + "\n"
			}
		}
		return text, result.IsError
	}
	asked := func(script string) (id, approval string) {
		t.Helper()
		began := time.Now()
		text, failed := call("execute", map[string]any{"script": script})
		if failed || time.Since(began) > 20*time.Second || !strings.Contains(text, "/ui/approvals/") ||
			!strings.Contains(text, "call read_execution") {
			t.Fatalf("after %s: %s", time.Since(began), text)
		}
		var x struct {
			ID string `json:"execution_id"`
		}
		w.must(json.NewDecoder(strings.NewReader(text)).Decode(&x))
		open, err := w.access.Approvals.Open(t.Context())
		w.must(err)
		return x.ID, open[0].ID
	}
	id, approval := asked("result 1")
	go func() {
		time.Sleep(100 * time.Millisecond)
		_, _ = w.access.Approvals.Approve(context.WithoutCancel(t.Context()), person, approval, app.ApproveOnce)
	}()
	if text, failed := call("read_execution", map[string]any{"execution_id": id}); failed ||
		!strings.Contains(text, `"status":"completed"`) {
		t.Errorf("after the approval: %s", text)
	}
	id, approval = asked("result 2")
	_, err = w.access.Approvals.Refuse(t.Context(), person, approval, "Read one month only.")
	w.must(err)
	if text, failed := call("read_execution", map[string]any{"execution_id": id}); !failed ||
		!strings.Contains(text, "Read one month only.") {
		t.Errorf("after the refusal: %s", text)
	}
	if text, failed := call("execute", map[string]any{"script": "result 2"}); !failed ||
		!strings.Contains(text, "script_refused") || !strings.Contains(text, "Read one month only.") {
		t.Errorf("again: %s", text)
	}
	_, err = w.access.CodeRules.Set(t.Context(), person, p.Handle, app.MayRunApprovedSkills)
	w.must(err)
	if text, failed := call("execute", map[string]any{"script": "result 3"}); !failed ||
		!strings.Contains(text, "script_not_allowed") || !strings.Contains(text, "list_skills") {
		t.Errorf("where only skills may run: %s", text)
	}
}
