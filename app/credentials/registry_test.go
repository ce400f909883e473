package credentials_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access/accesstest"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/app/secrets"
)

func TestCredentialIsCreatedAndChanged(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	c := accesstest.Must[app.Credential](t)(d.Credentials.Set(ctx, person, credentials.Input{
		Name: "API_KEY", Description: new("for reports"), Hosts: accesstest.Hosts(t, "API.example."),
		Value: app.NewSecret("the first value it has"),
	}))
	want := app.Credential{
		ID: c.ID, Name: "API_KEY", Description: "for reports", Mode: app.ModeSealed,
		Hosts: accesstest.Hosts(t, "api.example"), Places: []app.Place{app.PlaceHeader}, Headers: []string{},
		Source:  app.SourceLocal,
		Version: 1, KeyID: d.Config.Keyring.KeyID(), ValueSetAt: d.Now(), CreatedAt: d.Now(), UpdatedAt: d.Now(),
	}
	if diff := cmp.Diff(want, c); diff != "" {
		t.Errorf("created:\n%s", diff)
	}
	d.Pass(time.Minute)
	same := accesstest.Must[app.Credential](t)(
		d.Credentials.Set(ctx, person, credentials.Input{Name: "API_KEY", Description: new("for reports")}))
	if diff := cmp.Diff(want, same); diff != "" {
		t.Errorf("nothing new:\n%s", diff)
	}
	_, err := d.Credentials.Create(ctx, person, credentials.Input{Name: "API_KEY"})
	accesstest.WantCode(t, "create again", err, app.CodeConflict)
	changed := accesstest.Must[app.Credential](t)(
		d.Credentials.Set(ctx, person, credentials.Input{Name: "API_KEY", Mode: app.ModePlain, Hosts: []app.Host{}}))
	if changed.Mode != app.ModePlain || len(changed.Hosts) != 0 || changed.Version != 1 ||
		!changed.UpdatedAt.Equal(d.Now()) {
		t.Errorf("changed: %+v", changed)
	}
	if diff := cmp.Diff([]string{"credential.create", "credential.set", "credential.change"},
		d.Actions()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]app.Credential{changed},
		accesstest.Must[[]app.Credential](t)(d.Credentials.List(ctx))); diff != "" {
		t.Errorf("listed:\n%s", diff)
	}
}

// An outdated form doesn't restore a removed host.
func TestCredentialsAreSetAsTheyWereSeen(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	seen := d.sealed("A", "a.example", "b.example").UpdatedAt
	d.Pass(time.Minute)
	d.sealed("A", "a.example")
	_, err := d.Credentials.Set(ctx, person,
		credentials.Input{Name: "A", Hosts: accesstest.Hosts(t, "a.example", "b.example"),
			Value: app.NewSecret("another value of it"), Seen: seen})
	accesstest.WantCode(t, "of before", err, app.CodeConflict)
	now := accesstest.Must[app.Credential](t)(d.Credentials.ByName(ctx, "A"))
	if len(now.Hosts) != 1 || now.Version != 2 {
		t.Errorf("%+v", now)
	}
	accesstest.Must[app.Credential](t)(
		d.Credentials.Set(ctx, person,
			credentials.Input{Name: "A", Value: app.NewSecret("another value of it"), Seen: now.UpdatedAt}))
	// a new value changes nothing that a form shows
	accesstest.Must[app.Credential](t)(
		d.Credentials.Set(ctx, person,
			credentials.Input{Name: "A", Hosts: accesstest.Hosts(t, "b.example"), Seen: now.UpdatedAt}))
}

