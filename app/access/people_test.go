package access

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
)

// TestTheAdminTokenWorksOnce: what it opens can do nothing but choose a name and a password, and then its holder is told who used it.
func TestTheAdminTokenWorksOnce(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	token := d.firstToken()
	first, second := d.enroll(token), d.enroll(token)
	d.over("a token alone", first)
	for name, c := range map[string]struct{ name, password, field string }{
		"no name": {"", goodPassword, "name"}, "short": {"Ada", "short", "password"}, "common": {"Ada", "password1234", "password"},
	} {
		_, err := d.Join(ctx, first, browser, "", c.name, app.NewSecret(c.password))
		wantCode(t, name, err, app.CodeInvalidField)
	}
	opened := must[Opened](t)(d.Join(ctx, first, browser, "Mozilla", " Ada  Lovelace ", app.NewSecret(goodPassword)))
	if x := d.session(opened.Token); x.Actor.Name != "Ada Lovelace" || !x.Fresh(d.now()) {
		t.Errorf("session %+v", x)
	}
	d.over("the half session", first)
	_, err := d.Join(ctx, second, browser, "", "Eve", app.NewSecret(goodPassword))
	wantCode(t, "another half session of the token", err, app.CodeUnauthorized)
	_, err = d.Enroll(ctx, "192.0.2.66", "", token)
	wantCode(t, "the token again", err, app.CodeConflict)
	for _, part := range []string{"Ada Lovelace", "2026-03-01T12:00:00Z", browser} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%v does not say %q", err, part)
		}
	}
	state := must[TokenState](t)(d.AdminToken(ctx))
	if state.SpentBy != "Ada Lovelace" || state.SpentFrom != browser || !state.SpentAt.Equal(d.now()) || !state.MadeAt.Equal(d.now()) {
		t.Errorf("state %+v", state)
	}
}

func TestAHalfSessionEndsSoon(t *testing.T) {
	d := newDesk(t)
	half := d.enroll(d.firstToken())
	d.clock.pass(30 * time.Minute)
	_, err := d.Join(t.Context(), half, browser, "", "Ada", app.NewSecret(goodPassword))
	wantCode(t, "after half an hour", err, app.CodeUnauthorized)
}

// TestForgottenPassword: with a new admin token, somebody who is known chooses another password.
func TestForgottenPassword(t *testing.T) {
	d := founded(t)
	ctx := t.Context()
	token := must[app.Secret](t)(d.NewAdminToken(ctx, app.Actor{Kind: app.ActorCommand, Name: "root"}))
	old := d.login("Ada")
	fresh := app.NewSecret("three blind geese")
	must[Opened](t)(d.Join(ctx, d.enroll(token), browser, "", "ada", fresh))
	d.over("a session from before", old)
	_, err := d.Login(ctx, browser, "", "Ada", app.NewSecret(goodPassword))
	wantCode(t, "the old password", err, app.CodeUnauthorized)
	must[Opened](t)(d.Login(ctx, browser, "", "Ada", fresh))
	if people := must[[]Person](t)(d.People(ctx)); len(people) != 1 || people[0].Name != "Ada" || people[0].LastLoginFrom != browser {
		t.Errorf("people %+v", people)
	}
}

