//go:build vault

package runner_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/engine/enginetest"
	"github.com/computclaw/airlock/app/executions"
	"github.com/computclaw/airlock/app/runner"
)

// TestCacheBeforeVaultDoesNotShareALease: Vault's own agent can keep answers and hand the same user
// to two executions. The end of one would end the other's.
func TestCacheBeforeVaultDoesNotShareALease(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var kept *httptest.ResponseRecorder
	w := newVaultWorldBehind(t, func(vault http.Handler) http.Handler {
		return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/v1/"+creds {
				vault.ServeHTTP(rw, r)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			if kept == nil {
				kept = httptest.NewRecorder()
				vault.ServeHTTP(kept, r)
			}
			_, _ = rw.Write(kept.Body.Bytes())
		})
	}, "1h", "2h")
	x := w.begun("print runs")
	for range 2 {
		y, _ := w.Finished("print never", app.StatusError)
		if !strings.Contains(y.Error, "the key DB_") || !strings.Contains(y.Error,
			"a lease that another execution holds") {
			t.Errorf("the second ended with %q", y.Error)
		}
	}
	w.lent(1)
	_, err := w.Controller.Cancel(t.Context(), x.ID, enginetest.Agent)
	w.Must(err)
	w.lent(0)
}

// TestALeaseIsGivenBackAgainAndAgain: a revocation that fails at first is tried again.
func TestALeaseIsGivenBackAgainAndAgain(t *testing.T) {
	t.Parallel()
	var revocations atomic.Int64
	w := newVaultWorldBehind(t, func(vault http.Handler) http.Handler {
		return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/v1/sys/leases/revoke" && revocations.Add(1) == 1 {
				http.Error(rw, "not now", http.StatusInternalServerError)
				return
			}
			vault.ServeHTTP(rw, r)
		})
	}, "1h", "2h")
	w.Until(w.Send("result 1"), app.StatusCompleted)
	w.lent(0)
	if n := revocations.Load(); n < 2 {
		t.Errorf("revoked %d times", n)
	}
}

// TestRerunReadsVaultAnew: nothing of what the first run was lent or read is kept for the second,
// which has the same result.
func TestRerunReadsVaultAnew(t *testing.T) {
	t.Parallel()
	var lent atomic.Int64
	w := newVaultWorldBehind(t, func(vault http.Handler) http.Handler {
		return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/v1/"+creds {
				lent.Add(1)
			}
			vault.ServeHTTP(rw, r)
		})
	}, "1h", "2h")
	const next = "rotated-0123456789-abcdefgh"
	x := w.Send("ask how\nsetting DB_USER\nsetting DB_PASS\nsetting TOKEN\nresult 1")
	w.ReplyWith(x, runner.Answer{Text: "so"})
	x = w.Until(x, app.StatusCompleted)
	w.lent(0)
	w.vault.Put("app", map[string]any{"token": next})
	again := w.Until(w.rerun(x, false), app.StatusCompleted)
	w.lent(0)
	out, err := w.Reader.Output(t.Context(), again.Handle)
	w.Must(err)
	if !strings.HasSuffix(out.Stdout, "[REDACTED...efgh]\n") || strings.Count(out.Stdout, "[REDACTED") != 3 ||
		lent.Load() != 2 {
		t.Errorf("it printed %q, and Vault lent %d times", out.Stdout, lent.Load())
	}
	c, err := w.Reader.Compare(t.Context(), again)
	w.Must(err)
	if c.SameResult == nil || !*c.SameResult || len(c.Differs) != 0 {
		t.Errorf("compared: %+v", c)
	}
	w.vault.Seal()
	failed := w.Until(w.rerun(x, false), app.StatusError)
	if !strings.Contains(failed.Error, "the key DB_PASS") || !strings.Contains(failed.Error, "Vault is sealed") {
		t.Errorf("it ended with %q", failed.Error)
	}
}

// TestHoleVaultValueOfAnotherRun: what Vault gave another execution meanwhile is masked in the output
// and the questions of one that still runs, not only when it has ended.
func TestHoleVaultValueOfAnotherRun(t *testing.T) {
	t.Parallel()
	w := newVaultWorld(t, "1h", "2h")
	w.Profile = w.vaultProfile("TOKEN=secret/data/app#token")
	const next = "rotated-0123456789-abcdefgh"
	x := w.Until(w.Send("ask now\nprint "+next+"\nask again "+next), app.StatusAwaitingLLM)
	w.vault.Put("app", map[string]any{"token": next})
	w.Finished("setting TOKEN", app.StatusCompleted)
	_, err := w.Controller.Respond(t.Context(), x.ID, runner.Answer{Text: "so", By: enginetest.Agent})
	w.Must(err)
	x = w.Until(x, app.StatusAwaitingLLM)
	out, ok, err := w.Reader.OutputSoFar(t.Context(), x)
	w.Must(err)
	if !ok || strings.Contains(out.Stdout+x.Request.Prompt, next) || !strings.Contains(out.Stdout, "[REDACTED") ||
		!strings.Contains(x.Request.Prompt, "[REDACTED") {
		t.Errorf("so far %v %q, prompt %q", ok, out.Stdout, x.Request.Prompt)
	}
	_, err = w.Controller.Respond(t.Context(), x.ID, runner.Answer{Text: "so", By: enginetest.Agent})
	w.Must(err)
	w.Until(x, app.StatusCompleted)
}

// TestHoleLabelBeforeVaultWasRead: a label that may hold a value that was not read yet isn't stored.
func TestHoleLabelBeforeVaultWasRead(t *testing.T) {
	t.Parallel()
	w := newVaultWorld(t, "1h", "2h")
	w.Profile = w.vaultProfile("TOKEN=secret/data/app#token")
	submit := func() app.Execution {
		x, _, err := w.Submitter.Submit(t.Context(), executions.Submission{ProfileID: w.Profile.ID,
			Script: "result 1", Label: "check kv-" + enginetest.SecretValue, By: enginetest.Agent})
		w.Must(err)
		return w.Until(x, app.StatusCompleted)
	}
	if x := submit(); strings.Contains(x.Label, enginetest.SecretValue) || !strings.Contains(x.Label, "not shown") {
		t.Errorf("the first label is %q", x.Label)
	}
	if x := submit(); !strings.HasPrefix(x.Label, "check [REDACTED") {
		t.Errorf("the second label is %q", x.Label)
	}
}
