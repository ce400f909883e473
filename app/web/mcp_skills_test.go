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

// modelOf connects a model's client as a profile. changed gets what the server tells of its tools.
func (w *world) modelOf(p app.Profile, protocol string) (session *sdk.ClientSession, changed chan struct{}) {
	w.t.Helper()
	changed = make(chan struct{}, 10)
	session, err := sdk.NewClient(&sdk.Implementation{Name: "t", Version: "1"}, &sdk.ClientOptions{
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) { changed <- struct{}{} },
	}).Connect(w.t.Context(), &sdk.StreamableClientTransport{Endpoint: w.server.URL + "/mcp",
		HTTPClient: &http.Client{Transport: bearing(p.ID)}}, &sdk.ClientSessionOptions{ProtocolVersion: protocol})
	w.must(err)
	w.t.Cleanup(func() { _ = session.Close() })
	return session, changed
}

// toolOf returns a tool by its name; nil if there is none.
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

// TestASkillIsATool: each skill that the profile may run is a tool with its schema, others' are not;
// clients are told that the list changed, and a refusal says why and what to do.
func TestASkillIsATool(t *testing.T) {
	for _, protocol := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(protocol, func(t *testing.T) {
			w := newSkillWorld(t)
			t.Cleanup(w.web.Drain)
			p, other := w.lockedProfile(), w.profile()
			session, changed := w.modelOf(p, protocol)
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
			if theirs, _ := w.modelOf(other, protocol); w.toolOf(theirs, "skill_monthly") != nil {
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
		})
	}
}
