package engine

import (
	"encoding/base64"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/store"
)

// A script chooses paths, queries and methods of the requests that the ledger has: a value in them is masked, as it is and encoded.
func TestLedgerPathsAreRedacted(t *testing.T) {
	w, _, _ := sealedWorld(t)
	value := assembled()
	x, _ := w.finished(fmt.Sprintf(`
import httpx
for path in ("/files/%[1]s/rows", "/?q=%[2]s", "/ordinary"):
    httpx.get("https://api.example.com" + path)
`, value, base64.URLEncoding.EncodeToString([]byte("user:"+value))), app.StatusCompleted)
	rows, err := w.Network(t.Context(), x.Handle)
	w.must(err)
	seen := fmt.Sprintf("%+v", rows)
	if strings.Contains(seen, value) || strings.Contains(seen, base64.URLEncoding.EncodeToString([]byte("user:" + value))[8:20]) {
		t.Errorf("the value is in %s", seen)
	}
	if !strings.Contains(seen, "/files/[REDACTED") || !strings.Contains(seen, "/?q=[REDACTED]") || !strings.Contains(seen, "/ordinary") {
		t.Errorf("the ledger is %s", seen)
	}
	var hits map[string]redact.Hits
	w.must(w.store.Read(t.Context(), func(tx *store.Tx) (err error) {
		hits, err = tx.RedactionHits(t.Context(), x.Handle)
		return err
	}))
	if hits["network"].Total() != 2 {
		t.Errorf("%+v", hits)
	}
	w.nowhereAtRest()
}

// The name of a model goes to the agent beside the question: a value in it is masked, and one that was cut into both is put together.
func TestModelNamesAreRedacted(t *testing.T) {
	w := newWorld(t)
	half := len(secretValue) / 2
	for name, script := range map[string]string{
		"whole":  "model " + secretValue + "\nask go on?",
		"pieces": "model " + secretValue[half:] + "\nask what is " + secretValue[:half],
	} {
		x := w.until(w.submit(script), app.StatusAwaitingLLM)
		if strings.Contains(x.Request.Model, secretValue[half:]) || !strings.Contains(x.Request.Model, "REDACTED") {
			t.Errorf("%s: the model is %q", name, x.Request.Model)
		}
		_, err := w.Respond(t.Context(), x.ID, Answer{Text: "thanks", By: agent})
		w.must(err)
		w.untilTerminal(x)
	}
}

// TestPiecesInModelNames: a value that is cut into the names of the models of several questions, or into such a name and the result, is put together as in questions.
func TestPiecesInModelNames(t *testing.T) {
	w := newWorld(t)
	half := len(secretValue) / 2
	x := w.until(w.submit("model "+secretValue[:half]+"\nask one\nmodel "+secretValue[half:]+"\nask two"), app.StatusAwaitingLLM)
	_, err := w.Respond(t.Context(), x.ID, Answer{Text: "thanks", By: agent})
	w.must(err)
	x = w.until(x, app.StatusAwaitingLLM)
	if strings.Contains(x.Request.Model, secretValue[half:]) || !strings.Contains(x.Request.Model, "REDACTED") {
		t.Errorf("the model of the second question is %q", x.Request.Model)
	}
	_, err = w.Respond(t.Context(), x.ID, Answer{Text: "thanks", By: agent})
	w.must(err)
	w.untilTerminal(x)

	x = w.until(w.submit("model "+secretValue[:half]+"\nask one\nresult \""+secretValue[half:]+"\""), app.StatusAwaitingLLM)
	_, err = w.Respond(t.Context(), x.ID, Answer{Text: "thanks", By: agent})
	w.must(err)
	out, err := w.Output(t.Context(), w.untilTerminal(x).Handle)
	w.must(err)
	if result := string(out.Result); strings.Contains(result, secretValue[half:]) || !strings.Contains(result, "REDACTED") {
		t.Errorf("the result is %s", result)
	}
}

// Executions that look for the same values share a redactor for as long as one of them has it.
func TestRedactorsAreShared(t *testing.T) {
	e := New(Config{})
	list := func(name, value string, unheld bool) []redact.Value {
		return []redact.Value{{Name: name, Secret: app.NewSecret(value), Unheld: unheld}}
	}
	first := e.redactor(list("KEY", assembled(), false))
	if e.redactor(list("KEY", assembled(), false)) != first {
		t.Error("the same values made two redactors")
	}
	for what, other := range map[string][]redact.Value{
		"another name": list("OTHER", assembled(), false), "another value": list("KEY", rotated(), false), "one that isn't held": list("KEY", assembled(), true), "none": nil,
	} {
		if e.redactor(other) == first {
			t.Errorf("%s has the same redactor", what)
		}
	}
	runtime.KeepAlive(first)
	runtime.GC()
	e.redactor(list("LAST", rotated(), false))
	if n := len(e.redactors.inUse); n != 1 {
		t.Errorf("%d redactors are remembered that nobody uses", n-1)
	}
}