func TestInvitations(t *testing.T) {
	d := founded(t)
	ctx := t.Context()
	ada := d.session(d.login("Ada"))
	invite := func() app.Secret {
		token, expires, err := d.Invite(ctx, ada.Actor)
		if err != nil || !expires.Equal(d.now().Add(3*24*time.Hour)) {
			t.Fatal(expires, err)
		}
		return token
	}
	token := invite()
	half := d.enroll(token)
	_, err := d.Join(ctx, half, browser, "", "ADA", app.NewSecret("three blind geese"))
	wantCode(t, "somebody else's name", err, app.CodeInvalidField)
	d.login("Ada") // untouched
	bob := must[Opened](t)(d.Join(ctx, half, browser, "", "Bob", app.NewSecret(goodPassword)))
	_, err = d.Enroll(ctx, browser, "", token)
	wantCode(t, "a second time", err, app.CodeUnauthorized)

	invite()
	taken := invite()
	if list := must[[]Invitation](t)(d.Invitations(ctx)); len(list) != 2 || list[0].By.Name != "Ada" {
		t.Errorf("invitations %+v", list)
	}
	half = d.enroll(taken)
	for _, x := range must[[]Invitation](t)(d.Invitations(ctx)) {
		if err := d.Uninvite(ctx, ada.Actor, x.ID); err != nil {
			t.Fatal(err)
		}
	}
	_, err = d.Join(ctx, half, browser, "", "Eve", app.NewSecret(goodPassword))
	wantCode(t, "taken back", err, app.CodeUnauthorized)
	late := invite()
	d.clock.pass(3 * 24 * time.Hour)
	_, err = d.Enroll(ctx, browser, "", late)
	wantCode(t, "too late", err, app.CodeUnauthorized)
	if list := must[[]Invitation](t)(d.Invitations(ctx)); len(list) != 0 {
		t.Errorf("invitations %+v", list)
	}

	ada = d.session(d.login("Ada"))
	bobs := d.session(d.login("Bob"))
	wantCode(t, "oneself", d.RemovePerson(ctx, ada, ada.PersonID), app.CodeInUse)
	if err := d.RemovePerson(ctx, ada, bobs.PersonID); err != nil {
		t.Fatal(err)
	}
	wantCode(t, "nobody", d.RemovePerson(ctx, ada, bobs.PersonID), app.CodeNotFound)
	d.over("a removed person's session", bob.Token)
	_, err = d.Login(ctx, browser, "", "Bob", app.NewSecret(goodPassword))
	wantCode(t, "a removed person", err, app.CodeUnauthorized)
}

func TestFreshPasswords(t *testing.T) {
	d := founded(t)
	ctx := t.Context()
	cookie := d.login("Ada")
	if !d.session(cookie).Fresh(d.now()) {
		t.Error("not fresh after the login")
	}
	d.clock.pass(5 * time.Minute)
	x := d.session(cookie)
	if x.Fresh(d.now()) {
		t.Error("fresh after five minutes")
	}
	wantCode(t, "wrong", d.Confirm(ctx, x, app.NewSecret("not the password")), app.CodeInvalidField)
	if d.session(cookie).Fresh(d.now()) {
		t.Error("fresh after a wrong password")
	}
	if err := d.Confirm(ctx, x, app.NewSecret(goodPassword)); err != nil {
		t.Fatal(err)
	}
	if !d.session(cookie).Fresh(d.now()) {
		t.Error("not fresh after the right one")
	}
	d.clock.pass(time.Minute)
	for range addressBurst {
		wantCode(t, "wrong", d.Confirm(ctx, x, app.NewSecret("x")), app.CodeInvalidField)
	}
	wantCode(t, "guessing", d.Confirm(ctx, x, app.NewSecret(goodPassword)), app.CodeRateLimited)
}

// TestHoleL3WrongConfirmationsOfOthers keep nobody from confirming their own password, however many people type wrong ones.
func TestHoleL3WrongConfirmationsOfOthers(t *testing.T) {
	d := founded(t)
	x := d.session(d.login("Ada"))
	for i := range 2 * globalBurst {
		if !d.confirms.begin(fmt.Sprintf("person %d", i), d.now()) {
			t.Fatalf("person %d has no try", i)
		}
	}
	if err := d.Confirm(t.Context(), x, app.NewSecret(goodPassword)); err != nil {
		t.Error(err)
	}
}

