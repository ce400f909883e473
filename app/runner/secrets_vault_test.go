//go:build vault

package runner_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/app/engine/enginetest"
	"github.com/computclaw/airlock/app/executions"
	"github.com/computclaw/airlock/app/leases"
	"github.com/computclaw/airlock/app/runner"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/app/secrets/vault"
	"github.com/computclaw/airlock/app/secrets/vault/vaulttest"
	"github.com/computclaw/airlock/store"
)

const creds = "database/creds/reports"

// vaultWorld is a world whose access knows a Vault with a PostgreSQL behind it.
type vaultWorld struct {
	*world
	vault    *vaulttest.Server
	postgres *vaulttest.Postgres
	local    app.Profile // without anything in Vault
	client   *vault.Client
	keeper   *leases.Keeper
	address  string // where Airlock finds the Vault
}

func newVaultWorld(t *testing.T, ttl, maximum string, change ...func(*engine.Config)) *vaultWorld {
	t.Helper()
	return newVaultWorldBehind(t, nil, ttl, maximum, change...)
}

// newVaultWorldBehind puts front between Airlock and the Vault.
func newVaultWorldBehind(t *testing.T, front func(vault http.Handler) http.Handler, ttl, maximum string,
	change ...func(*engine.Config)) *vaultWorld {
	t.Helper()
	w := &vaultWorld{vault: vaulttest.Start(t), postgres: vaulttest.StartPostgres(t, "password-of-the-owner-0123456789")}
	w.address = w.vault.URL
	if front != nil {
		target, err := url.Parse(w.vault.URL)
		if err != nil {
			t.Fatal(err)
		}
		proxy := httputil.NewSingleHostReverseProxy(target)
		proxy.Transport = &http.Transport{DisableKeepAlives: true} // nothing of it is left when goroutines are counted
		server := httptest.NewServer(front(proxy))
		t.Cleanup(server.Close)
		w.address = server.URL
	}
	w.world = newUnstarted(t)
	w.local = w.Profile
	w.vault.Database(w.postgres, ttl, maximum)
	w.vault.Write("sys/policies/acl/airlock", map[string]any{"policy": `
		path "secret/data/*" { capabilities = ["read"] }
		path "database/creds/reports" { capabilities = ["read"] }
		path "sys/leases/revoke" { capabilities = ["update"] }`})
	w.openVault()
	t.Cleanup(func() { // before the goroutines are counted
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		_ = w.keeper.Close(ctx)
		_ = w.client.Close(ctx)
	})
	w.vault.Put("app", map[string]any{"token": "kv-" + enginetest.SecretValue})
	w.Profile = w.vaultProfile("DB_USER="+creds+"#username", "DB_PASS="+creds+"#password",
		"TOKEN=secret/data/app#token")
	w.StartEngine(change...)
	return w
}

// openVault makes all readers of Vault anew, as a new process does.
func (w *vaultWorld) openVault() {
	w.T.Helper()
	var err error
	w.client, err = vault.New(vault.Config{Address: w.address, Token: app.NewSecret(w.vault.Token("1h", "airlock")),
		Timeout: 20 * time.Second})
	w.Must(err)
	w.keeper = leases.New(leases.Config{Store: w.Store, Vault: w.client})
	w.Must(w.keeper.Start(w.T.Context()))
	keyring, err := secrets.NewKeyring(app.NewSecret(enginetest.InstanceKey))
	w.Must(err)
	w.Access = access.New(access.Config{Store: w.Store, Keyring: keyring, Hub: w.Hub, Vault: w.client,
		Leases: w.keeper})
}

