package web

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/app/web/mcphttp"
)

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`

// modelHeaders returns the headers that every MCP client sends.
func modelHeaders(more ...string) []string {
	return append([]string{"Accept: application/json, text/event-stream", "MCP-Protocol-Version: 2025-06-18"}, more...)
}

// TestSessionIsNoProof: another's session id gives no access to their profile.
func TestSessionIsNoProof(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p, err := w.access.Profiles.Create(t.Context(), person, "revenue")
	w.must(err)
	opened := w.call("POST", "/mcp", initialize, modelHeaders("Authorization: Bearer "+p.ID)...)
	session := opened.header.Get("Mcp-Session-Id")
	if opened.status != 200 || session == "" {
		t.Fatalf("%d %s", opened.status, opened.text)
	}
	w.call("POST", "/mcp", `{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		modelHeaders("Mcp-Session-Id: "+session)...)
	const list = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"list_executions","arguments":{}}}`
	other, err := w.access.Profiles.Create(t.Context(), person, "another")
	w.must(err)
	for _, message := range []string{list,
		`{"jsonrpc":"2.0","id":1,"result":{"role":"assistant","model":"m","content":{"type":"text","text":"mine"}}}`} {
		for _, headers := range [][]string{{}, {"Authorization: Bearer " + other.ID}} {
			if a := w.call("POST", "/mcp", message,
				modelHeaders(append(headers, "Mcp-Session-Id: "+session)...)...); a.status != http.StatusForbidden {
				t.Errorf("%s with %q: %d %s", message, headers, a.status, a.text)
			}
		}
	}
	for _, method := range []string{"GET", "DELETE"} {
		if a := w.call(method, "/mcp", "", modelHeaders("Mcp-Session-Id: "+session)...); a.status != http.StatusForbidden {
			t.Errorf("%s: %d %s", method, a.status, a.text)
		}
	}
	if a := w.call("POST", "/mcp", list,
		modelHeaders("Mcp-Session-Id: "+session, "Authorization: Bearer "+p.ID)...); !strings.Contains(a.text,
		`executions`) || strings.Contains(a.text, "unauthorized") {
		t.Errorf("with it: %d %s", a.status, a.text)
	}
}

// TestSessionsAreLimited for each address, because they take memory.
func TestSessionsAreLimited(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *Config, _ *access.Config, _ *engine.Config) {
		now := time.Now()
		c.Now = func() time.Time { return now }
	})
	// Names match by case, unlike in some JSON readers.
	odd := strings.Replace(initialize, `}}}`, `}},"METHOD":"x"}`, 1)
	for n := range mcphttp.SessionsPerMinute {
		if a := w.call("POST", "/mcp", odd, modelHeaders()...); a.status != 200 {
			t.Fatalf("session %d: %d %s", n, a.status, a.text)
		}
	}
	for _, body := range []string{initialize, odd, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`} {
		if a := w.call("POST", "/mcp", body, modelHeaders()...); a.status != 429 || a.header.Get("Retry-After") == "" ||
			strings.Contains(a.text, "profile") {
			t.Errorf("one more: %d %s", a.status, a.text)
		}
	}
}

// TestProtocolErrorsAreJSONRPC: also for unknown methods and unacceptable media types.
func TestProtocolErrorsAreJSONRPC(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	opened := w.call("POST", "/mcp", initialize, modelHeaders()...)
	session := "Mcp-Session-Id: " + opened.header.Get("Mcp-Session-Id")
	const unknown = `{"jsonrpc":"2.0","id":"a","method":"nobody/has"}`
	for name, tt := range map[string]struct {
		message string
		headers []string
		status  int
		id      any
		code    float64
	}{
		"unknown method":    {unknown, modelHeaders(session), 200, "a", -32601},
		"one media type":    {initialize, []string{"Accept: application/json"}, 400, float64(1), -32600},
		"the other":         {initialize, []string{"Accept: text/event-stream"}, 400, float64(1), -32600},
		"no JSON":           {`{"jsonrpc":`, modelHeaders(session), 400, nil, -32700},
		"session not known": {unknown, modelHeaders("Mcp-Session-Id: none"), 404, "a", -32600},
	} {
		a := w.call("POST", "/mcp", tt.message, tt.headers...)
		var got struct {
			JSONRPC string `json:"jsonrpc"`
			ID      any    `json:"id"`
			Error   struct {
				Code    float64 `json:"code"`
				Message string  `json:"message"`
			} `json:"error"`
		}
		if err := json.Unmarshal([]byte(a.text), &got); err != nil || a.status != tt.status || got.JSONRPC != "2.0" ||
			got.ID != tt.id || got.Error.Code != tt.code || got.Error.Message == "" ||
			a.header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %d %s", name, a.status, a.text)
		}
	}
}

// TestArgumentsThatAreLeftOut: strict clients send null, and some models "".
func TestArgumentsThatAreLeftOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p, err := w.access.Profiles.Create(t.Context(), person, "revenue")
	w.must(err)
	bearer := "Authorization: Bearer " + p.ID
	opened := w.call("POST", "/mcp", initialize, modelHeaders(bearer)...)
	for _, arguments := range []string{
		`{"profile_id":null,"limit":null,"status":null,"before":null,"label":null}`,
		`{"profile_id":"","limit":"","status":"","before":"","label":""}`,
	} {
		a := w.call("POST", "/mcp", `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"list_executions",`+
			`"arguments":`+arguments+`}}`, modelHeaders(bearer, "Mcp-Session-Id: "+opened.header.Get("Mcp-Session-Id"))...)
		if strings.Contains(a.text, `"isError":true`) || !strings.Contains(a.text, `"executions"`) {
			t.Errorf("%s: %s", arguments, a.text)
		}
	}
}
