package transfer

import (
	"bytes"
	"database/sql"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/auth"
	"github.com/computclaw/airlock/app/instance"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/app/rekey"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/app/transfer/content"
	"github.com/computclaw/airlock/app/transfer/transfertest"
	"github.com/computclaw/airlock/store"
)

// A deleted database left a killed server's write-ahead log. SQLite would write its pages over the
// restored database.
func TestRestoreBesideAForgottenWriteAheadLog(t *testing.T) {
	old, p, _ := furnished(t, "aaaa")
	file := filepath.Join(t.TempDir(), "instance.airlock")
	old.No(os.WriteFile(file, old.export(all()), 0o600))
	dead, _, _ := furnished(t, "bbbb")
	log, err := os.ReadFile(filepath.Join(dead.Dir, store.FileName+"-wal"))
	if err != nil || len(log) < 4096 {
		t.Fatalf("a log of %d bytes, %v", len(log), err)
	}
	dir := t.TempDir()
	old.No(os.WriteFile(filepath.Join(dir, store.FileName+"-wal"), log, 0o600))

	ring := must[*secrets.Keyring](t)(
		secrets.NewKeyring(app.NewSecret("the instance key of what is restored, long enough")))
	r := Restore{Dir: dir, Keyring: ring, By: person(), Log: slog.New(slog.DiscardHandler)}
	must[Restored](t)(r.FromFile(t.Context(), must[Upload](t)(OpenFile(file, app.NewSecret(words))), nil))
	st := must[*store.Store](t)(store.Open(t.Context(), dir, slog.New(slog.DiscardHandler)))
	defer st.Close()
	old.No(st.Check(t.Context()))
	ring = must[*secrets.Keyring](t)(instance.VerifyKeyring(t.Context(), st, ring))
	now := must[app.Profile](t)(access.New(access.Config{Store: st, Keyring: ring}).Profiles.ByID(t.Context(), p.ID))
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

// A restore point has its time's sessions. An ended one must not open again.
func TestARestorePointBringsNoSessionBack(t *testing.T) {
	h, dir := newFixture(t, "aaaa"), t.TempDir()
	session := store.AdminSession{ID: "s", Token: []byte("token"), PersonID: "p", CreatedAt: time.Now(),
		SeenAt: time.Now(), ExpiresAt: time.Now().Add(time.Hour)}
	h.No(h.Store.Write(t.Context(), func(tx *store.Tx) error { return tx.Sessions.Insert(t.Context(), session) }))
	point := filepath.Join(h.Dir, must[string](t)(h.keepRestorePoint(t.Context())))
	must[Restored](t)(Restore{Dir: dir, Keyring: h.Ring, By: person(),
		Log: slog.New(slog.DiscardHandler)}.FromPoint(t.Context(), point))
	st := must[*store.Store](t)(store.Open(t.Context(), dir, slog.New(slog.DiscardHandler)))
	defer st.Close()
	h.No(st.Read(t.Context(), func(tx *store.Tx) error {
		list, err := tx.Sessions.List(t.Context(), time.Now(), time.Now().Add(-time.Hour))
		if len(list) > 0 {
			t.Errorf("%+v", list)
		}
		return err
	}))
}

// opened is the desk of a data directory that a restore made.
func opened(t *testing.T, dir string, ring *secrets.Keyring) (*access.Parts, *store.Store) {
	t.Helper()
	st := must[*store.Store](t)(store.Open(t.Context(), dir, slog.New(slog.DiscardHandler)))
	t.Cleanup(func() { _ = st.Close() })
	ring = must[*secrets.Keyring](t)(instance.VerifyKeyring(t.Context(), st, ring))
	return access.New(access.Config{Store: st, Keyring: ring}), st
}

// joined lets somebody in with a token and returns their session.
func joined(t *testing.T, desk *access.Parts, token app.Secret, name, password string) auth.Session {
	t.Helper()
	half := must[auth.Opened](t)(desk.Enrollment.Enroll(t.Context(), "192.0.2.7", "", token))
	whole := must[auth.Opened](t)(desk.Enrollment.Join(t.Context(), half.Token, "192.0.2.7", "", name,
		app.NewSecret(password)))
	return must[auth.Session](t)(desk.Sessions.Touch(t.Context(), whole.Token, "192.0.2.7"))
}

// A restore point or backup replaces a later state of its database. It restores no former person,
// old password, token or invitation, no revoked or deleted profile, and no deleted credential. A
// retired instance stays retired.
func TestACopyBringsNothingBackThatWasTakenAwaySince(t *testing.T) {
	const leaked, since = "plum orbit tractor", "a newer and better one"
	for _, kind := range []string{"point", "file"} {
		t.Run(kind, func(t *testing.T) {
			h := newFixture(t, "aaaa")
			first := must[app.Secret](t)(h.Desk.AdminToken.Ensure(t.Context(), app.Secret{}))
			anna := joined(t, h.Desk, first, "anna", leaked)
			invite := func() app.Secret {
				token, _, err := h.Desk.Invitations.Create(t.Context(), person(), app.RoleOwner)
				h.No(err)
				return token
			}
			left := joined(t, h.Desk, invite(), "ben", leaked)
			token := must[app.Secret](t)(h.Desk.AdminToken.Renew(t.Context(), person())) // not used, and replaced below
			invited := invite()
			h.Credential("GONE", "a value that leaked")
			stays, revoked, gone := h.Locked("stays", nil), h.Locked("revoked since", nil),
				h.Locked("gone since", []string{"GONE"})

			copied := filepath.Join(t.TempDir(), "copy")
			if kind == "file" {
				h.No(os.WriteFile(copied, h.export(all()), 0o600))
			} else {
				h.No(os.Rename(filepath.Join(h.Dir, must[string](t)(h.keepRestorePoint(t.Context()))), copied))
			}
			late := h.Locked("made since", nil)
			h.No(h.Desk.People.ChangePassword(t.Context(), anna, app.NewSecret(leaked), app.NewSecret(since)))
			h.No(h.Desk.People.Remove(t.Context(), anna, left.PersonID))
			current := must[app.Secret](t)(h.Desk.AdminToken.Renew(t.Context(), person()))
			must[app.Profile](t)(h.Desk.Lifecycle.Revoke(t.Context(), person(), revoked.Handle))
			h.No(h.Desk.Profiles.Delete(t.Context(), person(), gone.Handle))
			h.No(h.Desk.Credentials.Delete(t.Context(), person(), "GONE"))
			h.No(h.Desk.Switches.Retire(t.Context(), person()))
			h.No(h.Store.Close())

			r := Restore{Dir: h.Dir, Keyring: h.Ring, Replace: true, By: person(), Log: slog.New(slog.DiscardHandler)}
			var done Restored
			var err error
			if kind == "file" {
				done, err = r.FromFile(t.Context(), must[Upload](t)(OpenFile(copied, app.NewSecret(words))), nil)
			} else {
				done, err = r.FromPoint(t.Context(), copied)
			}
			if err != nil || !done.Kept {
				t.Fatalf("%+v, %v", done, err)
			}
			desk, _ := opened(t, h.Dir, h.Ring)
			login := func(name, password string) error {
				_, err := desk.Logins.Login(t.Context(), "192.0.2."+name[:1], "", name, app.NewSecret(password))
				return err
			}
			if err := login("anna", since); err != nil {
				t.Errorf("anna does not come in with her password: %v", err)
			}
			for what, err := range map[string]error{"old password": login("anna", leaked),
				"person who left": login("ben", leaked)} {
				wantCode(t, what, err, app.CodeUnauthorized)
			}
			for what, token := range map[string]app.Secret{"invitation": invited, "old token": token, "first token": first} {
				_, err := desk.Enrollment.Enroll(t.Context(), "192.0.2.99", "", token)
				wantCode(t, what, err, app.CodeUnauthorized)
			}
			if _, err := desk.Enrollment.Enroll(t.Context(), "192.0.2.98", "", current); err != nil {
				t.Errorf("the present token: %v", err)
			}
			for _, p := range []app.Profile{stays, revoked, gone} {
				now := must[app.Profile](t)(desk.Profiles.ByID(t.Context(), p.ID))
				if now.Revoked != (p.ID == revoked.ID || p.ID == gone.ID) {
					t.Errorf("%s: %+v", p.Description, now)
				}
			}
			_, err = desk.Credentials.ByName(t.Context(), "GONE")
			wantCode(t, "a credential that was deleted", err, app.CodeNotFound)
			said := fmt.Sprint(must[[]app.Event](t)(desk.Audit.Latest(t.Context(), 100)))
			if done.AsOf.IsZero() || !strings.Contains(said, "as it was at "+moment(done.AsOf.UnixMilli())) {
				t.Errorf("the log does not say how old the copy is: %s", said)
			}
			_, err = desk.Profiles.ByID(t.Context(), late.ID)
			wantCode(t, "what was made since", err, app.CodeNotFound)
			if retired := must[instance.Retirement](t)(desk.Switches.ReadRetirement(t.Context())); !retired.On() {
				t.Error("it is not retired any more")
			}
			if broken := must[int64](t)(desk.Audit.Verify(t.Context())); broken != 0 {
				t.Errorf("the audit log breaks at %d", broken)
			}
		})
	}
}

// A copy replaces another database with its instance key, such as a server's new one after a loss.
// That knows no person or profile, so it blocks nothing; the copy's invitations and tokens still
// don't open.
func TestACopyReplacesAnotherDatabase(t *testing.T) {
	h := newFixture(t, "aaaa")
	joined(t, h.Desk, must[app.Secret](t)(h.Desk.AdminToken.Ensure(t.Context(), app.Secret{})), "anna",
		"plum orbit tractor")
	p := h.Locked("stays", nil)
	token := must[app.Secret](t)(h.Desk.AdminToken.Renew(t.Context(), person()))
	invited, _, err := h.Desk.Invitations.Create(t.Context(), person(), app.RoleOwner)
	h.No(err)
	point := filepath.Join(h.Dir, must[string](t)(h.keepRestorePoint(t.Context())))
	other := newFixture(t, "aaaa")
	other.Locked("somebody else's", nil)
	h.No(other.Store.Close())

	done := must[Restored](t)(Restore{Dir: other.Dir, Keyring: h.Ring, Replace: true, By: person(),
		Log: slog.New(slog.DiscardHandler)}.FromPoint(t.Context(), point))
	desk, _ := opened(t, other.Dir, h.Ring)
	if now := must[app.Profile](t)(desk.Profiles.ByID(t.Context(), p.ID)); done.Kept || now.Revoked {
		t.Errorf("%+v, %+v", done, now)
	}
	if _, err := desk.Logins.Login(t.Context(), "192.0.2.1", "", "anna", app.NewSecret("plum orbit tractor")); err != nil {
		t.Errorf("anna does not come in: %v", err)
	}
	for what, token := range map[string]app.Secret{"invitation": invited, "token": token} {
		_, err := desk.Enrollment.Enroll(t.Context(), "192.0.2.99", "", token)
		wantCode(t, what, err, app.CodeUnauthorized)
	}
}

// A copy from a key rotation holds values of the former key. It is restored under the present key
// alone if the former is known, else nothing is replaced.
func TestACopyFromTheMiddleOfARotation(t *testing.T) {
	const before, after = "an instance key of more than 32 characters: aaaa",
		"the instance key after the rotation, long enough"
	h, p, _ := furnished(t, "aaaa")
	h.No(h.Ring.Renew(app.NewSecret(after), app.NewSecret(before)))
	// its first step
	h.No(h.Store.Write(t.Context(),
		func(tx *store.Tx) error { return instance.RenewKeyring(t.Context(), tx, h.Ring, time.Now()) }))
	point := filepath.Join(h.Dir, must[string](t)(h.keepRestorePoint(t.Context())))
	alone := must[*secrets.Keyring](t)(secrets.NewKeyring(app.NewSecret(after)))
	both := must[*secrets.Keyring](t)(secrets.NewKeyring(app.NewSecret(after), app.NewSecret(before)))

	dir := t.TempDir()
	r := Restore{Dir: dir, Keyring: alone, By: person(), Log: slog.New(slog.DiscardHandler)}
	_, err := r.FromPoint(t.Context(), point)
	wantCode(t, "without the key before", err, app.CodeConflict)
	if left := names(t, dir); len(left) != 0 {
		t.Errorf("it left %v", left)
	}
	r.Keyring = both
	must[Restored](t)(r.FromPoint(t.Context(), point))
	h.Desk, _ = opened(t, dir, alone)
	if got := h.Values(p)["STRIPE_KEY"]; got != "sk_live_0123456789abcdef" {
		t.Errorf("the value is %q", got)
	}
}

// After sealing anew, no column holds the old key. Everything opens with the new one alone, and ids
// are found as before.
func TestNothingIsLeftOfAnOldKey(t *testing.T) {
	h, p, id := furnished(t, "aaaa")
	h.setBackup("a passphrase, say")
	other, _, _ := furnished(t, "bbbb")
	h.take(other.export(all()), Choice{History: true}) // brings keys of marks
	_, err := h.Desk.Authority.Get(t.Context())
	h.No(err)
	h.Credential("STRIPE_KEY", "sk_live_between_0123456789", "api.stripe.com")
	h.Credential("STRIPE_KEY", "sk_live_0123456789abcdef", "api.stripe.com")
	before := content.JSON(comparableRecords(h.dump(all())))
	oldID := h.Ring.KeyIDBytes()

	const newKey = "a new instance key of more than 32 characters"
	h.No(h.Ring.Renew(app.NewSecret(newKey), app.NewSecret("an instance key of more than 32 characters: aaaa")))
	if n := must[int](t)(rekey.Run(t.Context(), h.Store, h.Ring)); n < 20 {
		t.Errorf("%d tokens", n)
	}
	if n := must[int](t)(rekey.Run(t.Context(), h.Store, h.Ring)); n != 0 {
		t.Errorf("%d tokens the second time", n)
	}
	for column, n := range tokensOf(t, h.Dir, oldID) {
		t.Errorf("%s has %d tokens of the old key", column, n)
	}
	alone := must[*secrets.Keyring](t)(secrets.NewKeyring(app.NewSecret(newKey)))
	alone = must[*secrets.Keyring](t)(instance.VerifyKeyring(t.Context(), h.Store, alone))
	again := &fixture{&transfertest.Instance{T: t, Store: h.Store, Ring: alone,
		Desk: access.New(access.Config{Store: h.Store, Keyring: alone})},
		New(Config{Store: h.Store, Keyring: alone, Files: h.Files, Dir: h.Dir, Instance: "aaaa", Cost: h.cfg.Cost})}
	if after := content.JSON(comparableRecords(again.dump(all()))); after != before {
		t.Error("something reads differently")
	}
	if others, err := again.Desk.SearchSets.Others(t.Context(), hosts(t, "api.stripe.com"), nil); err != nil {
		t.Errorf("superseded values don't open: %v", err)
	} else if _, hits := redact.New(others).Text("sk_live_between_0123456789"); hits.Total() != 1 {
		t.Error("a superseded value is lost")
	}
	if again.Values(p)["STRIPE_KEY"] != "sk_live_0123456789abcdef" {
		t.Error("the value is lost")
	}
	h.No(h.Store.Read(t.Context(), func(tx *store.Tx) error {
		_, err := tx.Executions.ByLookup(t.Context(), alone.Lookup(secrets.Execs, id))
		return err
	}))
	h.No(h.Store.Read(t.Context(), func(tx *store.Tx) error {
		set, _, err := tx.Settings.Get(t.Context(), SettingBackup)
		h.No(err)
		got, err := alone.Open(secrets.Settings, SettingBackup, set.Value)
		if string(got) != "a passphrase, say" {
			t.Errorf("the settings of backups: %q", got)
		}
		return err
	}))

}

// tokensOf looks for tokens of a key in every column of every table.
func tokensOf(t *testing.T, dir string, keyID []byte) map[string]int {
	t.Helper()
	db := must[*sql.DB](t)(sql.Open("sqlite", "file:"+filepath.Join(dir, store.FileName)+"?mode=ro"))
	defer db.Close()
	found := map[string]int{}
	var tables []string
	rows, err := db.QueryContext(t.Context(),
		"SELECT m.name || '.' || c.name FROM sqlite_schema m, pragma_table_info(m.name) c WHERE m.type = 'table'")
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		tables = append(tables, name)
	}
	if err := rows.Err(); err != nil || len(tables) < 50 {
		t.Fatalf("%d columns, %v", len(tables), err)
	}
	prefix := append([]byte{1}, keyID...)
	for _, name := range tables {
		table, column, _ := bytes.Cut([]byte(name), []byte("."))
		var n int
		query := fmt.Sprintf("SELECT count(*) FROM %q WHERE substr(CAST(%q AS BLOB), 1, 5) = ?", table, column)
		if err := db.QueryRowContext(t.Context(), query, prefix).Scan(&n); err != nil {
			t.Fatal(err)
		}
		if n > 0 {
			found[name] = n
		}
	}
	return found
}

