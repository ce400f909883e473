package access

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/store"
)

const (
	browser      = "192.0.2.9"
	goodPassword = "plum orbit tractor"
)

// enroll shows a token.
func (d *desk) enroll(token app.Secret) app.Secret {
	d.t.Helper()
	opened := must[Opened](d.t)(d.Enroll(d.t.Context(), browser, "Mozilla", token))
	if want := d.now().Add(30 * time.Minute); !opened.Expires.Equal(want) {
		d.t.Errorf("it expires at %v, want %v", opened.Expires, want)
	}
	return opened.Token
}

// join makes a person with goodPassword out of a token.
func (d *desk) join(token app.Secret, name string) app.Secret {
	d.t.Helper()
	return must[Opened](d.t)(d.Join(d.t.Context(), d.enroll(token), browser, "Mozilla", name, app.NewSecret(goodPassword))).Token
}

func (d *desk) login(name string) app.Secret {
	d.t.Helper()
	opened := must[Opened](d.t)(d.Login(d.t.Context(), browser, "Mozilla", name, app.NewSecret(goodPassword)))
	if want := d.now().Add(7 * 24 * time.Hour); !opened.Expires.Equal(want) {
		d.t.Errorf("the session expires at %v, want %v", opened.Expires, want)
	}
	return opened.Token
}

func (d *desk) session(cookie app.Secret) Session {
	d.t.Helper()
	return must[Session](d.t)(d.Session(d.t.Context(), cookie, browser))
}

func (d *desk) over(what string, cookie app.Secret) {
	d.t.Helper()
	_, err := d.Session(d.t.Context(), cookie, browser)
	wantCode(d.t, what, err, app.CodeUnauthorized)
}

func (d *desk) firstToken() app.Secret {
	d.t.Helper()
	return must[app.Secret](d.t)(d.EnsureAdminToken(d.t.Context(), app.Secret{}))
}

// founded has one person, Ada.
func founded(t *testing.T) *desk {
	t.Helper()
	d := newDesk(t)
	d.join(d.firstToken(), "Ada")
	return d
}

func TestFirstBootPrintsATokenOnce(t *testing.T) {
	d := newDesk(t)
	token := d.firstToken()
	if !strings.HasPrefix(token.Reveal(), app.AdminPrefix) {
		t.Error("no token was printed at the first boot")
	}
	if again := d.firstToken(); !again.Empty() {
		t.Error("a token was printed at the second boot")
	}
	d.enroll(token)
}

func TestConfiguredToken(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	for _, bad := range []string{"x", "fifteen letters", strings.Repeat("x", 1025)} {
		_, err := d.EnsureAdminToken(ctx, app.NewSecret(bad))
		wantCode(t, "configured "+app.Clip(bad, 20), err, app.CodeInvalidField)
		if err != nil && strings.Contains(err.Error(), bad) && bad != "x" {
			t.Error("the error repeats the token")
		}
	}
	first, second := app.NewSecret("sixteen letters!"), app.NewSecret("another token of ours")
	if printed := must[app.Secret](t)(d.EnsureAdminToken(ctx, first)); !printed.Empty() {
		t.Error("a configured token was printed")
	}
	half := d.enroll(first)
	must[app.Secret](t)(d.EnsureAdminToken(ctx, first)) // an ordinary restart
	must[bool](t)(d.Enrolling(ctx, half))
	must[app.Secret](t)(d.EnsureAdminToken(ctx, app.Secret{})) // no longer configured: the hash stays
	must[bool](t)(d.Enrolling(ctx, half))
	must[app.Secret](t)(d.EnsureAdminToken(ctx, second))
	_, err := d.Enrolling(ctx, half)
	wantCode(t, "what the token before opened", err, app.CodeUnauthorized)
	_, err = d.Enroll(ctx, browser, "", first)
	wantCode(t, "the token before", err, app.CodeUnauthorized)
	d.join(second, "Ada")
}

