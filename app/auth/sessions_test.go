package auth_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access/accesstest"
	"github.com/computclaw/airlock/app/auth"
	"github.com/computclaw/airlock/store"
)

func (d *desk) over(what string, cookie app.Secret) {
	d.T.Helper()
	_, err := d.Sessions.Touch(d.T.Context(), cookie, accesstest.Browser)
	accesstest.WantCode(d.T, what, err, app.CodeUnauthorized)
}

// founded has one person, Ada.
func founded(t *testing.T) *desk {
	t.Helper()
	d := newDesk(t)
	d.JoinAs(d.FirstToken(), "Ada")
	return d
}

func TestFirstBootPrintsATokenOnce(t *testing.T) {
	d := newDesk(t)
	token := d.FirstToken()
	if !strings.HasPrefix(token.Reveal(), app.AdminPrefix) {
		t.Error("no token was printed at the first boot")
	}
	if again := d.FirstToken(); !again.Empty() {
		t.Error("a token was printed at the second boot")
	}
	d.ShowToken(token)
}

func TestConfiguredToken(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	for _, bad := range []string{"x", "fifteen letters", strings.Repeat("x", 1025)} {
		_, err := d.AdminToken.Ensure(ctx, app.NewSecret(bad))
		accesstest.WantCode(t, "configured "+app.Clip(bad, 20), err, app.CodeInvalidField)
		if err != nil && strings.Contains(err.Error(), bad) && bad != "x" {
			t.Error("the error repeats the token")
		}
	}
	first, second := app.NewSecret("sixteen letters!"), app.NewSecret("another token of ours")
	if printed := accesstest.Must[app.Secret](t)(d.AdminToken.Ensure(ctx, first)); !printed.Empty() {
		t.Error("a configured token was printed")
	}
	half := d.ShowToken(first)
	accesstest.Must[app.Secret](t)(d.AdminToken.Ensure(ctx, first)) // an ordinary restart
	accesstest.Must[bool](t)(d.Enrollment.IsEnrolling(ctx, half))
	accesstest.Must[app.Secret](t)(d.AdminToken.Ensure(ctx, app.Secret{})) // no longer configured: the hash stays
	accesstest.Must[bool](t)(d.Enrollment.IsEnrolling(ctx, half))
	accesstest.Must[app.Secret](t)(d.AdminToken.Ensure(ctx, second))
	_, err := d.Enrollment.IsEnrolling(ctx, half)
	accesstest.WantCode(t, "what the token before opened", err, app.CodeUnauthorized)
	_, err = d.Enrollment.Enroll(ctx, accesstest.Browser, "", first)
	accesstest.WantCode(t, "the token before", err, app.CodeUnauthorized)
	d.JoinAs(second, "Ada")
}

// TestConfiguredTokenCountsUntilThereIsAPerson: it may stand in a platform's settings for ever.
func TestConfiguredTokenCountsUntilThereIsAPerson(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	configured := app.NewSecret("a token of the platform")
	accesstest.Must[app.Secret](t)(d.AdminToken.Ensure(ctx, configured))
	session := d.JoinAs(configured, "Ada")
	accesstest.Must[app.Secret](t)(d.AdminToken.Ensure(ctx, configured)) // a restart
	accesstest.Must[app.Secret](t)(d.AdminToken.Ensure(ctx, app.NewSecret("another one, set by who can set it")))
	d.SessionOf(session)
	_, err := d.Enrollment.Enroll(ctx, accesstest.Browser, "", configured)
	accesstest.WantCode(t, "the configured token", err, app.CodeConflict)
	_, err = d.Enrollment.Enroll(ctx, accesstest.Browser, "", app.NewSecret("another one, set by who can set it"))
	accesstest.WantCode(t, "another configured token", err, app.CodeUnauthorized)
	made := accesstest.Must[app.Secret](t)(d.AdminToken.Renew(ctx, app.Actor{Kind: app.ActorCommand}))
	accesstest.Must[app.Secret](t)(d.AdminToken.Ensure(ctx, configured))
	d.ShowToken(made) // a restart does not take it back
}

func TestNewTokenEndsEverySession(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	old := d.FirstToken()
	sessions := []app.Secret{d.JoinAs(old, "Ada"), d.LogIn("Ada")}
	invitation, _, err := d.Invitations.Create(ctx, d.SessionOf(sessions[0]).Actor, app.RoleOwner)
	if err != nil {
		t.Fatal(err)
	}
	half := d.ShowToken(invitation)
	token := accesstest.Must[app.Secret](t)(d.AdminToken.Renew(ctx, app.Actor{Kind: app.ActorCommand}))
	for _, s := range sessions {
		d.over("old session", s)
	}
	_, err = d.Enrollment.IsEnrolling(ctx, half)
	accesstest.WantCode(t, "half in", err, app.CodeUnauthorized)
	for name, old := range map[string]app.Secret{"old token": old, "invitation": invitation} {
		_, err := d.Enrollment.Enroll(ctx, accesstest.Browser, "", old)
		accesstest.WantCode(t, name, err, app.CodeUnauthorized)
	}
	d.ShowToken(token)
	d.LogIn("Ada") // a password still counts
}

