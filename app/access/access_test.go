package access_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/access/accesstest"
	"github.com/computclaw/airlock/app/auth"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/app/instance"
	"github.com/computclaw/airlock/app/secrets"
)

func atOnce(fns ...func() error) []error {
	errs := make([]error, len(fns))
	start := make(chan struct{})
	var wg sync.WaitGroup
	for i, fn := range fns {
		wg.Go(func() {
			<-start
			errs[i] = fn()
		})
	}
	close(start)
	wg.Wait()
	return errs
}

// rounds is how often each race is run.
const rounds = 15

func TestRaceLockAgainstAddKeys(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	d.AddCredential("A", app.ModeInjected, "value")
	for range rounds {
		p := d.Unlocked("A")
		p = accesstest.Must[app.Profile](t)(d.Keys.Link(ctx, person, p.Handle, "A", "A"))
		errs := atOnce(
			func() error { _, err := d.Lifecycle.Lock(ctx, person, p.Handle, p.UpdatedAt); return err },
			func() error { _, err := d.Keys.Add(ctx, agent, p.Handle, accesstest.Keys("B")); return err },
			func() error {
				_, err := d.Hosts.Propose(ctx, agent, p.Handle, accesstest.Hosts(t, "evil.example"))
				return err
			},
		)
		got := accesstest.Must[app.Profile](t)(d.Profiles.ByHandle(ctx, p.Handle))
		switch {
		case errs[0] == nil: // the lock won: nothing that came before it was missed
			accesstest.WantCode(t, "add after the lock", errs[1], app.CodeProfileLocked)
			if !got.Locked || len(got.Keys) != 1 || len(d.PolicyOf(got).Keys) != 1 || len(d.PolicyOf(got).Hosts) != 0 {
				t.Errorf("locked with %+v", got.Keys)
			}
		case app.CodeOf(errs[0]) == app.CodeConflict:
			if got.Locked {
				t.Error("a refused lock locked")
			}
		default:
			t.Errorf("lock: %v", errs[0])
		}
	}
}

func TestRaceDoubleLock(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	for i := range rounds {
		p := d.Linked(fmt.Sprint("A", i))
		lock := func() error { _, err := d.Lifecycle.Lock(ctx, person, p.Handle, p.UpdatedAt); return err }
		won := 0
		for _, err := range atOnce(lock, lock, lock, lock) {
			if err == nil {
				won++
				continue
			}
			accesstest.WantCode(t, "second lock", err, app.CodeProfileLocked)
		}
		if won != 1 {
			t.Errorf("%d locks succeeded", won)
		}
		if got := accesstest.Must[app.Profile](t)(d.Profiles.ByHandle(ctx, p.Handle)); got.Policy != 1 {
			t.Errorf("policy %d after one lock", got.Policy)
		}
	}
}

func TestRaceLockAgainstRevokeAndUnlink(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	for i := range rounds {
		name := fmt.Sprint("A", i)
		p := d.Linked(name)
		atOnce(
			func() error { _, err := d.Lifecycle.Lock(ctx, person, p.Handle, time.Time{}); return err },
			func() error { _, err := d.Lifecycle.Revoke(ctx, person, p.Handle); return err },
			func() error { return d.Credentials.Delete(ctx, person, name) },
		)
		got := accesstest.Must[app.Profile](t)(d.Profiles.ByHandle(ctx, p.Handle))
		if !got.Revoked || got.CanExecute(d.Now()) == nil {
			t.Errorf("a revoked profile can execute: %+v", got)
		}
	}
}