// vaultProfile locks a profile with injected keys NAME=REFERENCE.
func (w *vaultWorld) vaultProfile(keys ...string) app.Profile {
	w.T.Helper()
	ctx := w.T.Context()
	p, err := w.Access.Profiles.Create(ctx, enginetest.Person, "with Vault")
	w.Must(err)
	for _, k := range keys {
		name, reference, _ := strings.Cut(k, "=")
		_, err := w.Access.Credentials.Set(ctx, enginetest.Person,
			credentials.Input{Name: name, Mode: app.ModeInjected, Reference: reference})
		w.Must(err)
		_, err = w.Access.Keys.Add(ctx, enginetest.Person, p.Handle, []app.Key{{Name: name}})
		w.Must(err)
		_, err = w.Access.Keys.Link(ctx, enginetest.Person, p.Handle, name, name)
		w.Must(err)
	}
	locked, err := w.Access.Lifecycle.Lock(ctx, enginetest.Person, p.Handle, time.Time{})
	w.Must(err)
	return locked
}

// lent waits for n users at PostgreSQL, leases in Vault and rows in the store.
func (w *vaultWorld) lent(n int) {
	w.T.Helper()
	for end := time.Now().Add(time.Minute); ; {
		rows, err := w.keeper.Open(w.T.Context())
		w.Must(err)
		users, out := len(w.postgres.Users()), len(w.vault.Leases(creds))
		if users == n && out == n && rows == n {
			return
		}
		if time.Now().After(end) {
			w.T.Fatalf("%d users, %d leases, %d rows; want %d", users, out, rows, n)
		}
	}
}

func (w *vaultWorld) begun(script string) app.Execution {
	w.T.Helper()
	x := w.Send(script + "\nhang")
	w.lent(1)
	return x
}

func TestLeaseEndsHoweverTheExecutionEnds(t *testing.T) {
	t.Parallel()
	w := newVaultWorld(t, "1h", "2h")
	x, out := w.Finished("setting DB_USER\nsetting DB_PASS\nsetting TOKEN", app.StatusCompleted)
	w.lent(0)
	if strings.Count(out.Stdout, "[REDACTED") != 3 || strings.Contains(out.Stdout, "v-token") ||
		strings.Contains(out.Stdout, enginetest.SecretValue) {
		t.Errorf("printed %q", out.Stdout)
	}
	for name, c := range map[string]struct {
		script string
		status app.Status
	}{
		"error":        {"fail no\nexit 1", app.StatusError},
		"exit":         {"exit 3", app.StatusError},
		"killed":       {"signal 9", app.StatusError},
		"memory":       {"oom", app.StatusError},
		"sandbox lost": {"lost", app.StatusError},
		"guest gone":   {"vanish", app.StatusError},
		"garbage":      {"garbage", app.StatusError},
	} {
		x, _ = w.Finished(c.script, c.status)
		w.lent(0)
		if t.Failed() {
			t.Fatalf("%s: %s", name, x.Error)
		}
	}
	x = w.begun("print cancelled")
	_, err := w.Controller.Cancel(t.Context(), x.ID, enginetest.Agent)
	w.Must(err)
	w.Until(x, app.StatusCancelled)
	w.lent(0)

	x, _, err = w.Submitter.Submit(t.Context(),
		executions.Submission{ProfileID: w.Profile.ID, Script: "hang", Timeout: new(1.0), By: enginetest.Agent})
	w.Must(err)
	w.Until(x, app.StatusTimeout)
	w.lent(0)

	x = w.begun("print waits")
	_, err = w.Access.Lifecycle.Revoke(t.Context(), enginetest.Person, w.Profile.Handle)
	w.Must(err)
	w.UntilStatus(x, app.StatusCancelled)
	w.lent(0)
}

func TestLeaseEndsWithTheServer(t *testing.T) {
	t.Parallel()
	w := newVaultWorld(t, "1h", "2h")
	w.begun("print runs")
	w.Must(w.Close(t.Context()))
	w.Must(w.keeper.Close(t.Context()))
	w.lent(0)
}