// TestConfiguredTokenCountsUntilThereIsAPerson: it may stand in a platform's settings for ever.
func TestConfiguredTokenCountsUntilThereIsAPerson(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	configured := app.NewSecret("a token of the platform")
	must[app.Secret](t)(d.EnsureAdminToken(ctx, configured))
	session := d.join(configured, "Ada")
	must[app.Secret](t)(d.EnsureAdminToken(ctx, configured)) // a restart
	must[app.Secret](t)(d.EnsureAdminToken(ctx, app.NewSecret("another one, set by who can set it")))
	d.session(session)
	_, err := d.Enroll(ctx, browser, "", configured)
	wantCode(t, "the configured token", err, app.CodeConflict)
	_, err = d.Enroll(ctx, browser, "", app.NewSecret("another one, set by who can set it"))
	wantCode(t, "another configured token", err, app.CodeUnauthorized)
	made := must[app.Secret](t)(d.NewAdminToken(ctx, app.Actor{Kind: app.ActorCommand}))
	must[app.Secret](t)(d.EnsureAdminToken(ctx, configured))
	d.enroll(made) // a restart does not take it back
}

func TestNewTokenEndsEverySession(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	old := d.firstToken()
	sessions := []app.Secret{d.join(old, "Ada"), d.login("Ada")}
	invitation, _, err := d.Invite(ctx, d.session(sessions[0]).Actor)
	if err != nil {
		t.Fatal(err)
	}
	half := d.enroll(invitation)
	token := must[app.Secret](t)(d.NewAdminToken(ctx, app.Actor{Kind: app.ActorCommand}))
	for _, s := range sessions {
		d.over("old session", s)
	}
	_, err = d.Enrolling(ctx, half)
	wantCode(t, "half in", err, app.CodeUnauthorized)
	for name, old := range map[string]app.Secret{"old token": old, "invitation": invitation} {
		_, err := d.Enroll(ctx, browser, "", old)
		wantCode(t, name, err, app.CodeUnauthorized)
	}
	d.enroll(token)
	d.login("Ada") // a password still counts
}

func TestWrongTokensAreAllRefusedAlike(t *testing.T) {
	d := newDesk(t)
	token := d.firstToken().Reveal()
	var texts []string
	for i, wrong := range []string{"", "x", token + "x", token[1:], strings.ToUpper(token), strings.Repeat("x", 1<<20), "\xff\x00", app.NewAdminToken().Reveal()} {
		_, err := d.Enroll(t.Context(), fmt.Sprintf("192.0.2.%d", 100+i), "", app.NewSecret(wrong))
		wantCode(t, app.Clip(wrong, 20), err, app.CodeUnauthorized)
		texts = append(texts, err.Error())
		if texts[i] != texts[0] {
			t.Errorf("%q differs from %q", texts[i], texts[0])
		}
	}
	if n := len(d.actions()); n != 1+len(texts) {
		t.Errorf("%d events, want the token and each refusal", n)
	}
}

func TestWrongLoginsAreAllRefusedAlike(t *testing.T) {
	d := founded(t)
	before := len(d.actions())
	var texts []string
	for i, c := range [][2]string{{"Ada", "not her password"}, {"Eve", goodPassword}, {"", ""}, {"Ada", ""}, {"Ada\x00", goodPassword}, {"Ada", strings.ToUpper(goodPassword)}, {strings.Repeat("A", 1<<20), "x"}} {
		_, err := d.Login(t.Context(), fmt.Sprintf("192.0.2.%d", 100+i), "", c[0], app.NewSecret(c[1]))
		wantCode(t, app.Clip(c[0], 20), err, app.CodeUnauthorized)
		if texts = append(texts, err.Error()); texts[i] != texts[0] {
			t.Errorf("%q differs from %q", texts[i], texts[0])
		}
	}
	if n := len(d.actions()) - before; n != len(texts) {
		t.Errorf("%d events for %d refusals", n, len(texts))
	}
	for _, e := range must[[]app.Event](t)(d.Audit(t.Context(), 0, 100)) {
		if strings.Contains(e.Subject+e.Detail, "Eve") || strings.Contains(e.Subject+e.Detail, "not her password") {
			t.Errorf("the log repeats what was typed: %+v", e)
		}
	}
	d.login("  aDA ")
}

