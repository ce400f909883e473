package transfer

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/store"
)

// Somebody deleted a database and left the write-ahead log of a server that was killed. SQLite would write its pages over the database that is restored to that place.
func TestRestoreBesideAForgottenWriteAheadLog(t *testing.T) {
	old, p, _ := furnished(t, "aaaa")
	file := filepath.Join(t.TempDir(), "house.airlock")
	old.no(os.WriteFile(file, old.export(all()), 0o600))
	dead, _, _ := furnished(t, "bbbb")
	log, err := os.ReadFile(filepath.Join(dead.dir, store.FileName+"-wal"))
	if err != nil || len(log) < 4096 {
		t.Fatalf("a log of %d bytes, %v", len(log), err)
	}
	dir := t.TempDir()
	old.no(os.WriteFile(filepath.Join(dir, store.FileName+"-wal"), log, 0o600))

	ring := must[*secrets.Keyring](t)(secrets.NewKeyring(app.NewSecret("the instance key of what is restored, long enough")))
	r := Restore{Dir: dir, Keyring: ring, By: person(), Log: slog.New(slog.DiscardHandler)}
	must[Counts](t)(r.FromFile(t.Context(), must[Upload](t)(OpenFile(file, app.NewSecret(words))), nil))
	st := must[*store.Store](t)(store.Open(t.Context(), dir, slog.New(slog.DiscardHandler)))
	defer st.Close()
	old.no(st.Check(t.Context()))
	ring = must[*secrets.Keyring](t)(access.VerifyKeyring(t.Context(), st, ring))
	now := must[app.Profile](t)(access.New(access.Config{Store: st, Keyring: ring}).Profile(t.Context(), p.ID))
	if now.Description != "billing" {
		t.Errorf("%+v", now)
	}
	aside := 0
	for _, name := range names(t, dir) {
		if strings.HasPrefix(name, "before-restore-") && strings.HasSuffix(name, "-wal") {
			aside++
		}
	}
	if aside != 1 {
		t.Errorf("the log is not set aside: %v", names(t, dir))
	}
}

// A restore point has the sessions of its time. One that was ended since must not open again.
func TestARestorePointBringsNoSessionBack(t *testing.T) {
	h, dir := newHouse(t, "aaaa"), t.TempDir()
	session := store.AdminSession{ID: "s", Token: []byte("token"), PersonID: "p", CreatedAt: time.Now(), SeenAt: time.Now(), ExpiresAt: time.Now().Add(time.Hour)}
	h.no(h.store.Write(t.Context(), func(tx *store.Tx) error { return tx.InsertAdminSession(t.Context(), session) }))
	point := filepath.Join(h.dir, must[string](t)(h.keepRestorePoint(t.Context())))
	h.no(Restore{Dir: dir, Keyring: h.ring, By: person(), Log: slog.New(slog.DiscardHandler)}.FromPoint(t.Context(), point))
	st := must[*store.Store](t)(store.Open(t.Context(), dir, slog.New(slog.DiscardHandler)))
	defer st.Close()
	h.no(st.Read(t.Context(), func(tx *store.Tx) error {
		list, err := tx.AdminSessions(t.Context(), time.Now(), time.Now().Add(-time.Hour))
		if len(list) > 0 {
			t.Errorf("%+v", list)
		}
		return err
	}))
}