func TestRaceRotations(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	p := d.Locked("A")
	policy := d.PolicyOf(p)
	var fns []func() error
	for i := range 8 {
		fns = append(fns,
			func() error {
				_, err := d.Credentials.Set(ctx, person,
					credentials.Input{Name: "A", Value: app.NewSecret(fmt.Sprintf("value %d", i))})
				return err
			},
			func() error { // never half a value, never none
				values, err := d.Resolver.Resolve(ctx, p.Handle, policy)
				if err == nil && len(values[0].Secret.Reveal()) < len("value 0") {
					err = errors.New("a value was cut")
				}
				return err
			})
	}
	for _, err := range atOnce(fns...) {
		if err != nil {
			t.Error(err)
		}
	}
	if c := accesstest.Must[app.Credential](t)(d.Credentials.ByName(ctx, "A")); c.Version != 9 || c.Uses != 8 {
		t.Errorf("version %d and %d uses after 8 rotations and uses, want 9 and 8", c.Version, c.Uses)
	}
	if broken := accesstest.Must[int64](t)(d.Audit.Verify(ctx)); broken != 0 {
		t.Errorf("the audit chain is broken at %d", broken)
	}
}

func TestRaceCreations(t *testing.T) {
	d := newDesk(t, func(d *accesstest.Desk) { d.Config.MaxUnclaimed = 9 })
	ctx := t.Context()
	var creations, profiles []func() error
	for range 10 {
		creations = append(creations, func() error {
			_, err := d.Credentials.Create(ctx, person, credentials.Input{Name: "SAME", Mode: app.ModeInjected})
			return err
		})
		profiles = append(profiles, func() error { _, err := d.Profiles.Create(ctx, agent, ""); return err })
	}
	count := func(errs []error, lost app.Code) (won int) {
		for _, err := range errs {
			if err == nil {
				won++
			} else {
				accesstest.WantCode(t, "lost", err, lost)
			}
		}
		return won
	}
	if won := count(atOnce(creations...), app.CodeConflict); won != 1 {
		t.Errorf("%d creations of one name succeeded", won)
	}
	if won := count(atOnce(profiles...), app.CodeRateLimited); won != 5 {
		t.Errorf("%d unclaimed profiles, want 5, which leaves 4 to others", won)
	}
}

func TestRaceHostsAfterTheLock(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	p := d.Locked("A")
	var fns []func() error
	for i := range 8 {
		list := accesstest.Hosts(t, fmt.Sprintf("h%d.example", i))
		fns = append(fns, func() error { _, err := d.Hosts.Set(ctx, person, p.Handle, list, nil); return err })
	}
	for _, err := range atOnce(fns...) {
		if err != nil {
			t.Error(err)
		}
	}
	got := accesstest.Must[app.Profile](t)(d.Profiles.ByHandle(ctx, p.Handle))
	policy := d.PolicyOf(got)
	if got.Policy != 9 || len(policy.Hosts) != 1 || len(got.Hosts) != 1 || policy.Hosts[0].Name != got.Hosts[0].Name {
		t.Errorf("policy %d has %v, the page shows %v", got.Policy, policy.Hosts, accesstest.Shown(got))
	}
}

func TestRaceNewTokenAgainstEnroll(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	token := d.FirstToken()
	for range 3 {
		var half auth.Opened
		var next app.Secret
		atOnce(
			func() error {
				var err error
				half, err = d.Enrollment.Enroll(ctx, accesstest.Browser, "", token)
				return err
			},
			func() error {
				var err error
				next, err = d.AdminToken.Renew(ctx, person)
				return err
			},
		)
		if _, err := d.Enrollment.IsEnrolling(ctx, half.Token); err == nil {
			t.Error("what the token before opened is still good")
		}
		token = next
	}
}

func TestRaceOneTokenMakesOnePerson(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	token := d.FirstToken()
	var fns []func() error
	for _, name := range []string{"Ada", "Bob", "Eve", "Dan"} {
		half := d.ShowToken(token)
		fns = append(fns, func() error {
			_, err := d.Enrollment.Join(ctx, half, accesstest.Browser, "", name, app.NewSecret(accesstest.GoodPassword))
			return err
		})
	}
	joined := 0
	for _, err := range atOnce(fns...) {
		if err == nil {
			joined++
		} else if code := app.CodeOf(err); code != app.CodeUnauthorized && code != app.CodeConflict {
			t.Error(err)
		}
	}
	if people := accesstest.Must[[]auth.Person](t)(d.People.List(ctx)); joined != 1 || len(people) != 1 {
		t.Errorf("%d joined, people %+v", joined, people)
	}
}

