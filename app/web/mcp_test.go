package web

import (
	"io"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/engine"
)

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`

// modelHeaders are those that every client of the protocol sends.
func modelHeaders(more ...string) []string {
	return append([]string{"Accept: application/json, text/event-stream", "MCP-Protocol-Version: 2025-06-18"}, more...)
}

// TestSessionIsNoProof: who knows the id of another's session acts with no profile but their own.
func TestSessionIsNoProof(t *testing.T) {
	w := newWorld(t)
	p, err := w.access.CreateProfile(t.Context(), person, "revenue")
	w.must(err)
	opened := w.call("POST", "/mcp", initialize, modelHeaders("Authorization: Bearer "+p.ID)...)
	session := opened.header.Get("Mcp-Session-Id")
	if opened.status != 200 || session == "" {
		t.Fatalf("%d %s", opened.status, opened.text)
	}
	w.call("POST", "/mcp", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, modelHeaders("Mcp-Session-Id: "+session)...)
	const list = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"list_executions","arguments":{}}}`
	if a := w.call("POST", "/mcp", list, modelHeaders("Mcp-Session-Id: "+session)...); !strings.Contains(a.text, "unauthorized") {
		t.Errorf("without a bearer: %d %s", a.status, a.text)
	}
	if a := w.call("POST", "/mcp", list, modelHeaders("Mcp-Session-Id: "+session, "Authorization: Bearer "+p.ID)...); !strings.Contains(a.text, `executions`) || strings.Contains(a.text, "unauthorized") {
		t.Errorf("with it: %d %s", a.status, a.text)
	}
}

// TestSessionsAreLimited: sessions take memory, so one address opens only so many.
func TestSessionsAreLimited(t *testing.T) {
	w := newWorld(t, func(c *Config, _ *access.Config, _ *engine.Config) {
		now := time.Now()
		c.Now = func() time.Time { return now }
	})
	for n := range sessionsPerMinute {
		if a := w.call("POST", "/mcp", initialize, modelHeaders()...); a.status != 200 {
			t.Fatalf("session %d: %d %s", n, a.status, a.text)
		}
	}
	if a := w.call("POST", "/mcp", initialize, modelHeaders()...); a.status != 429 || a.header.Get("Retry-After") == "" {
		t.Errorf("one more: %d %s", a.status, a.text)
	}
}

func TestOpensSession(t *testing.T) {
	for body, want := range map[string]bool{
		initialize:                       true,
		`{"method":"initi\u0061lize"}`:   true,
		`[{"method":"initialize"}]`:      true,
		`{"method":"tools/list","id":1}`: false,
		`not JSON`:                       true,
	} {
		r := httptest.NewRequest("POST", "/mcp", strings.NewReader(body))
		got, err := opensSession(r)
		if err != nil || got != want {
			t.Errorf("%s: %v %v", body, got, err)
		}
		if again, err := io.ReadAll(r.Body); err != nil || string(again) != body {
			t.Errorf("the body is %q afterwards", again)
		}
	}
}
