package access

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
)

const browser = "192.0.2.9"

func (d *desk) login(token app.Secret) app.Secret {
	d.t.Helper()
	session, expires, err := d.Login(d.t.Context(), browser, "Mozilla", token)
	if err != nil {
		d.t.Fatal(err)
	}
	if want := d.now().Add(7 * 24 * time.Hour); !expires.Equal(want) {
		d.t.Errorf("the session expires at %v, want %v", expires, want)
	}
	return session
}

func (d *desk) firstToken() app.Secret {
	d.t.Helper()
	return must[app.Secret](d.t)(d.EnsureAdminToken(d.t.Context(), app.Secret{}))
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
	d.login(token)
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
	session := d.login(first)
	must[app.Secret](t)(d.EnsureAdminToken(ctx, first)) // an ordinary restart
	must[app.Actor](t)(d.Session(ctx, session, browser))
	must[app.Secret](t)(d.EnsureAdminToken(ctx, app.Secret{})) // no longer configured: the hash stays
	must[app.Actor](t)(d.Session(ctx, session, browser))
	must[app.Secret](t)(d.EnsureAdminToken(ctx, second))
	_, err := d.Session(ctx, session, browser)
	wantCode(t, "a session from before", err, app.CodeUnauthorized)
	_, _, err = d.Login(ctx, browser, "", first)
	wantCode(t, "the token before", err, app.CodeUnauthorized)
	d.login(second)
}

func TestNewTokenEndsEverySession(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	old := d.firstToken()
	sessions := []app.Secret{d.login(old), d.login(old)}
	token := must[app.Secret](t)(d.NewAdminToken(ctx, app.Actor{Kind: app.ActorCommand}))
	for _, s := range sessions {
		_, err := d.Session(ctx, s, browser)
		wantCode(t, "old session", err, app.CodeUnauthorized)
	}
	_, _, err := d.Login(ctx, browser, "", old)
	wantCode(t, "old token", err, app.CodeUnauthorized)
	d.login(token)
}

func TestWrongTokensAreAllRefusedAlike(t *testing.T) {
	d := newDesk(t)
	token := d.firstToken().Reveal()
	var texts []string
	for i, wrong := range []string{"", "x", token + "x", token[1:], strings.ToUpper(token), strings.Repeat("x", 1<<20), "\xff\x00", app.NewAdminToken().Reveal()} {
		_, _, err := d.Login(t.Context(), fmt.Sprintf("192.0.2.%d", 100+i), "", app.NewSecret(wrong))
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

func TestSessionsEnd(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	token := d.firstToken()

	idle := d.login(token)
	d.clock.pass(12*time.Hour - time.Second)
	actor := must[app.Actor](t)(d.Session(ctx, idle, "198.51.100.1"))
	if actor != (app.Actor{Kind: app.ActorPerson, Name: "admin", Address: "198.51.100.1"}) {
		t.Errorf("actor %+v", actor)
	}
	d.clock.pass(12*time.Hour - time.Second) // counted from that use
	must[app.Actor](t)(d.Session(ctx, idle, browser))
	d.clock.pass(12 * time.Hour)
	_, err := d.Session(ctx, idle, browser)
	wantCode(t, "idle", err, app.CodeUnauthorized)

	busy := d.login(token)
	for range 7*24 - 1 {
		d.clock.pass(time.Hour)
		must[app.Actor](t)(d.Session(ctx, busy, browser))
	}
	d.clock.pass(time.Hour)
	_, err = d.Session(ctx, busy, browser)
	wantCode(t, "absolute", err, app.CodeUnauthorized)

	over := d.login(token)
	for range 2 {
		if err := d.Logout(ctx, over); err != nil {
			t.Fatal(err)
		}
	}
	_, err = d.Session(ctx, over, browser)
	wantCode(t, "logged out", err, app.CodeUnauthorized)

	for _, s := range []string{"", "x", over.Reveal() + "x", "' OR 1=1 --"} {
		_, err := d.Session(ctx, app.NewSecret(s), browser)
		wantCode(t, "unknown session", err, app.CodeUnauthorized)
	}
	var left int
	d.login(token) // prunes
	if err := d.raw().QueryRow("SELECT count(*) FROM admin_sessions").Scan(&left); err != nil || left != 1 {
		t.Errorf("%d sessions are kept (%v), want the last", left, err)
	}
}

func TestLoginsAreLimitedPerAddress(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	token := d.firstToken()
	wrong := func(address string) error {
		_, _, err := d.Login(ctx, address, "", app.NewSecret("not the token"))
		return err
	}
	for range addressBurst {
		wantCode(t, "wrong", wrong("2001:db8::1"), app.CodeUnauthorized)
	}
	wantCode(t, "one too many", wrong("2001:db8::2"), app.CodeRateLimited) // the same network
	_, _, err := d.Login(ctx, "[2001:db8::3]:4711", "", token)
	wantCode(t, "even the right one", err, app.CodeRateLimited)
	wantCode(t, "another network", wrong("2001:db8:0:1::1"), app.CodeUnauthorized)
	d.clock.pass(addressEvery)
	wantCode(t, "after a while", wrong("2001:db8::1"), app.CodeUnauthorized)
	wantCode(t, "only one", wrong("2001:db8::1"), app.CodeRateLimited)
	for range 3 * addressBurst { // right ones cost nothing
		d.login(token)
	}
}

func TestLimiterIsBounded(t *testing.T) {
	l := newLimiter()
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
	if len(l.address) > maxAddresses {
		t.Errorf("%d addresses are kept", len(l.address))
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