// TestPeopleReadWhileTheDatabaseIsKept: each page waited ten seconds for the process that kept it, and ended in an error.
func TestPeopleReadWhileTheDatabaseIsKept(t *testing.T) {
	d := founded(t)
	cookie := d.login("Ada")
	seen := func() time.Time {
		_, at, err := d.standing(t.Context(), cookie, browser)
		return must[time.Time](t)(at, err)
	}
	before := seen()
	d.clock.pass(2 * sessionNote)
	other, err := sql.Open("sqlite", "file:"+filepath.Join(d.dir, store.FileName)+"?_txlock=immediate")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	kept := must[*sql.Tx](t)(other.BeginTx(t.Context(), nil))
	d.session(cookie)
	if err := kept.Rollback(); err != nil {
		t.Fatal(err)
	}
	d.session(cookie) // which doesn't try: nobody waits for a note again so soon
	if got := seen(); !got.Equal(before) {
		t.Errorf("its use was noted at %v", got)
	}
	d.clock.pass(sessionNote)
	d.session(cookie)
	if got := seen(); !got.Equal(d.now()) {
		t.Errorf("its use was noted at %v, not now", got)
	}
}

func TestSessionsEnd(t *testing.T) {
	d := founded(t)
	ctx := t.Context()

	idle := d.login("Ada")
	d.clock.pass(12*time.Hour - time.Second)
	actor := must[Session](t)(d.Session(ctx, idle, "198.51.100.1")).Actor
	if actor != (app.Actor{Kind: app.ActorPerson, Name: "Ada", Address: "198.51.100.1"}) {
		t.Errorf("actor %+v", actor)
	}
	d.clock.pass(12*time.Hour - time.Second) // counted from that use
	d.session(idle)
	d.clock.pass(12 * time.Hour)
	d.over("idle", idle)

	left := d.login("Ada") // in a tab that asks by itself
	for range 12 {
		must[Session](t)(d.Standing(ctx, left, browser))
		d.clock.pass(time.Hour)
	}
	_, err := d.Standing(ctx, left, browser)
	wantCode(t, "a forgotten tab", err, app.CodeUnauthorized)

	busy := d.login("Ada")
	for range 7*24 - 1 {
		d.clock.pass(time.Hour)
		d.session(busy)
	}
	d.clock.pass(time.Hour)
	d.over("absolute", busy)

	over := d.login("Ada")
	for range 2 {
		if err := d.Logout(ctx, over, browser); err != nil {
			t.Fatal(err)
		}
	}
	d.over("logged out", over)
	if last := must[[]app.Event](t)(d.Audit(ctx, 0, 1)); last[0].Action != "session.logout" || last[0].Actor.Address != browser {
		t.Errorf("the log has %+v", last[0])
	}

	for _, s := range []string{"", "x", over.Reveal() + "x", "' OR 1=1 --"} {
		d.over("unknown session", app.NewSecret(s))
	}
	var kept int
	d.login("Ada") // prunes
	if err := d.raw().QueryRow("SELECT count(*) FROM admin_sessions").Scan(&kept); err != nil || kept != 1 {
		t.Errorf("%d sessions are kept (%v), want the last", kept, err)
	}
}

func TestLoginsAreLimitedPerAddress(t *testing.T) {
	d := founded(t)
	ctx := t.Context()
	wrong := func(address string) error {
		_, err := d.Login(ctx, address, "", "Ada", app.NewSecret("not the password"))
		return err
	}
	for range addressBurst {
		wantCode(t, "wrong", wrong("2001:db8::1"), app.CodeUnauthorized)
	}
	wantCode(t, "one too many", wrong("2001:db8::2"), app.CodeRateLimited) // the same network
	_, err := d.Login(ctx, "[2001:db8::3]:4711", "", "Ada", app.NewSecret(goodPassword))
	wantCode(t, "even the right one", err, app.CodeRateLimited)
	_, err = d.Enroll(ctx, "2001:db8::3", "", app.NewAdminToken())
	wantCode(t, "a token instead", err, app.CodeRateLimited)
	wantCode(t, "another network", wrong("2001:db8:0:1::1"), app.CodeUnauthorized)
	d.clock.pass(addressEvery)
	wantCode(t, "after a while", wrong("2001:db8::1"), app.CodeUnauthorized)
	wantCode(t, "only one", wrong("2001:db8::1"), app.CodeRateLimited)
	for range 3 * addressBurst { // right ones cost nothing
		d.login("Ada")
	}
}

