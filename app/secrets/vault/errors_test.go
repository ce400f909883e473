//go:build vault

package vault

import (
	"errors"
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/secrets/vault/vaulttest"
)

// TestReferenceWithoutDataIsNotAMatterOfPolicy: a denied path without data/ is not blamed on
// policy.
func TestReferenceWithoutDataIsNotAMatterOfPolicy(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.server.Put("reports/api", map[string]any{"token": value})
	w.refused("secret/reports/api#token", app.CodeMissingValue, "KV version 2")
	in := w.client.Inspect(t.Context(), ref("secret/reports/api#token"), nil)
	if in.Hint != "KV 2 references need data/: secret/data/reports/api#token" ||
		!strings.Contains(in.Problem, "KV version 2") {
		t.Errorf("inspection %+v", in)
	}
	_, err := w.read("secret/reports/api#token")
	var told *app.Error
	if !errors.As(err, &told) || strings.Contains(told.Message+told.Hint, "reports") {
		t.Errorf("an agent is told where the value stands: %v", err)
	}
}

// TestWithDataKnowsAMountBehindANamespace: the engine's path is told without the reference's
// namespace.
func TestWithDataKnowsAMountBehindANamespace(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"secret/a/b": "secret/data/a/b", "team/secret/a": "team/secret/data/a", "secret/data/a": "", "secret/metadata/a": "",
		"other/a": "",
	} {
		if got := (mounted{kv2, "secret/"}).withData(path); got != want {
			t.Errorf("%s becomes %q, want %q", path, got, want)
		}
	}
	if got := (mounted{"KV version 1", "secret/"}).withData("secret/a"); got != "" {
		t.Errorf("KV version 1: %q", got)
	}
}

// TestDatabaseBehindVaultIsDown: the error doesn't blame Vault; the log has the cause.
func TestDatabaseBehindVaultIsDown(t *testing.T) {
	t.Parallel()
	p := vaulttest.StartPostgres(t, "password-of-the-owner-0123456789")
	w := newWorld(t, borrower(p, "1h", "2h"))
	p.Stop()
	w.refused(creds+"#username", app.CodeUnreachable, "the engine behind the path")
	if log := w.log.String(); !strings.Contains(log, "dial error") && !strings.Contains(log, "connection refused") {
		t.Errorf("the log has no cause: %s", log)
	}
}

// TestLogNamesTheTroubleAndNotItsCode: a wrong token is not logged as an unreachable Vault.
func TestLogNamesTheTroubleAndNotItsCode(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(_ *vaulttest.Server, cfg *Config) { cfg.Token = app.NewSecret("hvs.unknown-token-of-the-test") })
	w.refused("secret/data/a#x", app.CodeUnreachable, "doesn't accept Airlock's token")
	if log := w.log.String(); !strings.Contains(log, "doesn't accept Airlock's token") ||
		strings.Contains(log, "unreachable") {
		t.Errorf("logged: %s", log)
	}
}

// TestSealedVaultIsNotStandby: Vault says both of itself.
func TestSealedVaultIsNotStandby(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.server.Seal()
	if h := w.client.Health(t.Context()); !h.Sealed || h.Standby {
		t.Errorf("health %+v", h)
	}
}

// TestPlainHTTPOnlyOnThisMachine: plain HTTP elsewhere would expose the token and values.
func TestPlainHTTPOnlyOnThisMachine(t *testing.T) {
	t.Parallel()
	token := app.NewSecret("a-token")
	for address, taken := range map[string]bool{
		"http://127.0.0.1:8200": true, "http://127.9.9.9": true, "http://[::1]:8200": true, "http://localhost:8200": true,
		"https://vault.example.com":     true,
		"http://vault.example.com:8200": false, "http://10.0.0.5:8200": false, "http://localhost.example.com": false,
		"http://0.0.0.0:8200": false, "http://127.0.0.1.example.com": false,
	} {
		_, err := New(Config{Address: address, Token: token})
		if taken != (err == nil) || err != nil && !strings.Contains(err.Error(), "VAULT_CACERT") {
			t.Errorf("%s: %v", address, err)
		}
	}
}