func TestLeaseLeftByACrashIsRevokedAtStart(t *testing.T) {
	t.Parallel()
	w := newVaultWorld(t, "1h", "2h")
	left := w.vault.Read(creds)["lease_id"].(string)
	w.Must(w.Store.Write(t.Context(), func(tx *store.Tx) error {
		_, err := tx.Leases.Insert(t.Context(),
			store.Lease{ID: left, CreatedAt: time.Now(), ExpiresAt: time.Now().Add(time.Hour)})
		return err
	}))
	w.lent(1)
	w.Must(w.keeper.Close(t.Context()))
	w.Must(w.client.Close(t.Context()))
	w.openVault()
	w.lent(0)
}

// An execution that ends while Vault is sealed leaves its lease to later, and people see that.
func TestLeaseIsRevokedWhenVaultIsBack(t *testing.T) {
	t.Parallel()
	w := newVaultWorld(t, "1h", "2h")
	x := w.begun("print runs")
	w.vault.Seal()
	_, err := w.Controller.Cancel(t.Context(), x.ID, enginetest.Agent)
	w.Must(err)
	w.Until(x, app.StatusCancelled)
	for end := time.Now().Add(time.Minute); ; {
		status, _, err := w.Access.Vault.Status(t.Context())
		w.Must(err)
		if status.Failed == 1 && status.Leases == 1 && status.Why == "Vault is sealed" {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("shown is %+v", status)
		}
	}
	w.vault.Unseal()
	for w.client.Health(t.Context()).Problem != "" {
		if t.Context().Err() != nil {
			t.Fatal("it stays sealed")
		}
	}
	w.lent(0)
	if n, why := w.keeper.CountFailed(); n != 0 {
		t.Errorf("%d are still shown: %v", n, why)
	}
}

// A database user outlives an answer that takes longer than its lease.
func TestLeaseIsRenewedWhileItWaits(t *testing.T) {
	t.Parallel()
	w := newVaultWorld(t, "3s", "1h")
	x := w.Send("ask how\nsetting DB_USER")
	x = w.Until(x, app.StatusAwaitingLLM)
	began := time.Now()
	for time.Since(began) < 7*time.Second {
		if len(w.postgres.Users()) != 1 {
			t.Fatalf("the user was gone after %s", time.Since(began))
		}
	}
	_, err := w.Controller.Respond(t.Context(), x.ID, runner.Answer{Text: "so", By: enginetest.Agent})
	w.Must(err)
	w.Until(x, app.StatusCompleted)
	w.lent(0)
}

// Vault's longest time may end before the script. The agent is told why its database refused.
func TestLeaseThatEndsInMidRunIsSaid(t *testing.T) {
	t.Parallel()
	w := newVaultWorld(t, "2s", "2s")
	x := w.Send("ask how\nfail the database refused\nexit 1")
	x = w.Until(x, app.StatusAwaitingLLM)
	for end := time.Now().Add(time.Minute); len(w.postgres.Users()) > 0; {
		if time.Now().After(end) {
			t.Fatal("the user stays")
		}
	}
	_, err := w.Controller.Respond(t.Context(), x.ID, runner.Answer{Text: "so", By: enginetest.Agent})
	w.Must(err)
	x = w.Until(x, app.StatusError)
	if !strings.Contains(x.Error, "the database refused") || !strings.Contains(x.Error, "Vault ended the lease") {
		t.Errorf("the error is %q", x.Error)
	}
}

