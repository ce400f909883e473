package access

import (
	"bytes"
	"database/sql"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/store"
)

// raw opens the database as somebody would who has the file.
func (d *desk) raw() *sql.DB {
	d.t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(d.dir, store.FileName)+"?_pragma=busy_timeout(5000)")
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { _ = db.Close() })
	return db
}

func TestNothingSecretIsInTheFiles(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	const value, rotated, configured = "planted-Value-7f3x9kw2m4p", "planted-Rotated-8g4y0kx3n5q", "planted-Admin-Token-1a2b3c"
	d.credential("A", app.ModeInjected, value)
	p := d.unlocked("A")
	must[app.Profile](t)(d.LinkKey(ctx, person, p.Handle, "A", "A"))
	p = must[app.Profile](t)(d.Lock(ctx, person, p.Handle, time.Time{}))
	d.credential("A", "", rotated)
	d.values(p)
	must[app.Secret](t)(d.EnsureAdminToken(ctx, app.NewSecret(configured)))
	session := d.join(app.NewSecret(configured), "Ada")
	_, _ = d.Enroll(ctx, "192.0.2.1", "browser", app.NewSecret("planted-Wrong-Token-9z8y"))
	_, _ = d.Login(ctx, "192.0.2.1", "browser", "planted-Wrong-Name-5x4w", app.NewSecret("planted-Wrong-Token-9z8y"))
	d.session(session)
	_, _ = d.Profile(ctx, p.ID)

	secretTexts := map[string]string{
		"value": value, "rotated value": rotated, "profile id": p.ID, "end of the profile id": p.ID[len(app.ProfilePrefix):], "admin token": configured,
		"session": session.Reveal(), "wrong token": "planted-Wrong-Token-9z8y",
		"password": goodPassword, "wrong name": "planted-Wrong-Name-5x4w",
	}
	scan := func(when string) {
		files, err := filepath.Glob(filepath.Join(d.dir, "*"))
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
	if _, err := d.raw().Exec("PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
		t.Fatal(err)
	}
	scan("after a checkpoint")
}

func TestASupersededValueIsErased(t *testing.T) {
	d := newDesk(t)
	d.credential("A", app.ModeInjected, "old value")
	d.credential("A", app.ModeInjected, "new value")
	var versions, values int
	if err := d.raw().QueryRow("SELECT count(*), count(value) FROM credential_versions").Scan(&versions, &values); err != nil {
		t.Fatal(err)
	}
	if versions != 2 || values != 1 {
		t.Errorf("%d versions and %d values, want 2 and 1", versions, values)
	}
}

func TestAnotherInstanceKeyRefusesToStart(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	p := d.unlocked()
	wrong := must[*secrets.Keyring](t)(secrets.NewKeyring(app.NewSecret("another instance key of 32 characters")))
	if _, err := VerifyKeyring(ctx, d.store, wrong); err == nil {
		t.Error("a wrong key was accepted")
	}
	rotated := must[*secrets.Keyring](t)(secrets.NewKeyring(app.NewSecret("a new instance key of at least 32 chars"), app.NewSecret("an instance key of at least 32 characters")))
	ring := must[*secrets.Keyring](t)(VerifyKeyring(ctx, d.store, rotated))
	cfg := d.cfg
	cfg.Keyring = ring
	if got := must[app.Profile](t)(New(cfg).Profile(ctx, p.ID)); got.Handle != p.Handle {
		t.Error("after rotation another profile is found")
	}
	if _, err := d.raw().Exec("DELETE FROM settings WHERE key = 'keyring.lookup'"); err != nil {
		t.Fatal(err)
	}
	if _, err := VerifyKeyring(ctx, d.store, rotated); err == nil {
		t.Error("a lost lookup key was replaced: no profile would be found any more")
	}
}