func TestChangePassword(t *testing.T) {
	d := founded(t)
	ctx := t.Context()
	here, there := d.login("Ada"), d.login("Ada")
	x := d.session(here)
	next := app.NewSecret("three blind geese")
	wantCode(t, "wrong old one", d.ChangePassword(ctx, x, app.NewSecret("x"), next), app.CodeInvalidField)
	wantCode(t, "weak", d.ChangePassword(ctx, x, app.NewSecret(goodPassword), app.NewSecret("password1234")), app.CodeInvalidField)
	d.session(there)
	if err := d.ChangePassword(ctx, x, app.NewSecret(goodPassword), next); err != nil {
		t.Fatal(err)
	}
	d.session(here)
	d.over("the other session", there)
	_, err := d.Login(ctx, browser, "", "Ada", app.NewSecret(goodPassword))
	wantCode(t, "the old password", err, app.CodeUnauthorized)
	must[Opened](t)(d.Login(ctx, browser, "", "Ada", next))
}

func TestSessionList(t *testing.T) {
	d := founded(t)
	ctx := t.Context()
	one := d.login("Ada")
	d.clock.pass(time.Hour)
	two, three := d.login("Ada"), d.login("Ada")
	x := d.session(two)
	list := must[[]SessionInfo](t)(d.Sessions(ctx))
	if len(list) != 4 || list[0].Person != "Ada" || list[0].Browser != "Mozilla" || list[0].Address != browser { // the first is the joining
		t.Fatalf("sessions %+v", list)
	}
	other := d.session(three).ID
	if err := d.EndSession(ctx, x.Actor, other); err != nil {
		t.Fatal(err)
	}
	wantCode(t, "twice", d.EndSession(ctx, x.Actor, other), app.CodeNotFound)
	d.over("ended", three)
	wantCode(t, "an agent", d.EndSession(ctx, agent, x.ID), app.CodeForbidden)
	token, _, err := d.Invite(ctx, x.Actor)
	if err != nil {
		t.Fatal(err)
	}
	bob := d.join(token, "Bob")
	if n, err := d.EndOtherSessions(ctx, x, false); n != 2 || err != nil {
		t.Errorf("ended %d, %v", n, err)
	}
	d.over("own other", one)
	d.session(bob)
	if n, err := d.EndOtherSessions(ctx, x, true); n != 1 || err != nil {
		t.Errorf("ended %d, %v", n, err)
	}
	d.over("everybody's", bob)
	d.session(two)
}

// TestTwoWhoRemoveEachOtherLeaveOne: the second was let in before the first took their access away.
func TestTwoWhoRemoveEachOtherLeaveOne(t *testing.T) {
	d := founded(t)
	ctx := t.Context()
	ada := d.session(d.login("Ada"))
	token, _, err := d.Invite(ctx, ada.Actor)
	if err != nil {
		t.Fatal(err)
	}
	bob := d.session(d.join(token, "Bob"))
	if err := d.RemovePerson(ctx, ada, bob.PersonID); err != nil {
		t.Fatal(err)
	}
	wantCode(t, "who is removed", d.RemovePerson(ctx, bob, ada.PersonID), app.CodeUnauthorized)
	if people := must[[]Person](t)(d.People(ctx)); len(people) != 1 || people[0].Name != "Ada" {
		t.Errorf("people %+v", people)
	}
}

// TestANewTokenEndsEveryInvitation: also one that was made while the clock was ahead.
func TestANewTokenEndsEveryInvitation(t *testing.T) {
	d := founded(t)
	ctx := t.Context()
	d.clock.pass(time.Hour)
	invitation, _, err := d.Invite(ctx, d.session(d.login("Ada")).Actor)
	if err != nil {
		t.Fatal(err)
	}
	d.clock.pass(-time.Hour)
	must[app.Secret](t)(d.NewAdminToken(ctx, app.Actor{Kind: app.ActorCommand, Name: "root"}))
	_, err = d.Enroll(ctx, browser, "", invitation)
	wantCode(t, "an invitation from before", err, app.CodeUnauthorized)
}
