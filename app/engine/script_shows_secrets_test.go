package engine_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/app/engine/enginetest"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/app/runner"
	"github.com/computclaw/airlock/store"
)

// Values in paths, queries and methods of the ledger are masked, plain and encoded.
func TestLedgerPathsAreRedacted(t *testing.T) {
	t.Parallel()
	w, _, _ := sealedWorld(t)
	value := assembled()
	x, _ := w.Finished(fmt.Sprintf(`
import httpx
for path in ("/files/%[1]s/rows", "/?q=%[2]s", "/ordinary"):
    httpx.get("https://api.example.com" + path)
`, value, base64.URLEncoding.EncodeToString([]byte("user:"+value))), app.StatusCompleted)
	rows, err := w.Reader.Network(t.Context(), x.Handle)
	w.Must(err)
	seen := fmt.Sprintf("%+v", rows)
	if strings.Contains(seen, value) ||
		strings.Contains(seen, base64.URLEncoding.EncodeToString([]byte("user:" + value))[8:20]) {
		t.Errorf("the value is in %s", seen)
	}
	if !strings.Contains(seen, "/files/[REDACTED") || !strings.Contains(seen, "/?q=dXNlcjp[REDACTED]") ||
		!strings.Contains(seen, "/ordinary") {
		t.Errorf("the ledger is %s", seen)
	}
	var hits map[string]redact.Hits
	w.Must(w.Store.Read(t.Context(), func(tx *store.Tx) (err error) {
		hits, err = tx.Executions.RedactionHits(t.Context(), x.Handle)
		return err
	}))
	if hits["network"].Total() != 2 {
		t.Errorf("%+v", hits)
	}
	w.nowhereAtRest()
}

// A value in a model's name is masked.
func TestModelNamesAreRedacted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	x := w.Until(w.Send("model "+enginetest.SecretValue+"\nask go on?"), app.StatusAwaitingLLM)
	if x.Request.Model != "[REDACTED...6789]" {
		t.Errorf("the model is %q", x.Request.Model)
	}
	_, err := w.Controller.Respond(t.Context(), x.ID, runner.Answer{Text: "thanks", By: enginetest.Agent})
	w.Must(err)
	w.UntilTerminal(x)
}

// A key that a script shows by accident is masked and counted on every path.
func TestHoleM3RealSlices(t *testing.T) {
	t.Parallel()
	w := realWorld(t)
	const key = "x81LmN4vT7wkP9sZxQ2rY6uJ3hB5nC0dE1fG8aKo"
	_, err := w.Access.Credentials.Set(t.Context(), enginetest.Person,
		credentials.Input{Name: "API_KEY", Mode: app.ModeInjected, Value: app.NewSecret(key)})
	w.Must(err)
	const script = `
import sys
k = settings.get("API_KEY")
print(k[1:])
print(k[:-1])
print(k[:20] + "...")
print(k[1:], file=sys.stderr)
set_result({"key": k[:-1]})
`
	x, out := w.Finished(script, app.StatusCompleted)
	if want := "[REDACTED]\n[REDACTED]\n[REDACTED]...\n"; out.Stdout != want ||
		out.Stderr != "[REDACTED]\n" || string(out.Result) != `{"key":"[REDACTED]"}` {
		t.Errorf("stdout %q, stderr %q, result %s", out.Stdout, out.Stderr, out.Result)
	}
	if x.Redactions != 5 {
		t.Errorf("%d redactions", x.Redactions)
	}
	x, _ = w.Finished(`raise KeyError(settings.get("API_KEY")[1:])`, app.StatusError)
	if strings.Contains(x.Error, key[8:24]) || !strings.Contains(x.Error, "KeyError: '[REDACTED]'") ||
		x.Redactions != 1 {
		t.Errorf("error %q, %d redactions", x.Error, x.Redactions)
	}
}
