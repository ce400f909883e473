package access

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/app"
)

func TestDuplicate(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	p := d.linked("A", "B")
	must[app.Profile](t)(d.SetHosts(ctx, person, p.Handle, hosts(t, "api.example.com", "db.example.com:5432"), nil))
	p = must[app.Profile](t)(d.Lock(ctx, person, p.Handle, time.Time{}))
	must[app.Profile](t)(d.SetExpiry(ctx, person, p.Handle, d.now().Add(time.Hour)))
	p = must[app.Profile](t)(d.Revoke(ctx, person, p.Handle))
	c := must[app.Profile](t)(d.DuplicateProfile(ctx, person, p.Handle))
	if c.ID == p.ID || c.Handle == p.Handle || c.Locked || c.Revoked || !c.ExpiresAt.IsZero() || c.Policy != 0 || c.PairingCode != "" || c.Description != "Copy of reports" {
		t.Errorf("the copy is %+v", c)
	}
	if c.CanExecute(d.now()) == nil {
		t.Error("the copy grants something before it is locked")
	}
	for i := range p.Keys {
		p.Keys[i].GrantHosts = nil
	}
	if diff := cmp.Diff(p.Keys, c.Keys, cmp.Comparer(func(a, b []app.Host) bool { return sameHosts(a, b) })); diff != "" {
		t.Errorf("keys: %s", diff)
	}
	if diff := cmp.Diff(shown(p), shown(c)); diff != "" {
		t.Errorf("hosts: %s", diff)
	}
	must[app.Profile](t)(d.Lock(ctx, person, c.Handle, c.UpdatedAt))
	_, err := d.DuplicateProfile(ctx, agent, p.Handle)
	wantCode(t, "an agent", err, app.CodeForbidden)
	_, err = d.DuplicateProfile(ctx, person, "none")
	wantCode(t, "nothing", err, app.CodeNotFound)
}

// TestRevocationCanBeTakenBack: soon, and only if nothing else has changed; the database holds it too.
func TestRevocationCanBeTakenBack(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	p := d.locked("A")
	_, err := d.Restore(ctx, person, p.Handle)
	wantCode(t, "what is not revoked", err, app.CodeConflict)
	must[app.Profile](t)(d.Revoke(ctx, person, p.Handle))
	_, err = d.Restore(ctx, agent, p.Handle)
	wantCode(t, "an agent", err, app.CodeForbidden)
	d.clock.pass(10 * time.Minute)
	p = must[app.Profile](t)(d.Restore(ctx, person, p.Handle))
	if p.CanExecute(d.now()) != nil || !p.RevokedAt.IsZero() || p.Policy != 1 {
		t.Errorf("restored to %+v", p)
	}
	if got := d.values(p)["A"]; got != "value of A" {
		t.Errorf("A is %q", got)
	}

	must[app.Profile](t)(d.Revoke(ctx, person, p.Handle))
	d.clock.pass(10*time.Minute + time.Millisecond)
	_, err = d.Restore(ctx, person, p.Handle)
	wantCode(t, "too late", err, app.CodeConflict)

	for what, change := range map[string]func(p app.Profile) error{
		"its credential was deleted": func(app.Profile) error { return d.DeleteCredential(ctx, person, "A") },
		"it was renamed":             func(p app.Profile) error { _, err := d.DescribeProfile(ctx, person, p.Handle, "x"); return err },
		"its credential's mode": func(app.Profile) error {
			_, err := d.SetCredential(ctx, person, CredentialInput{Name: "A", Mode: app.ModePlain})
			return err
		},
	} {
		p := d.locked("A")
		p = must[app.Profile](t)(d.Revoke(ctx, person, p.Handle))
		if err := change(p); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		_, err := d.Restore(ctx, person, p.Handle)
		wantCode(t, what, err, app.CodeConflict)
	}
}
