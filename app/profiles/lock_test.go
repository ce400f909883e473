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

func TestLockedIsOneWay(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	p := d.Locked("A")
	if !p.Locked || p.Policy != 1 || p.LockedAt.IsZero() {
		t.Errorf("locked: %+v", p)
	}
	for _, by := range []app.Actor{agent, person} {
		_, err := d.Keys.Add(ctx, by, p.Handle, accesstest.Keys("B"))
		accesstest.WantCode(t, "add", err, app.CodeProfileLocked)
		_, err = d.Keys.Remove(ctx, by, p.Handle, "A")
		accesstest.WantCode(t, "remove", err, app.CodeProfileLocked)
	}
	d.AddCredential("B", app.ModeInjected, "value")
	for _, to := range []string{"B", ""} {
		_, err := d.Keys.Link(ctx, person, p.Handle, "A", to)
		accesstest.WantCode(t, "link", err, app.CodeProfileLocked)
	}
	_, err := d.Lifecycle.Lock(ctx, person, p.Handle, time.Time{})
	accesstest.WantCode(t, "lock again", err, app.CodeProfileLocked)
	if got := accesstest.Must[app.Profile](t)(d.Profiles.ByHandle(ctx, p.Handle)); cmp.Diff(p, got) != "" {
		t.Errorf("something changed: %s", cmp.Diff(p, got))
	}
}

func TestLockNeedsEveryValue(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	p := d.Linked("A")
	accesstest.Must[app.Profile](t)(d.Keys.Add(ctx, agent, p.Handle, accesstest.Keys("B")))
	_, err := d.Lifecycle.Lock(ctx, person, p.Handle, time.Time{})
	accesstest.WantCode(t, "unlinked key", err, app.CodeMissingValue)
	accesstest.Must[app.Credential](t)(d.Credentials.Set(ctx, person,
		credentials.Input{Name: "B", Mode: app.ModeInjected}))
	accesstest.Must[app.Profile](t)(d.Keys.Link(ctx, person, p.Handle, "B", "B"))
	_, err = d.Lifecycle.Lock(ctx, person, p.Handle, time.Time{})
	accesstest.WantCode(t, "no value", err, app.CodeMissingValue)
	if err == nil || !strings.Contains(err.Error(), "B") {
		t.Errorf("%v does not name the key", err)
	}
	d.AddCredential("B", "", "value")
	accesstest.Must[app.Profile](t)(d.Lifecycle.Lock(ctx, person, p.Handle, time.Time{}))
}

func TestLockOnlyWhatWasSeen(t *testing.T) {
	ctx := t.Context()
	for name, change := range map[string]func(d *desk, p app.Profile) error{
		"a key": func(d *desk, p app.Profile) error {
			_, err := d.Keys.Add(ctx, agent, p.Handle, accesstest.Keys("B"))
			return err
		},
		"a proposal": func(d *desk, p app.Profile) error {
			_, err := d.Hosts.Propose(ctx, agent, p.Handle, accesstest.Hosts(t, "evil.example"))
			return err
		},
		"hosts": func(d *desk, p app.Profile) error {
			_, err := d.Hosts.Set(ctx, person, p.Handle, accesstest.Hosts(t, "evil.example"), nil)
			return err
		},
		"another mode": func(d *desk, _ app.Profile) error {
			_, err := d.Credentials.Set(ctx, person, credentials.Input{Name: "A", Mode: app.ModePlain})
			return err
		},
		"the credential's hosts": func(d *desk, _ app.Profile) error {
			_, err := d.Credentials.Set(ctx, person, credentials.Input{Name: "A",
				Hosts: accesstest.Hosts(t, "b.example")})
			return err
		},
		"another link": func(d *desk, p app.Profile) error {
			_,
				err := d.Keys.Link(ctx, person, p.Handle, "A", "")
			return err
		},
	} {
		d := newDesk(t) // its clock stands still, so times alone would not tell
		seen := d.Linked("A")
		if err := change(d, seen); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		_, err := d.Lifecycle.Lock(ctx, person, seen.Handle, seen.UpdatedAt)
		accesstest.WantCode(t, name, err, app.CodeConflict)
	}
	d := newDesk(t)
	seen := d.Linked("A")
	d.AddCredential("A", "", "a new value is no reason to look again")
	accesstest.Must[app.Profile](t)(d.Lifecycle.Lock(ctx, person, seen.Handle, seen.UpdatedAt))
}