func TestBadCredentialsAreRefused(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	for name, in := range map[string]credentials.Input{
		"no name":   {},
		"dash":      {Name: "API-KEY"},
		"injection": {Name: `A"; DROP TABLE credentials; --`},
		"long name": {Name: strings.Repeat("A", 129)},
		"mode":      {Name: "A", Mode: "open"},
		"no mode":   {Name: "A", Value: app.NewSecret("long enough a value")},
		"no hosts":  {Name: "A", Mode: app.ModeSealed, Value: app.NewSecret("long enough a value")},
		"too short": {Name: "A", Hosts: accesstest.Hosts(t, "a.example"), Value: app.NewSecret("15 characters..")},
		"place":     {Name: "A", Hosts: accesstest.Hosts(t, "a.example"), Places: []app.Place{"cookie"}},
		"no HTTP": {Name: "A",
			Hosts: []app.Host{{Name: "db.example", Ports: []int{5432}, Protocol: app.ProtocolPostgres}}},
		"reference":   {Name: "A", Hosts: accesstest.Hosts(t, "{B}")},
		"host":        {Name: "A", Mode: app.ModeInjected, Hosts: []app.Host{{Name: "a b"}}},
		"short value": {Name: "A", Mode: app.ModeInjected, Value: app.NewSecret("abc")},
		"NUL":         {Name: "A", Mode: app.ModeInjected, Value: app.NewSecret("abc\x00def")},
		"UTF-8":       {Name: "A", Mode: app.ModeInjected, Value: app.NewSecret("abc\xff")},
		"huge":        {Name: "A", Mode: app.ModeInjected, Value: app.NewSecret(strings.Repeat("x", app.MaxValue+1))},
	} {
		_, err := d.Credentials.Set(ctx, person, in)
		accesstest.WantCode(t, name, err, app.CodeInvalidField)
	}
	if list := accesstest.Must[[]app.Credential](t)(d.Credentials.List(ctx)); len(list) > 0 || len(d.Actions()) > 0 {
		t.Errorf("a refused credential left %+v", list)
	}
}

func TestAnotherModeChecksTheValueThatStays(t *testing.T) {
	d := newDesk(t)
	d.AddCredential("A", app.ModePlain, "abc")
	_, err := d.Credentials.Set(t.Context(), person, credentials.Input{Name: "A", Mode: app.ModeInjected})
	accesstest.WantCode(t, "too short to be redacted", err, app.CodeInvalidField)
	accesstest.Must[app.Credential](t)(
		d.Credentials.Set(t.Context(), person,
			credentials.Input{Name: "A", Mode: app.ModeInjected, Value: app.NewSecret("abcd")}))
}

func TestRotationReachesEveryProfileAtItsNextExecution(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	d.AddCredential("SHARED", app.ModeInjected, "old value")
	var profiles []app.Profile
	for range 3 {
		p := d.Unlocked("SHARED")
		accesstest.Must[app.Profile](t)(d.Keys.Link(ctx, person, p.Handle, "SHARED", "SHARED"))
		profiles = append(profiles, accesstest.Must[app.Profile](t)(d.Lifecycle.Lock(ctx, person, p.Handle,
			time.Time{})))
	}
	for _, want := range []string{"old value", "new value"} {
		d.AddCredential("SHARED", "", want)
		for _, p := range profiles {
			if got := d.Values(p)["SHARED"]; got != want {
				t.Errorf("resolved %q, want %q", got, want)
			}
		}
	}
	c := accesstest.Must[app.Credential](t)(d.Credentials.ByName(ctx, "SHARED"))
	if c.Version != 3 || c.Uses != 6 || c.Profiles != 3 || !c.LastUsedAt.Equal(d.Now()) {
		t.Errorf("after use: %+v", c)
	}
}

func TestResolveTellsVersionAndMode(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	p := d.Locked("B", "A")
	d.AddCredential("A", app.ModePlain, "other")
	got := accesstest.Must[[]secrets.Resolved](t)(d.Resolver.Resolve(ctx, p.Handle, d.PolicyOf(p)))
	if len(got) != 2 || got[0].Key != "A" || got[0].Version != 2 || got[0].Mode != app.ModePlain || got[1].Key != "B" ||
		got[1].Version != 1 || got[1].Mode != app.ModeInjected {
		t.Errorf("resolved %+v", got)
	}
	known, all, err := d.Resolver.KnownValues(ctx, p, nil)
	if err != nil || !all || len(known) != 1 || known[0].Key != "B" || known[0].Secret.Reveal() != "value of B" {
		t.Errorf("known values %+v, want only B's", known)
	}
}

