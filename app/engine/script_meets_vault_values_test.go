//go:build vault

package engine_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/app/leases"
	"github.com/computclaw/airlock/app/secrets/vault"
	"github.com/computclaw/airlock/app/secrets/vault/vaulttest"
)

// A Vault value read for one name of a host is masked under another once its credential has both.
func TestHoleF2VaultValueInALog(t *testing.T) {
	t.Parallel()
	host := &logbook{}
	w, tap, start := worldBefore(t, host)
	w.withVault(map[string]any{"token": assembled()})
	start()
	w.credential(credentials.Input{Name: "TOKEN", Hosts: w.hosts("api.example.com:443"),
		Reference: "secret/data/app#token"})
	w.Profile = w.locked([]app.Key{{Name: "TOKEN"}}, "api.example.com:443")
	w.Finished(strings.ReplaceAll(writeLog, "KEY", `"TOKEN"`), app.StatusCompleted)
	if !strings.Contains(host.text(), "Bearer "+assembled()) {
		t.Fatalf("the host has %s", host.text())
	}
	w.keepsOut("where it was read", tap, w.locked(nil, "api.example.com:443"), readLog, assembled())
	w.credential(credentials.Input{Name: "TOKEN", Hosts: w.hosts("api.example.com:443", "other.example.com:443")})
	readOther := strings.ReplaceAll(readLog, "api.example.com", "other.example.com")
	out := w.keepsOut("under another name", tap, w.locked(nil, "other.example.com:443"), readOther, assembled())
	if !strings.Contains(out.Stdout, "GET /write Bearer [REDACTED]") {
		t.Errorf("the log reads %s", out.Stdout)
	}
}

func (w *world) withVault(secret map[string]any) {
	w.T.Helper()
	server := vaulttest.Start(w.T)
	server.Policy("reader", map[string]string{"secret/data/*": "read"})
	server.Put("app", secret)
	client, err := vault.New(vault.Config{Address: server.URL, Token: app.NewSecret(server.Token("1h", "reader")),
		Timeout: 20 * time.Second})
	w.Must(err)
	keeper := leases.New(leases.Config{Store: w.Store, Vault: client})
	w.Must(keeper.Start(w.T.Context()))
	w.T.Cleanup(func() {
		w.Must(keeper.Close(context.Background()))
		w.Must(client.Close(context.Background()))
	})
	w.Access = access.New(access.Config{Store: w.Store, Keyring: w.Keyring(), Hub: w.Hub, Vault: client, Leases: keeper})
}
