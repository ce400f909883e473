package engine_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
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
	if !strings.Contains(seen, "/files/[REDACTED") || !strings.Contains(seen, "/?q=[REDACTED]") ||
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

// A value in a model's name is masked. One split across name and question is joined.
func TestModelNamesAreRedacted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	half := len(enginetest.SecretValue) / 2
	for name, script := range map[string]string{
		"whole":  "model " + enginetest.SecretValue + "\nask go on?",
		"pieces": "model " + enginetest.SecretValue[half:] + "\nask what is " + enginetest.SecretValue[:half],
	} {
		x := w.Until(w.Send(script), app.StatusAwaitingLLM)
		if strings.Contains(x.Request.Model, enginetest.SecretValue[half:]) ||
			!strings.Contains(x.Request.Model, "REDACTED") {
			t.Errorf("%s: the model is %q", name, x.Request.Model)
		}
		_, err := w.Controller.Respond(t.Context(), x.ID, runner.Answer{Text: "thanks", By: enginetest.Agent})
		w.Must(err)
		w.UntilTerminal(x)
	}
}

// A value split across model names, or a name and the result, is joined as in questions.
func TestPiecesInModelNames(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	half := len(enginetest.SecretValue) / 2
	x := w.Until(w.Send("model "+enginetest.SecretValue[:half]+"\nask one\nmodel "+enginetest.SecretValue[half:]+"\nask two"), app.StatusAwaitingLLM)
	_, err := w.Controller.Respond(t.Context(), x.ID, runner.Answer{Text: "thanks", By: enginetest.Agent})
	w.Must(err)
	x = w.Until(x, app.StatusAwaitingLLM)
	if strings.Contains(x.Request.Model, enginetest.SecretValue[half:]) ||
		!strings.Contains(x.Request.Model, "REDACTED") {
		t.Errorf("the model of the second question is %q", x.Request.Model)
	}
	_, err = w.Controller.Respond(t.Context(), x.ID, runner.Answer{Text: "thanks", By: enginetest.Agent})
	w.Must(err)
	w.UntilTerminal(x)

	x = w.Until(w.Send("model "+enginetest.SecretValue[:half]+"\nask one\nresult \""+enginetest.SecretValue[half:]+"\""),
		app.StatusAwaitingLLM)
	_, err = w.Controller.Respond(t.Context(), x.ID, runner.Answer{Text: "thanks", By: enginetest.Agent})
	w.Must(err)
	out, err := w.Reader.Output(t.Context(), w.UntilTerminal(x).Handle)
	w.Must(err)
	if result := string(out.Result); strings.Contains(result, enginetest.SecretValue[half:]) ||
		!strings.Contains(result, "REDACTED") {
		t.Errorf("the result is %s", result)
	}
}