// An interrupted rotation leaves everything readable with both keys. The next one finishes it.
func TestRotationIsResumed(t *testing.T) {
	h, p, _ := furnished(t, "aaaa")
	h.No(h.Ring.Renew(app.NewSecret("a new instance key of more than 32 characters"),
		app.NewSecret("an instance key of more than 32 characters: aaaa")))
	h.No(h.Store.Write(t.Context(), func(tx *store.Tx) error { // as far as it had come
		found, err := tx.Tokens.OfOtherKeys(t.Context(), store.SealedProfiles, h.Ring.KeyIDBytes(), 0, 1)
		if err != nil || len(found) != 1 {
			return fmt.Errorf("%d tokens, %w", len(found), err)
		}
		plain, err := h.Ring.Open(secrets.Profiles, secrets.ProfileRow(found[0].Name), found[0].Token)
		if err != nil {
			return err
		}
		return tx.Tokens.Reseal(t.Context(), store.SealedProfiles, found[0],
			h.Ring.Seal(secrets.Profiles, secrets.ProfileRow(found[0].Name), plain), h.Ring.KeyID())
	}))
	if h.Values(p)["STRIPE_KEY"] != "sk_live_0123456789abcdef" {
		t.Error("half-way it can't be read")
	}
	must[int](t)(rekey.Run(t.Context(), h.Store, h.Ring))
	if h.Values(p)["STRIPE_KEY"] != "sk_live_0123456789abcdef" {
		t.Error("after it it can't be read")
	}
}