func TestWrongTokensAreAllRefusedAlike(t *testing.T) {
	d := newDesk(t)
	token := d.FirstToken().Reveal()
	var texts []string
	for i, wrong := range []string{"", "x", token + "x", token[1:], strings.ToUpper(token), strings.Repeat("x", 1<<20),
		"\xff\x00", app.NewAdminToken().Reveal()} {
		_, err := d.Enrollment.Enroll(t.Context(), fmt.Sprintf("192.0.2.%d", 100+i), "", app.NewSecret(wrong))
		accesstest.WantCode(t, app.Clip(wrong, 20), err, app.CodeUnauthorized)
		texts = append(texts, err.Error())
		if texts[i] != texts[0] {
			t.Errorf("%q differs from %q", texts[i], texts[0])
		}
	}
	if n := len(d.Actions()); n != 1+len(texts) {
		t.Errorf("%d events, want the token and each refusal", n)
	}
}

func TestWrongLoginsAreAllRefusedAlike(t *testing.T) {
	d := founded(t)
	before := len(d.Actions())
	var texts []string
	for i, c := range [][2]string{{"Ada", "not her password"}, {"Eve", accesstest.GoodPassword}, {"", ""}, {"Ada", ""},
		{"Ada\x00", accesstest.GoodPassword}, {"Ada", strings.ToUpper(accesstest.GoodPassword)},
		{strings.Repeat("A", 1<<20), "x"}} {
		_, err := d.Logins.Login(t.Context(), fmt.Sprintf("192.0.2.%d", 100+i), "", c[0], app.NewSecret(c[1]))
		accesstest.WantCode(t, app.Clip(c[0], 20), err, app.CodeUnauthorized)
		if texts = append(texts, err.Error()); texts[i] != texts[0] {
			t.Errorf("%q differs from %q", texts[i], texts[0])
		}
	}
	if n := len(d.Actions()) - before; n != len(texts) {
		t.Errorf("%d events for %d refusals", n, len(texts))
	}
	for _, e := range accesstest.Must[[]app.Event](t)(d.Audit.Latest(t.Context(), 100)) {
		if strings.Contains(e.Subject+e.Detail, "Eve") || strings.Contains(e.Subject+e.Detail, "not her password") {
			t.Errorf("the log repeats what was typed: %+v", e)
		}
	}
	d.LogIn("  aDA ")
}

// TestPeopleReadWhileTheDatabaseIsKept: pages load while another process holds the database.
func TestPeopleReadWhileTheDatabaseIsKept(t *testing.T) {
	d := founded(t)
	cookie := d.LogIn("Ada")
	seen := func() time.Time {
		return accesstest.Must[time.Time](t)(auth.NewSessions(d.Store, d.Now).SeenAt(t.Context(), cookie))
	}
	before := seen()
	d.Pass(2 * auth.SessionNote)
	other, err := sql.Open("sqlite", "file:"+filepath.Join(d.Dir, store.FileName)+"?_txlock=immediate&_pragma=busy_timeout(10000)")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	kept := accesstest.Must[*sql.Tx](t)(other.BeginTx(t.Context(), nil))
	d.SessionOf(cookie)
	if err := kept.Rollback(); err != nil {
		t.Fatal(err)
	}
	d.SessionOf(cookie) // which doesn't try: nobody waits for a note again so soon
	if got := seen(); !got.Equal(before) {
		t.Errorf("its use was noted at %v", got)
	}
	d.Pass(auth.SessionNote)
	d.SessionOf(cookie)
	if got := seen(); !got.Equal(d.Now()) {
		t.Errorf("its use was noted at %v, not now", got)
	}
}

func TestSessionsEnd(t *testing.T) {
	d := founded(t)
	ctx := t.Context()

	idle := d.LogIn("Ada")
	d.Pass(12*time.Hour - time.Second)
	actor := accesstest.Must[auth.Session](t)(d.Sessions.Touch(ctx, idle, "198.51.100.1")).Actor
	if actor != (app.Actor{Kind: app.ActorPerson, Name: "Ada", Address: "198.51.100.1"}) {
		t.Errorf("actor %+v", actor)
	}
	d.Pass(12*time.Hour - time.Second) // counted from that use
	d.SessionOf(idle)
	d.Pass(12 * time.Hour)
	d.over("idle", idle)

	left := d.LogIn("Ada") // in a tab that asks by itself
	for range 12 {
		accesstest.Must[auth.Session](t)(d.Sessions.Get(ctx, left, accesstest.Browser))
		d.Pass(time.Hour)
	}
	_, err := d.Sessions.Get(ctx, left, accesstest.Browser)
	accesstest.WantCode(t, "a forgotten tab", err, app.CodeUnauthorized)

	busy := d.LogIn("Ada")
	for range 7*24 - 1 {
		d.Pass(time.Hour)
		d.SessionOf(busy)
	}
	d.Pass(time.Hour)
	d.over("absolute", busy)

	over := d.LogIn("Ada")
	for range 2 {
		if err := d.Sessions.Logout(ctx, over, accesstest.Browser); err != nil {
			t.Fatal(err)
		}
	}
	d.over("logged out", over)
	if last := accesstest.Must[[]app.Event](t)(d.Audit.Latest(ctx, 1)); last[0].Action != "session.logout" ||
		last[0].Actor.Address != accesstest.Browser {
		t.Errorf("the log has %+v", last[0])
	}

	for _, s := range []string{"", "x", over.Reveal() + "x", "' OR 1=1 --"} {
		d.over("unknown session", app.NewSecret(s))
	}
	var kept int
	d.LogIn("Ada") // prunes
	if err := d.Raw().QueryRow("SELECT count(*) FROM admin_sessions").Scan(&kept); err != nil || kept != 1 {
		t.Errorf("%d sessions are kept (%v), want the last", kept, err)
	}
}

