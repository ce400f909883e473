package mcp

import (
	"context"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestPatience: a call leaves time to answer before its request ends.
func TestPatience(t *testing.T) {
	t.Parallel()
	plain := call{req: &sdk.CallToolRequest{Params: &sdk.CallToolParamsRaw{}}}
	reports := call{req: &sdk.CallToolRequest{Params: &sdk.CallToolParamsRaw{}}}
	reports.req.Params.SetProgressToken("p")
	if got := plain.patience(t.Context()); got != waitNoReports {
		t.Errorf("without reports: %v", got)
	}
	if got := reports.patience(t.Context()); got != waitProgress {
		t.Errorf("with reports: %v", got)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if got := reports.patience(ctx); got > time.Minute/2 {
		t.Errorf("of a request that ends in a minute: %v", got)
	}
}

func TestHeldOpen(t *testing.T) {
	for path, want := range map[string]string{"/executions/e": "/executions/e?wait=5",
		"/executions/e?include=script": "/executions/e?include=script&wait=5"} {
		if got := heldOpen(path); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
