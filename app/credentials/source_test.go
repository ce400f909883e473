//go:build vault

package credentials_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access/accesstest"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/app/leases"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/app/secrets/vault"
	"github.com/computclaw/airlock/app/secrets/vault/vaulttest"
	"github.com/computclaw/airlock/store"
)

const inVaultValue = "value-in-vault-0123456789"

func newVaultDesk(t *testing.T) (*desk, *vaulttest.Server) {
	t.Helper()
	s := vaulttest.Start(t)
	s.Policy("reader", map[string]string{"secret/data/*": "read", "kv/*": "read"})
	client, err := vault.New(vault.Config{Address: s.URL, Token: app.NewSecret(s.Token("1h", "reader")),
		Timeout: 20 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	d := newDesk(t, func(d *accesstest.Desk) {
		d.Config.Vault, d.Config.Leases = client, leases.New(leases.Config{Store: d.Store, Vault: client})
	})
	s.Put("app", map[string]any{"token": inVaultValue})
	return d, s
}

// TestSourceErasesWhatAirlockHeld: moving to Vault erases the local value; going back needs a new
// one.
func TestSourceErasesWhatAirlockHeld(t *testing.T) {
	d, _ := newVaultDesk(t)
	ctx := t.Context()
	before := d.AddCredential("TOKEN", app.ModeInjected, "held-by-airlock-0123456789")
	c := accesstest.Must[app.Credential](t)(
		d.Credentials.Set(ctx, person, credentials.Input{Name: "TOKEN", Reference: "secret/data/app#token"}))
	if c.Source != app.SourceVault || c.Reference != "secret/data/app#token" || !c.HasValue() ||
		c.Version != before.Version {
		t.Errorf("changed to %+v", c)
	}
	var kept map[string]store.Value
	if err := d.Store.Read(ctx,
		func(tx *store.Tx) (err error) {
			kept, err = tx.Values.Current(ctx,
				[]string{c.ID})
			return err
		}); err != nil ||
		len(kept) != 0 {
		t.Errorf("the old value is still there: %v %v", kept, err)
	}
	_, err := d.Credentials.Set(ctx, person, credentials.Input{Name: "TOKEN", Source: app.SourceLocal})
	wantField(t, err, "value")
	_, err = d.Credentials.Set(ctx, person, credentials.Input{Name: "TOKEN",
		Value: app.NewSecret("typed-0123456789abcdef")})
	wantField(t, err, "value")
	c = accesstest.Must[app.Credential](t)(
		d.Credentials.Set(ctx, person,
			credentials.Input{Name: "TOKEN", Source: app.SourceLocal, Value: app.NewSecret("typed-0123456789abcdef")}))
	if c.Source != app.SourceLocal || c.Reference != "" || c.Version != 2 {
		t.Errorf("changed back to %+v", c)
	}
	if actions := d.Actions(); !slices.Contains(actions, "credential.change") {
		t.Errorf("audited: %v", actions)
	}
}

func wantField(t *testing.T, err error, field string) {
	t.Helper()
	told, ok := err.(*app.Error)
	if !ok || told.Code != app.CodeInvalidField || told.Field != field {
		t.Errorf("%v, want a problem with the field %s", err, field)
	}
}

func TestSourceIsChecked(t *testing.T) {
	d, _ := newVaultDesk(t)
	ctx := t.Context()
	for name, c := range map[string]struct {
		in    credentials.Input
		field string
	}{
		"no reference":    {credentials.Input{Source: app.SourceVault}, "reference"},
		"a bad reference": {credentials.Input{Reference: "auth/token/lookup-self#id"}, "reference"},
		"both": {credentials.Input{Source: app.SourceLocal, Reference: "secret/data/app#token"},
			"reference"},
		"a value and a Vault": {credentials.Input{Reference: "secret/data/app#token",
			Value: app.NewSecret("typed-0123456789abcdef")}, "value"},
		"an unknown source": {credentials.Input{Source: "other"}, "source"},
		"sealed without a place": {credentials.Input{Reference: "secret/data/app#token", Mode: app.ModeSealed},
			"hosts"},
	} {
		c.in.Name = "TOKEN"
		if c.in.Mode == "" {
			c.in.Mode = app.ModeInjected
		}
		_, err := d.Credentials.Set(ctx, person, c.in)
		if err == nil {
			t.Errorf("%s was taken", name)
			continue
		}
		wantField(t, err, c.field)
	}
	if _, err := d.Credentials.Set(ctx, agent,
		credentials.Input{Name: "TOKEN", Mode: app.ModePlain, Reference: "secret/data/app#token"}); app.CodeOf(
		err) != app.CodeForbidden {
		t.Errorf("an agent: %v", err)
	}
	if _, err := d.Vault.Inspect(ctx, agent, app.Credential{}); app.CodeOf(err) != app.CodeForbidden {
		t.Errorf("an agent looks: %v", err)
	}
	without := newDesk(t)
	_, err := without.Credentials.Set(ctx, person,
		credentials.Input{Name: "TOKEN", Mode: app.ModeInjected, Reference: "secret/data/app#token"})
	wantField(t, err, "reference")
}

// TestPlaceholderFollowsTheValueInVault: it depends on value, profile and key, not the version
// number.
func TestPlaceholderFollowsTheValueInVault(t *testing.T) {
	d, s := newVaultDesk(t)
	ctx := t.Context()
	accesstest.Must[app.Credential](t)(
		d.Credentials.Set(ctx, person,
			credentials.Input{Name: "TOKEN", Hosts: accesstest.Hosts(t, "api.example"),
				Reference: "secret/data/app#token"}))
	lock := func() app.Profile {
		p := accesstest.Must[app.Profile](t)(d.Profiles.Create(ctx, person, "x"))
		accesstest.Must[app.Profile](t)(d.Keys.Add(ctx, person, p.Handle, []app.Key{{Name: "TOKEN"}}))
		accesstest.Must[app.Profile](t)(d.Keys.Link(ctx, person, p.Handle, "TOKEN", "TOKEN"))
		return accesstest.Must[app.Profile](t)(d.Lifecycle.Lock(ctx, person, p.Handle, time.Time{}))
	}
	p, other := lock(), lock()
	get := func(p app.Profile) secrets.Resolved {
		t.Helper()
		v := accesstest.Must[[]secrets.Resolved](t)(d.Resolver.Resolve(ctx, p.Handle, d.PolicyOf(p)))[0]
		if v.Hold != "" || v.Placeholder == "" || strings.Contains(v.Placeholder, inVaultValue) {
			t.Errorf("%+v", v)
		}
		return v
	}
	first := get(p)
	s.Put("app", map[string]any{"token": inVaultValue, "note": "another field"})
	again := get(p)
	s.Put("app", map[string]any{"token": "another-" + inVaultValue})
	rotated := get(p)
	if first.Placeholder != again.Placeholder || first.Version != 1 || again.Version != 2 ||
		rotated.Placeholder == first.Placeholder || get(other).Placeholder == rotated.Placeholder {
		t.Errorf("placeholders: %s, %s, %s", first.Placeholder, again.Placeholder, rotated.Placeholder)
	}
	known, all, err := d.Resolver.KnownValues(ctx, p, nil)
	if err != nil || !all || len(known) != 2 || known[0].Placeholder != rotated.Placeholder ||
		known[1].Placeholder != first.Placeholder {
		t.Errorf("known: %v %v %v", known, all, err)
	}
	s.Put("app", map[string]any{"token": "short"})
	_, err = d.Resolver.Resolve(ctx, p.Handle, d.PolicyOf(p))
	if app.CodeOf(err) != app.CodeMissingValue || !strings.Contains(err.Error(), "key TOKEN") ||
		!strings.Contains(err.Error(), "at least 16 characters") {
		t.Errorf("a short value: %v", err)
	}
	_, _, _, err = d.Credentials.OpenForCheck(ctx, person, "TOKEN")
	if app.CodeOf(err) != app.CodeMissingValue || !strings.Contains(err.Error(), "credential TOKEN") {
		t.Errorf("a test with a short value: %v", err)
	}
}