func TestLoginsAreLimitedPerAddress(t *testing.T) {
	d := founded(t)
	ctx := t.Context()
	wrong := func(address string) error {
		_, err := d.Logins.Login(ctx, address, "", "Ada", app.NewSecret("not the password"))
		return err
	}
	for range auth.AddressBurst {
		accesstest.WantCode(t, "wrong", wrong("2001:db8::1"), app.CodeUnauthorized)
	}
	accesstest.WantCode(t, "one too many", wrong("2001:db8::2"), app.CodeRateLimited) // the same network
	_, err := d.Logins.Login(ctx, "[2001:db8::3]:4711", "", "Ada", app.NewSecret(accesstest.GoodPassword))
	accesstest.WantCode(t, "even the right one", err, app.CodeRateLimited)
	_, err = d.Enrollment.Enroll(ctx, "2001:db8::3", "", app.NewAdminToken())
	accesstest.WantCode(t, "a token instead", err, app.CodeRateLimited)
	accesstest.WantCode(t, "another network", wrong("2001:db8:0:1::1"), app.CodeUnauthorized)
	d.Pass(auth.AddressEvery)
	accesstest.WantCode(t, "after a while", wrong("2001:db8::1"), app.CodeUnauthorized)
	accesstest.WantCode(t, "only one", wrong("2001:db8::1"), app.CodeRateLimited)
	for range 3 * auth.AddressBurst { // right ones cost nothing
		d.LogIn("Ada")
	}
}

// TestHoleL3OthersKeepNobodyOut: wrong attempts don't lock out valid tokens, invitations or
// sessions. Wrong ones and short tokens stay limited.
func TestHoleL3OthersKeepNobodyOut(t *testing.T) {
	d := founded(t)
	ctx := t.Context()
	token := accesstest.Must[app.Secret](t)(d.AdminToken.Renew(ctx, app.Actor{Kind: app.ActorCommand, Name: "root"}))
	x := d.SessionOf(d.LogIn("Ada"))
	invitation, _, err := d.Invitations.Create(ctx, x.Actor, app.RoleOwner)
	if err != nil {
		t.Fatal(err)
	}
	wrong := func() error { return d.AdminToken.Monitor(ctx, accesstest.Browser, app.NewAdminToken()) }
	for range auth.AddressBurst {
		accesstest.WantCode(t, "wrong", wrong(), app.CodeUnauthorized)
	}
	for i := range auth.GlobalBurst {
		_, _ = d.Logins.Login(ctx, fmt.Sprintf("192.0.2.%d", i), "", "Ada", app.NewSecret("not the password"))
	}
	for range 3 * auth.AddressBurst {
		if err := d.AdminToken.Monitor(ctx, accesstest.Browser, token); err != nil {
			t.Fatalf("the admin token: %v", err)
		}
		accesstest.WantCode(t, "a wrong one", wrong(), app.CodeRateLimited)
	}
	if err := d.Logins.Confirm(ctx, x, app.NewSecret(accesstest.GoodPassword)); err != nil {
		t.Errorf("who is logged in: %v", err)
	}
	accesstest.Must[auth.Opened](t)(d.Enrollment.Enroll(ctx, accesstest.Browser, "", invitation))
	accesstest.Must[auth.Opened](t)(d.Enrollment.Enroll(ctx, accesstest.Browser, "", token))
	_, err = d.Enrollment.Enroll(ctx, accesstest.Browser, "", app.NewAdminToken())
	accesstest.WantCode(t, "a wrong token", err, app.CodeRateLimited)

	short := app.NewSecret("a-token-of-20-letter")
	if err := auth.New(auth.Config{Store: d.Store, Keyring: d.Config.Keyring, Now: d.Now,
		Cost: d.Config.HashCost}).SetToken(ctx, short); err != nil {
		t.Fatal(err)
	}
	accesstest.WantCode(t, "the old token", d.AdminToken.Monitor(ctx, accesstest.Browser, token), app.CodeRateLimited)
	accesstest.WantCode(t, "one that can be guessed", d.AdminToken.Monitor(ctx, accesstest.Browser, short),
		app.CodeRateLimited)
	d.Pass(time.Hour)
	if err := d.AdminToken.Monitor(ctx, accesstest.Browser, short); err != nil {
		t.Errorf("one that can be guessed, later: %v", err)
	}
}
