//go:build vault

package vault

import (
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/secrets/vault/vaulttest"
)

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
	if h := w.client.Health(t.Context()); h.Standby {
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