func TestLimiterIsBounded(t *testing.T) {
	l := newLimiter(globalBurst)
	now := time.Now()
	allowed := 0
	for i := range 200 {
		if l.begin(fmt.Sprintf("192.0.2.%d", i), now) {
			allowed++
		}
	}
	if allowed != globalBurst {
		t.Errorf("%d attempts from many addresses were let through, want %d", allowed, globalBurst)
	}
	for i := range 3 * maxAddresses {
		now = now.Add(globalEvery)
		l.begin(fmt.Sprintf("10.%d.%d.%d", i>>16, i>>8&255, i&255), now)
	}
	if len(l.keys) > maxAddresses {
		t.Errorf("%d addresses are kept", len(l.keys))
	}
	if !l.begin("192.0.2.1", now.Add(time.Hour)) {
		t.Error("an attempt is refused for ever")
	}
}

func TestOrigin(t *testing.T) {
	for address, want := range map[string]string{
		"192.0.2.1": "192.0.2.1", "192.0.2.1:80": "192.0.2.1", "::ffff:192.0.2.1": "192.0.2.1", "2001:db8::1": "2001:db8::/64", "[2001:db8::2]:1": "2001:db8::/64",
		"fe80::1%eth0": "fe80::/64", "": "unknown", "nonsense": "unknown", strings.Repeat("1", 1000): "unknown",
	} {
		if got := origin(address); got != want {
			t.Errorf("origin(%.40q) = %q, want %q", address, got, want)
		}
	}
}

func TestDamagedHashesMatchNothing(t *testing.T) {
	token := app.NewAdminToken()
	good := hashToken(token)
	if ok, err := verifyToken(token, good); !ok || err != nil {
		t.Fatalf("the right token: %v %v", ok, err)
	}
	for _, bad := range []string{
		"", "$", "$argon2id$v=19$m=19456,t=2,p=1$$", strings.Replace(good, "argon2id", "argon2i", 1), strings.Replace(good, "v=19", "v=16", 1),
		strings.Replace(good, "m=19456", "m=4294967295", 1), strings.Replace(good, "t=2", "t=0", 1), strings.Replace(good, "p=1", "p=0", 1), good[:len(good)-10],
		strings.Replace(good, "t=2", "t=3", 1),
	} {
		if ok, _ := verifyToken(token, bad); ok {
			t.Errorf("%q matches", bad)
		}
	}
}

// TestHoleL3OthersKeepNobodyOut: wrong attempts from an address, and from everywhere together, don't keep out who has the right token, an invitation, or a session. Wrong
// ones stay limited, whoever else was let in meanwhile, and so does a token that is short enough to be guessed.
func TestHoleL3OthersKeepNobodyOut(t *testing.T) {
	d := founded(t)
	ctx := t.Context()
	token := must[app.Secret](t)(d.NewAdminToken(ctx, app.Actor{Kind: app.ActorCommand, Name: "root"}))
	x := d.session(d.login("Ada"))
	invitation, _, err := d.Invite(ctx, x.Actor)
	if err != nil {
		t.Fatal(err)
	}
	wrong := func() error { return d.Monitor(ctx, browser, app.NewAdminToken()) }
	for range addressBurst {
		wantCode(t, "wrong", wrong(), app.CodeUnauthorized)
	}
	for i := range globalBurst {
		_, _ = d.Login(ctx, fmt.Sprintf("192.0.2.%d", i), "", "Ada", app.NewSecret("not the password"))
	}
	for range 3 * addressBurst {
		if err := d.Monitor(ctx, browser, token); err != nil {
			t.Fatalf("the admin token: %v", err)
		}
		wantCode(t, "a wrong one", wrong(), app.CodeRateLimited)
	}
	if err := d.Confirm(ctx, x, app.NewSecret(goodPassword)); err != nil {
		t.Errorf("who is logged in: %v", err)
	}
	must[Opened](t)(d.Enroll(ctx, browser, "", invitation))
	must[Opened](t)(d.Enroll(ctx, browser, "", token))
	_, err = d.Enroll(ctx, browser, "", app.NewAdminToken())
	wantCode(t, "a wrong token", err, app.CodeRateLimited)

	short := app.NewSecret("a-token-of-20-letter")
	if err := d.setToken(ctx, app.System(), short, "set"); err != nil {
		t.Fatal(err)
	}
	wantCode(t, "the old token", d.Monitor(ctx, browser, token), app.CodeRateLimited)
	wantCode(t, "one that can be guessed", d.Monitor(ctx, browser, short), app.CodeRateLimited)
	d.clock.pass(time.Hour)
	if err := d.Monitor(ctx, browser, short); err != nil {
		t.Errorf("one that can be guessed, later: %v", err)
	}
}
