package engine_test

import (
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/app/engine/enginetest"
)

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
