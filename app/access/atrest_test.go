package access_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/access/accesstest"
	"github.com/computclaw/airlock/app/instance"
	"github.com/computclaw/airlock/app/secrets"
)

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