// An unreadable value ends only its execution, at once, with key and reason.
func TestVaultFailuresNameTheKey(t *testing.T) {
	t.Parallel()
	w := newVaultWorld(t, "1h", "2h")
	w.vault.Put("short", map[string]any{"x": "abc"})
	base := w.Profile
	for name, c := range map[string]struct{ key, reason string }{
		"field missing":     {"FIELD=secret/data/app#no", "no field of that name"},
		"path missing":      {"PATH_=secret/data/nothing#x", "nothing is stored there"},
		"permission denied": {"DENIED=kv/other#x", "denied permission"},
		"too short":         {"SHORT=secret/data/short#x", "can't be redacted"},
	} {
		key, _, _ := strings.Cut(c.key, "=")
		// The dynamic keys come first, so that there is a lease to give back.
		w.Profile = w.vaultProfile("DB_USER="+creds+"#username", c.key)
		x, _ := w.Finished("print never", app.StatusError)
		if !strings.Contains(x.Error, "the key "+key) || !strings.Contains(x.Error, c.reason) ||
			strings.Contains(x.Error, "secret/data") || !x.StartedAt.IsZero() {
			t.Errorf("%s: %q", name, x.Error)
		}
		w.lent(0)
	}
	w.Profile = base
	w.vault.Seal()
	x, _ := w.Finished("print never", app.StatusError)
	if !strings.Contains(x.Error, "the value of the key DB_PASS could not be read from Vault: Vault is sealed") {
		t.Errorf("sealed: %q", x.Error)
	}
	w.Profile = w.local
	w.Finished("print hello", app.StatusCompleted)
	w.Profile = base
	w.vault.Kill()
	x, _ = w.Finished("print never", app.StatusError)
	if !strings.Contains(x.Error, "Vault can't be reached") {
		t.Errorf("killed: %q", x.Error)
	}
	w.Profile = w.local
	w.Finished("print hello", app.StatusCompleted)
}

func TestRotationInVaultIsEnough(t *testing.T) {
	t.Parallel()
	w := newVaultWorld(t, "1h", "2h")
	w.Profile = w.vaultProfile("TOKEN=secret/data/app#token")
	const next = "rotated-0123456789-abcdefgh"
	x := w.Send("ask now\nprint " + next + " and kv-" + enginetest.SecretValue)
	x = w.Until(x, app.StatusAwaitingLLM)
	w.vault.Put("app", map[string]any{"token": next})
	y, out := w.Finished("setting TOKEN\nprint "+next+" and kv-"+enginetest.SecretValue, app.StatusCompleted)
	if out.Stdout != "[REDACTED...efgh]\n[REDACTED...efgh] and [REDACTED...6789]\n" {
		t.Errorf("the second printed %q", out.Stdout)
	}
	_, err := w.Controller.Respond(t.Context(), x.ID, runner.Answer{Text: "so", By: enginetest.Agent})
	w.Must(err)
	x = w.Until(x, app.StatusCompleted)
	first, err := w.Reader.Output(t.Context(), x.Handle)
	w.Must(err)
	if strings.Contains(first.Stdout, next) || strings.Contains(first.Stdout, enginetest.SecretValue) {
		t.Errorf("the first printed %q", first.Stdout)
	}
	// The values that it also holds were no secrets yet at the first submission.
	for handle, secrets := range map[string][]string{x.Handle: {enginetest.SecretValue},
		y.Handle: {enginetest.SecretValue, next}} {
		shown, _, err := w.Reader.ReadSubmitted(t.Context(), handle)
		w.Must(err)
		for _, s := range secrets {
			if strings.Contains(shown, s) {
				t.Errorf("the script is shown as %q", shown)
			}
		}
	}
}

func TestScriptIsShownOnceItCanBeMasked(t *testing.T) {
	t.Parallel()
	w := newVaultWorld(t, "1h", "2h")
	w.vault.Seal()
	script := "print kv-" + enginetest.SecretValue
	x, _ := w.Finished(script, app.StatusError)
	shown, _, err := w.Reader.ReadSubmitted(t.Context(), x.Handle)
	w.Must(err)
	if strings.Contains(shown, enginetest.SecretValue) || !strings.Contains(shown, "once its values were read") {
		t.Errorf("shown as %q", shown)
	}
}

// Vault's agent may cache answers and give two executions one user. The end of one would end the
// other's.
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

// A re-run keeps no Vault value of the first run and has the same result.
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

// A running execution masks a value that Vault gave another meanwhile, also in its output and
// questions.
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

// A label that may hold an unread value isn't stored.
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
