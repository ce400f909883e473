package profiles_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access/accesstest"
	"github.com/computclaw/airlock/app/credentials"
)

func TestDuplicate(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	p := d.Linked("A", "B")
	accesstest.Must[app.Profile](t)(
		d.Hosts.Set(ctx, person, p.Handle, accesstest.Hosts(t, "api.example.com", "db.example.com:5432"), nil))
	p = accesstest.Must[app.Profile](t)(d.Lifecycle.Lock(ctx, person, p.Handle, time.Time{}))
	accesstest.Must[app.Profile](t)(d.Lifecycle.SetExpiry(ctx, person, p.Handle, d.Now().Add(time.Hour)))
	p = accesstest.Must[app.Profile](t)(d.Lifecycle.Revoke(ctx, person, p.Handle))
	c := accesstest.Must[app.Profile](t)(d.Profiles.Duplicate(ctx, person, p.Handle))
	if c.ID == p.ID || c.Handle == p.Handle || c.Locked || c.Revoked || !c.ExpiresAt.IsZero() || c.Policy != 0 ||
		c.PairingCode != "" || c.Description != "Copy of reports" {
		t.Errorf("the copy is %+v", c)
	}
	if c.CanExecute(d.Now()) == nil {
		t.Error("the copy grants something before it is locked")
	}
	for i := range p.Keys {
		p.Keys[i].GrantHosts = nil
	}
	if diff := cmp.Diff(p.Keys, c.Keys,
		cmp.Comparer(func(a, b []app.Host) bool { return app.SameHosts(a, b) })); diff != "" {
		t.Errorf("keys: %s", diff)
	}
	if diff := cmp.Diff(accesstest.Shown(p), accesstest.Shown(c)); diff != "" {
		t.Errorf("hosts: %s", diff)
	}
	accesstest.Must[app.Profile](t)(d.Lifecycle.Lock(ctx, person, c.Handle, c.UpdatedAt))
	_, err := d.Profiles.Duplicate(ctx, agent, p.Handle)
	accesstest.WantCode(t, "an agent", err, app.CodeForbidden)
	_, err = d.Profiles.Duplicate(ctx, person, "none")
	accesstest.WantCode(t, "nothing", err, app.CodeNotFound)
}

// TestRevocationCanBeTakenBack: soon, and if nothing else has changed; the database enforces it
// too.
func TestRevocationCanBeTakenBack(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	p := d.Locked("A")
	_, err := d.Lifecycle.Restore(ctx, person, p.Handle)
	accesstest.WantCode(t, "what is not revoked", err, app.CodeConflict)
	accesstest.Must[app.Profile](t)(d.Lifecycle.Revoke(ctx, person, p.Handle))
	_, err = d.Lifecycle.Restore(ctx, agent, p.Handle)
	accesstest.WantCode(t, "an agent", err, app.CodeForbidden)
	d.Pass(10 * time.Minute)
	p = accesstest.Must[app.Profile](t)(d.Lifecycle.Restore(ctx, person, p.Handle))
	if p.CanExecute(d.Now()) != nil || !p.RevokedAt.IsZero() || p.Policy != 1 {
		t.Errorf("restored to %+v", p)
	}
	if got := d.Values(p)["A"]; got != "value of A" {
		t.Errorf("A is %q", got)
	}

	accesstest.Must[app.Profile](t)(d.Lifecycle.Revoke(ctx, person, p.Handle))
	d.Pass(10*time.Minute + time.Millisecond)
	_, err = d.Lifecycle.Restore(ctx, person, p.Handle)
	accesstest.WantCode(t, "too late", err, app.CodeConflict)

	for what, change := range map[string]func(p app.Profile) error{
		"its credential was deleted": func(app.Profile) error { return d.Credentials.Delete(ctx, person, "A") },
		"it was renamed": func(p app.Profile) error {
			_,
				err := d.Profiles.Describe(ctx, person, p.Handle, "x")
			return err
		},
		"its credential's mode": func(app.Profile) error {
			_, err := d.Credentials.Set(ctx, person, credentials.Input{Name: "A", Mode: app.ModePlain})
			return err
		},
	} {
		p := d.Locked("A")
		p = accesstest.Must[app.Profile](t)(d.Lifecycle.Revoke(ctx, person, p.Handle))
		if err := change(p); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		_, err := d.Lifecycle.Restore(ctx, person, p.Handle)
		accesstest.WantCode(t, what, err, app.CodeConflict)
	}
}

// TestHoleACopyOfALongDescriptionBrokeEveryBackup: a copy's description keeps the length limit.
func TestHoleACopyOfALongDescriptionBrokeEveryBackup(t *testing.T) {
	d := newDesk(t)
	p := accesstest.Must[app.Profile](t)(d.Profiles.Create(t.Context(), person, strings.Repeat("x", app.MaxDescription)))
	c := accesstest.Must[app.Profile](t)(d.Profiles.Duplicate(t.Context(), person, p.Handle))
	if err := app.CheckText("description", c.Description, app.MaxDescription); err != nil {
		t.Error(err)
	}
}