func TestResolveNamesTheKeyWithoutAValue(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	p := d.Locked("A", "B")
	policy := d.PolicyOf(p)
	accesstest.Must[app.Profile](t)(d.Lifecycle.SetExpiry(ctx, person, p.Handle, d.Now().Add(time.Hour)))
	d.Pass(time.Hour)
	if err := d.Credentials.Delete(ctx, person, "B"); err != nil { // the profile is expired, so it may go
		t.Fatal(err)
	}
	_, err := d.Resolver.Resolve(ctx, p.Handle, policy)
	accesstest.WantCode(t, "deleted", err, app.CodeMissingValue)
	if err == nil || !strings.Contains(err.Error(), "key B") {
		t.Errorf("%v does not name the key", err)
	}
	extended := accesstest.Must[app.Profile](t)(d.Lifecycle.SetExpiry(ctx, person, p.Handle, time.Time{}))
	accesstest.WantCode(t, "execute", extended.CanExecute(d.Now()), app.CodeMissingValue)
	d.AddCredential("B", app.ModeInjected, "another credential of that name")
	_, err = d.Resolver.Resolve(ctx, p.Handle, policy)
	accesstest.WantCode(t, "a namesake", err, app.CodeMissingValue)
}

func TestCredentialInUseStays(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	p := d.Locked("A")
	accesstest.WantCode(t, "in use", d.Credentials.Delete(ctx, person, "A"), app.CodeInUse)
	accesstest.Must[app.Profile](t)(d.Lifecycle.Revoke(ctx, person, p.Handle))
	unlocked := d.Unlocked("A")
	unlocked = accesstest.Must[app.Profile](t)(d.Keys.Link(ctx, person, unlocked.Handle, "A", "A"))
	if err := d.Credentials.Delete(ctx, person, "A"); err != nil {
		t.Fatal(err)
	}
	after := accesstest.Must[app.Profile](t)(d.Profiles.ByHandle(ctx, unlocked.Handle))
	if k := after.Keys[0]; k.ValueExists || k.CredentialID != "" || !after.UpdatedAt.After(unlocked.UpdatedAt) {
		t.Errorf("the key of an unlocked profile: %+v", k)
	}
	accesstest.WantCode(t, "again", d.Credentials.Delete(ctx, person, "A"), app.CodeNotFound)
}

func TestASealedValueOpensInItsOwnRowOnly(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	p := d.Locked("A", "B")
	policy := d.PolicyOf(p)
	raw := d.Raw()
	if _, err := raw.Exec("UPDATE credential_versions SET value = (SELECT value FROM credential_versions v WHERE " +
		"v.credential_id <> credential_versions.credential_id)"); err != nil {
		t.Fatal(err)
	}
	if values, err := d.Resolver.Resolve(ctx, p.Handle, policy); err == nil {
		t.Errorf("swapped rows were opened: %v", values)
	}
	if _, err := raw.Exec("UPDATE profiles SET sealed_id = x'00'"); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Profiles.ByID(ctx, p.ID); err == nil {
		t.Error("a damaged id was opened")
	}
}

// TestHoleUnstatedDescription: a new value cleared the description, and could not be set where that
// has characters that only an import accepts.
func TestHoleUnstatedDescription(t *testing.T) {
	d := newDesk(t)
	d.set(credentials.Input{Name: "API_KEY", Description: new("for reports"), Mode: app.ModeInjected,
		Value: app.NewSecret("the first value of it")})
	c := d.set(credentials.Input{Name: "API_KEY", Value: app.NewSecret("the second value of it")})
	if c.Description != "for reports" {
		t.Errorf("the description is %q", c.Description)
	}
	if c = d.set(credentials.Input{Name: "API_KEY", Description: new("")}); c.Description != "" {
		t.Errorf("a cleared description is %q", c.Description)
	}
}
