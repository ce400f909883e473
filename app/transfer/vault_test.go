package transfer

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/app/leases"
	"github.com/computclaw/airlock/app/secrets/vault"
	"github.com/computclaw/airlock/app/transfer/content"
)

// TestReferencesToVaultTravelAndValuesNever: neither what Vault holds nor what Airlock held before
// is in a file, and the other instance needs a Vault of its own.
func TestReferencesToVaultTravelAndValuesNever(t *testing.T) {
	const held = "held-by-airlock-before-0123456789"
	ctx := t.Context()
	h, fresh := newFixture(t, "aaaa"), newFixture(t, "bbbb")
	// asked for nothing
	client := must[*vault.Client](t)(
		vault.New(vault.Config{Address: "https://vault.test", Token: app.NewSecret("token-of-the-test-0123")}))
	h.Desk = access.New(access.Config{Store: h.Store, Keyring: h.Ring, Vault: client,
		Leases: leases.New(leases.Config{Store: h.Store, Vault: client})})
	h.Credential("TOKEN", held, "api.example.com")
	must[app.Credential](t)(h.Desk.Credentials.Set(ctx, person(),
		credentials.Input{Name: "TOKEN", Reference: "secret/data/app#token"}))
	h.Locked("with Vault", []string{"TOKEN"}, "api.example.com")

	text := must[[]byte](t)(json.Marshal(h.dump(all())))
	if !strings.Contains(string(text), `"reference":"secret/data/app#token"`) || strings.Contains(string(text), held) {
		t.Errorf("the file says %s", text)
	}
	// a path in Vault comes in by a yes only
	fresh.take(h.export(all()), Choice{Each: map[string]bool{"credential:TOKEN": true}})
	c := must[app.Credential](t)(fresh.Desk.Credentials.ByName(ctx, "TOKEN"))
	if c.Source != app.SourceVault || c.Reference != "secret/data/app#token" {
		t.Errorf("it came as %+v", c)
	}
	// A restore asks nothing and brings everything, also a backup that verifies itself so.
	restored := newFixture(t, "cccc")
	must[content.Counts](t)(restored.Fill(ctx, upload(h.export(all())), nil))
	if diff := cmp.Diff(comparableRecords(h.dump(all())), comparableRecords(restored.dump(all()))); diff != "" {
		t.Error(diff)
	}
	in := must[*vault.Inspection](t)(fresh.Desk.Vault.Inspect(ctx, person(), c))
	if !strings.Contains(in.Problem, "has no Vault") {
		t.Errorf("there it is %+v", in)
	}
}