func TestNothingSecretIsInTheFiles(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	const value, rotated, configured = "planted-Value-7f3x9kw2m4p", "planted-Rotated-8g4y0kx3n5q",
		"planted-Admin-Token-1a2b3c"
	d.AddCredential("A", app.ModeInjected, value)
	p := d.Unlocked("A")
	accesstest.Must[app.Profile](t)(d.Keys.Link(ctx, person, p.Handle, "A", "A"))
	p = accesstest.Must[app.Profile](t)(d.Lifecycle.Lock(ctx, person, p.Handle, time.Time{}))
	d.AddCredential("A", "", rotated)
	d.Values(p)
	accesstest.Must[app.Secret](t)(d.AdminToken.Ensure(ctx, app.NewSecret(configured)))
	session := d.JoinAs(app.NewSecret(configured), "Ada")
	_, _ = d.Enrollment.Enroll(ctx, "192.0.2.1", "browser", app.NewSecret("planted-Wrong-Token-9z8y"))
	_, _ = d.Logins.Login(ctx, "192.0.2.1", "browser", "planted-Wrong-Name-5x4w",
		app.NewSecret("planted-Wrong-Token-9z8y"))
	d.SessionOf(session)
	_, _ = d.Profiles.ByID(ctx, p.ID)

	secretTexts := map[string]string{
		"value": value, "rotated value": rotated, "profile id": p.ID,
		"end of the profile id": p.ID[len(app.ProfilePrefix):],
		"admin token":           configured,
		"session":               session.Reveal(), "wrong token": "planted-Wrong-Token-9z8y",
		"password": accesstest.GoodPassword, "wrong name": "planted-Wrong-Name-5x4w",
	}
	scan := func(when string) {
		files, err := filepath.Glob(filepath.Join(d.Dir, "*"))
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			found = found || bytes.Contains(data, []byte(p.Handle))
			for name, text := range secretTexts {
				if bytes.Contains(data, []byte(text)) {
					t.Errorf("%s: the %s is readable in %s", when, name, filepath.Base(file))
				}
			}
		}
		if !found {
			t.Errorf("%s: the scan does not even find the handle: it looks in the wrong place", when)
		}
	}
	scan("with the log beside the file")
	if _, err := d.Raw().Exec("PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
		t.Fatal(err)
	}
	scan("after a checkpoint")
}

func TestASupersededValueIsErased(t *testing.T) {
	d := newDesk(t)
	d.AddCredential("A", app.ModeInjected, "old value")
	d.AddCredential("A", app.ModeInjected, "new value")
	var versions, values int
	if err := d.Raw().QueryRow("SELECT count(*), count(value) FROM credential_versions").Scan(&versions,
		&values); err != nil {
		t.Fatal(err)
	}
	if versions != 2 || values != 1 {
		t.Errorf("%d versions and %d values, want 2 and 1", versions, values)
	}
}

func TestAnotherInstanceKeyRefusesToStart(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	p := d.Unlocked()
	wrong := accesstest.Must[*secrets.Keyring](t)(
		secrets.NewKeyring(app.NewSecret("another instance key of 32 characters")))
	if _, err := instance.VerifyKeyring(ctx, d.Store, wrong); err == nil {
		t.Error("a wrong key was accepted")
	}
	rotated := accesstest.Must[*secrets.Keyring](t)(
		secrets.NewKeyring(app.NewSecret("a new instance key of at least 32 chars"),
			app.NewSecret("an instance key of at least 32 characters")))
	ring := accesstest.Must[*secrets.Keyring](t)(instance.VerifyKeyring(ctx, d.Store, rotated))
	cfg := d.Config
	cfg.Keyring = ring
	if got := accesstest.Must[app.Profile](t)(access.New(cfg).Profiles.ByID(ctx, p.ID)); got.Handle != p.Handle {
		t.Error("after rotation another profile is found")
	}
	if _, err := d.Raw().Exec("DELETE FROM settings WHERE key = 'keyring.lookup'"); err != nil {
		t.Fatal(err)
	}
	if _, err := instance.VerifyKeyring(ctx, d.Store, rotated); err == nil {
		t.Error("a lost lookup key was replaced: no profile would be found any more")
	}
}