// TestTheLockDecidesAboutWhatWasNotTicked: it is declined, but can be requested with another
// reason.
func TestTheLockDecidesAboutWhatWasNotTicked(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	p := accesstest.Must[app.Profile](t)(
		d.Hosts.Propose(ctx, agent, d.Unlocked().Handle, accesstest.Hosts(t, "a.example", "b.example", "c.example")))
	p = accesstest.Must[app.Profile](t)(d.Hosts.Set(ctx, person, p.Handle, accesstest.Hosts(t, "b.example"), nil))
	p = accesstest.Must[app.Profile](t)(d.Lifecycle.Lock(ctx, person, p.Handle, p.UpdatedAt))
	if len(p.Hosts) != 1 || p.Hosts[0].Name != "b.example" || !p.Hosts[0].Allowed || p.Policy != 1 {
		t.Errorf("after the lock it has %+v, policy %d", p.Hosts, p.Policy)
	}
	newest := accesstest.Must[[]app.Event](t)(d.Audit.Latest(ctx, 1))[0]
	if !strings.Contains(newest.Detail, "Dismissed a.example, c.example.") {
		t.Errorf("the audit log says %q", newest.Detail)
	}
	if p = d.propose(p, "a.example", ""); len(p.Hosts) != 1 || len(p.Declined) != 2 {
		t.Errorf("asked again without a reason: %+v, declined %+v", p.Hosts, p.Declined)
	}
	p = d.propose(p, "a.example", "the totals are there")
	if len(p.Hosts) != 2 || p.Hosts[1].Allowed {
		t.Errorf("asked again: %+v", p.Hosts)
	}
}

func TestRevocationIsFinal(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	p := accesstest.Must[app.Profile](t)(d.Lifecycle.Revoke(ctx, person, d.Locked("A").Handle))
	if !p.Revoked || p.CanExecute(d.Now()) == nil {
		t.Errorf("revoked: %+v", p)
	}
	accesstest.Must[app.Profile](t)(d.Lifecycle.Revoke(ctx, person, p.Handle))
	_, err := d.Lifecycle.SetExpiry(ctx, person, p.Handle, time.Time{})
	accesstest.WantCode(t, "expiry", err, app.CodeProfileRevoked)
	_, err = d.Hosts.Set(ctx, person, p.Handle, accesstest.Hosts(t, "a.example"), nil)
	accesstest.WantCode(t, "hosts", err, app.CodeProfileRevoked)
	_, err = d.Hosts.Propose(ctx, agent, p.Handle, accesstest.Hosts(t, "a.example"))
	accesstest.WantCode(t, "propose", err, app.CodeProfileRevoked)
	unlocked := accesstest.Must[app.Profile](t)(d.Lifecycle.Revoke(ctx, person, d.Linked("B").Handle))
	_, err = d.Lifecycle.Lock(ctx, person, unlocked.Handle, time.Time{})
	accesstest.WantCode(t, "lock", err, app.CodeProfileRevoked)
	_, err = d.Keys.Add(ctx, agent, unlocked.Handle, accesstest.Keys("C"))
	accesstest.WantCode(t, "keys", err, app.CodeProfileRevoked)
}

func TestExpiryIsExtendedWithoutANewID(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	p := d.Locked("A")
	accesstest.Must[app.Profile](t)(d.Lifecycle.SetExpiry(ctx, person, p.Handle, d.Now().Add(time.Hour)))
	d.Pass(time.Hour)
	expired := accesstest.Must[app.Profile](t)(d.Profiles.ByID(ctx, p.ID))
	accesstest.WantCode(t, "expired", expired.CanExecute(d.Now()), app.CodeProfileExpired)
	extended := accesstest.Must[app.Profile](t)(d.Lifecycle.SetExpiry(ctx, person, p.Handle, d.Now().Add(time.Hour)))
	if extended.ID != p.ID || extended.CanExecute(d.Now()) != nil {
		t.Errorf("extended: %v", extended.CanExecute(d.Now()))
	}
	never := accesstest.Must[app.Profile](t)(d.Lifecycle.SetExpiry(ctx, person, p.Handle, time.Time{}))
	if !never.ExpiresAt.IsZero() {
		t.Error("the expiry is still there")
	}
	for _, at := range []time.Time{d.Now(), d.Now().Add(-time.Hour), time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC),
		time.Unix(0, 0)} {
		_, err := d.Lifecycle.SetExpiry(ctx, person, p.Handle, at)
		accesstest.WantCode(t, at.String(), err, app.CodeInvalidField)
	}
}
