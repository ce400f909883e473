package auth_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access/accesstest"
	"github.com/computclaw/airlock/app/auth"
)

// TestTheAdminTokenWorksOnce: its session can only choose a name and password. A second holder is
// told who used it.
func TestTheAdminTokenWorksOnce(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	token := d.FirstToken()
	first, second := d.ShowToken(token), d.ShowToken(token)
	d.over("a token alone", first)
	for name, c := range map[string]struct{ name, password, field string }{
		"no name": {"", accesstest.GoodPassword, "name"}, "short": {"Ada", "short", "password"},
		"common": {"Ada", "password1234", "password"},
	} {
		_, err := d.Enrollment.Join(ctx, first, accesstest.Browser, "", c.name, app.NewSecret(c.password))
		accesstest.WantCode(t, name, err, app.CodeInvalidField)
	}
	opened := accesstest.Must[auth.Opened](t)(
		d.Enrollment.Join(ctx, first, accesstest.Browser, "Mozilla", " Ada  Lovelace ",
			app.NewSecret(accesstest.GoodPassword)))
	if x := d.SessionOf(opened.Token); x.Actor.Name != "Ada Lovelace" || !x.IsFresh(d.Now()) {
		t.Errorf("session %+v", x)
	}
	d.over("the half session", first)
	_, err := d.Enrollment.Join(ctx, second, accesstest.Browser, "", "Eve", app.NewSecret(accesstest.GoodPassword))
	accesstest.WantCode(t, "another half session of the token", err, app.CodeUnauthorized)
	_, err = d.Enrollment.Enroll(ctx, "192.0.2.66", "", token)
	accesstest.WantCode(t, "the token again", err, app.CodeConflict)
	for _, part := range []string{"Ada Lovelace", "1 March 2026 at 12:00 UTC", accesstest.Browser} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%v does not say %q", err, part)
		}
	}
	state := accesstest.Must[auth.TokenState](t)(d.AdminToken.State(ctx))
	if state.SpentBy != "Ada Lovelace" || state.SpentFrom != accesstest.Browser || !state.SpentAt.Equal(d.Now()) ||
		!state.MadeAt.Equal(d.Now()) {
		t.Errorf("state %+v", state)
	}
}

func TestAHalfSessionEndsSoon(t *testing.T) {
	d := newDesk(t)
	half := d.ShowToken(d.FirstToken())
	d.Pass(30 * time.Minute)
	_, err := d.Enrollment.Join(t.Context(), half, accesstest.Browser, "", "Ada",
		app.NewSecret(accesstest.GoodPassword))
	accesstest.WantCode(t, "after half an hour", err, app.CodeUnauthorized)
}

// TestForgottenPassword: with a new admin token, a known person chooses another password.
func TestForgottenPassword(t *testing.T) {
	d := founded(t)
	ctx := t.Context()
	token := accesstest.Must[app.Secret](t)(d.AdminToken.Renew(ctx, app.Actor{Kind: app.ActorCommand, Name: "root"}))
	old := d.LogIn("Ada")
	fresh := app.NewSecret("three blind geese")
	accesstest.Must[auth.Opened](t)(d.Enrollment.Join(ctx, d.ShowToken(token), accesstest.Browser, "", "ada", fresh))
	d.over("a session from before", old)
	_, err := d.Logins.Login(ctx, accesstest.Browser, "", "Ada", app.NewSecret(accesstest.GoodPassword))
	accesstest.WantCode(t, "the old password", err, app.CodeUnauthorized)
	accesstest.Must[auth.Opened](t)(d.Logins.Login(ctx, accesstest.Browser, "", "Ada", fresh))
	if people := accesstest.Must[[]auth.Person](t)(d.People.List(ctx)); len(people) != 1 || people[0].Name != "Ada" ||
		people[0].LastLoginFrom != accesstest.Browser {
		t.Errorf("people %+v", people)
	}
}

func TestInvitations(t *testing.T) {
	d := founded(t)
	ctx := t.Context()
	ada := d.SessionOf(d.LogIn("Ada"))
	invite := func() app.Secret {
		token, expires, err := d.Invitations.Create(ctx, ada.Actor, app.RoleOwner)
		if err != nil || !expires.Equal(d.Now().Add(3*24*time.Hour)) {
			t.Fatal(expires, err)
		}
		return token
	}
	token := invite()
	half := d.ShowToken(token)
	_, err := d.Enrollment.Join(ctx, half, accesstest.Browser, "", "ADA", app.NewSecret("three blind geese"))
	accesstest.WantCode(t, "somebody else's name", err, app.CodeInvalidField)
	d.LogIn("Ada") // untouched
	bob := accesstest.Must[auth.Opened](t)(
		d.Enrollment.Join(ctx, half, accesstest.Browser, "", "Bob", app.NewSecret(accesstest.GoodPassword)))
	_, err = d.Enrollment.Enroll(ctx, accesstest.Browser, "", token)
	accesstest.WantCode(t, "a second time", err, app.CodeUnauthorized)

	invite()
	taken := invite()
	if list := accesstest.Must[[]auth.Invitation](t)(d.Invitations.List(ctx)); len(list) != 2 ||
		list[0].By.Name != "Ada" {
		t.Errorf("invitations %+v", list)
	}
	half = d.ShowToken(taken)
	for _, x := range accesstest.Must[[]auth.Invitation](t)(d.Invitations.List(ctx)) {
		if err := d.Invitations.Revoke(ctx, ada.Actor, x.ID); err != nil {
			t.Fatal(err)
		}
	}
	_, err = d.Enrollment.Join(ctx, half, accesstest.Browser, "", "Eve", app.NewSecret(accesstest.GoodPassword))
	accesstest.WantCode(t, "taken back", err, app.CodeUnauthorized)
	late := invite()
	d.Pass(3 * 24 * time.Hour)
	_, err = d.Enrollment.Enroll(ctx, accesstest.Browser, "", late)
	accesstest.WantCode(t, "too late", err, app.CodeUnauthorized)
	if list := accesstest.Must[[]auth.Invitation](t)(d.Invitations.List(ctx)); len(list) != 0 {
		t.Errorf("invitations %+v", list)
	}

	ada = d.SessionOf(d.LogIn("Ada"))
	bobs := d.SessionOf(d.LogIn("Bob"))
	accesstest.WantCode(t, "oneself", d.People.Remove(ctx, ada, ada.PersonID), app.CodeInUse)
	if err := d.People.Remove(ctx, ada, bobs.PersonID); err != nil {
		t.Fatal(err)
	}
	accesstest.WantCode(t, "nobody", d.People.Remove(ctx, ada, bobs.PersonID), app.CodeNotFound)
	d.over("a removed person's session", bob.Token)
	_, err = d.Logins.Login(ctx, accesstest.Browser, "", "Bob", app.NewSecret(accesstest.GoodPassword))
	accesstest.WantCode(t, "a removed person", err, app.CodeUnauthorized)
}

func TestFreshPasswords(t *testing.T) {
	d := founded(t)
	ctx := t.Context()
	cookie := d.LogIn("Ada")
	if !d.SessionOf(cookie).IsFresh(d.Now()) {
		t.Error("not fresh after the login")
	}
	d.Pass(5 * time.Minute)
	x := d.SessionOf(cookie)
	if x.IsFresh(d.Now()) {
		t.Error("fresh after five minutes")
	}
	accesstest.WantCode(t, "wrong", d.Logins.Confirm(ctx, x, app.NewSecret("not the password")), app.CodeInvalidField)
	if d.SessionOf(cookie).IsFresh(d.Now()) {
		t.Error("fresh after a wrong password")
	}
	if err := d.Logins.Confirm(ctx, x, app.NewSecret(accesstest.GoodPassword)); err != nil {
		t.Fatal(err)
	}
	if !d.SessionOf(cookie).IsFresh(d.Now()) {
		t.Error("not fresh after the right one")
	}
	d.Pass(time.Minute)
	for range auth.AddressBurst {
		accesstest.WantCode(t, "wrong", d.Logins.Confirm(ctx, x, app.NewSecret("x")), app.CodeInvalidField)
	}
	accesstest.WantCode(t, "guessing", d.Logins.Confirm(ctx, x, app.NewSecret(accesstest.GoodPassword)),
		app.CodeRateLimited)
}

// TestHoleL3WrongConfirmationsOfOthers: they don't block one's own confirmation.
func TestHoleL3WrongConfirmationsOfOthers(t *testing.T) {
	d := founded(t)
	x := d.SessionOf(d.LogIn("Ada"))
	logins := auth.New(auth.Config{Store: d.Store, Keyring: d.Config.Keyring, Now: d.Now,
		Cost: d.Config.HashCost}).Logins
	for i := range 2 * auth.GlobalBurst {
		if !logins.TryConfirm(fmt.Sprintf("person %d", i)) {
			t.Fatalf("person %d has no try", i)
		}
	}
	if err := logins.Confirm(t.Context(), x, app.NewSecret(accesstest.GoodPassword)); err != nil {
		t.Error(err)
	}
}

func TestChangePassword(t *testing.T) {
	d := founded(t)
	ctx := t.Context()
	here, there := d.LogIn("Ada"), d.LogIn("Ada")
	x := d.SessionOf(here)
	next := app.NewSecret("three blind geese")
	accesstest.WantCode(t, "wrong old one", d.People.ChangePassword(ctx, x, app.NewSecret("x"), next),
		app.CodeInvalidField)
	accesstest.WantCode(t, "weak",
		d.People.ChangePassword(ctx, x, app.NewSecret(accesstest.GoodPassword), app.NewSecret("password1234")),
		app.CodeInvalidField)
	d.SessionOf(there)
	if err := d.People.ChangePassword(ctx, x, app.NewSecret(accesstest.GoodPassword), next); err != nil {
		t.Fatal(err)
	}
	d.SessionOf(here)
	d.over("the other session", there)
	_, err := d.Logins.Login(ctx, accesstest.Browser, "", "Ada", app.NewSecret(accesstest.GoodPassword))
	accesstest.WantCode(t, "the old password", err, app.CodeUnauthorized)
	accesstest.Must[auth.Opened](t)(d.Logins.Login(ctx, accesstest.Browser, "", "Ada", next))
}

func TestSessionList(t *testing.T) {
	d := founded(t)
	ctx := t.Context()
	one := d.LogIn("Ada")
	d.Pass(time.Hour)
	two, three := d.LogIn("Ada"), d.LogIn("Ada")
	x := d.SessionOf(two)
	list := accesstest.Must[[]auth.SessionInfo](t)(d.Sessions.List(ctx))
	// the first is the joining
	if len(list) != 4 || list[0].Person != "Ada" || list[0].Browser != "Mozilla" ||
		list[0].Address != accesstest.Browser {
		t.Fatalf("sessions %+v", list)
	}
	other := d.SessionOf(three).ID
	if err := d.Sessions.End(ctx, x, other); err != nil {
		t.Fatal(err)
	}
	accesstest.WantCode(t, "twice", d.Sessions.End(ctx, x, other), app.CodeNotFound)
	d.over("ended", three)
	accesstest.WantCode(t, "an agent", d.Sessions.End(ctx, auth.Session{Actor: agent}, x.ID), app.CodeForbidden)
	token, _, err := d.Invitations.Create(ctx, x.Actor, app.RoleOwner)
	if err != nil {
		t.Fatal(err)
	}
	bob := d.JoinAs(token, "Bob")
	if n, err := d.Sessions.EndOthers(ctx, x, false); n != 2 || err != nil {
		t.Errorf("ended %d, %v", n, err)
	}
	d.over("own other", one)
	d.SessionOf(bob)
	if n, err := d.Sessions.EndOthers(ctx, x, true); n != 1 || err != nil {
		t.Errorf("ended %d, %v", n, err)
	}
	d.over("everybody's", bob)
	d.SessionOf(two)
}

// TestTwoWhoRemoveEachOtherLeaveOne: the second request began before the first ended.
func TestTwoWhoRemoveEachOtherLeaveOne(t *testing.T) {
	d := founded(t)
	ctx := t.Context()
	ada := d.SessionOf(d.LogIn("Ada"))
	token, _, err := d.Invitations.Create(ctx, ada.Actor, app.RoleOwner)
	if err != nil {
		t.Fatal(err)
	}
	bob := d.SessionOf(d.JoinAs(token, "Bob"))
	if err := d.People.Remove(ctx, ada, bob.PersonID); err != nil {
		t.Fatal(err)
	}
	accesstest.WantCode(t, "who is removed", d.People.Remove(ctx, bob, ada.PersonID), app.CodeUnauthorized)
	if people := accesstest.Must[[]auth.Person](t)(d.People.List(ctx)); len(people) != 1 || people[0].Name != "Ada" {
		t.Errorf("people %+v", people)
	}
}

// TestANewTokenEndsEveryInvitation: also one made while the clock was ahead.
func TestANewTokenEndsEveryInvitation(t *testing.T) {
	d := founded(t)
	ctx := t.Context()
	d.Pass(time.Hour)
	invitation, _, err := d.Invitations.Create(ctx, d.SessionOf(d.LogIn("Ada")).Actor, app.RoleOwner)
	if err != nil {
		t.Fatal(err)
	}
	d.Pass(-time.Hour)
	accesstest.Must[app.Secret](t)(d.AdminToken.Renew(ctx, app.Actor{Kind: app.ActorCommand, Name: "root"}))
	_, err = d.Enrollment.Enroll(ctx, accesstest.Browser, "", invitation)
	accesstest.WantCode(t, "an invitation from before", err, app.CodeUnauthorized)
}

func (d *desk) joined(by auth.Session, name string, role app.Role) (auth.Session, app.Secret) {
	d.T.Helper()
	token, _, err := d.Invitations.Create(d.T.Context(), by.Actor, role)
	if err != nil {
		d.T.Fatal(err)
	}
	cookie := d.JoinAs(token, name)
	return d.SessionOf(cookie), cookie
}

func TestInvitationsCarryARole(t *testing.T) {
	d := founded(t)
	ada := d.SessionOf(d.LogIn("Ada"))
	if ada.Role != app.RoleOwner {
		t.Errorf("the first person is %q", ada.Role)
	}
	for name, role := range map[string]app.Role{"Olga": app.RoleOwner, "Oscar": app.RoleOperator, "Vera": app.RoleViewer} {
		if x, _ := d.joined(ada, name, role); x.Role != role {
			t.Errorf("%s is %q", name, x.Role)
		}
	}
	for _, role := range []app.Role{"", "Owner", "admin"} {
		_, _, err := d.Invitations.Create(t.Context(), ada.Actor, role)
		accesstest.WantCode(t, string(role), err, app.CodeInvalidField)
	}
}

// TestARoleCountsAtOnceAndOneOwnerStays: in the session that is open, too.
func TestARoleCountsAtOnceAndOneOwnerStays(t *testing.T) {
	d := founded(t)
	ctx := t.Context()
	cookie := d.LogIn("Ada")
	ada := d.SessionOf(cookie)
	vera, veras := d.joined(ada, "Vera", app.RoleViewer)
	accesstest.WantCode(t, "the only owner", d.People.SetRole(ctx, ada, ada.PersonID, app.RoleOperator), app.CodeInUse)
	accesstest.WantCode(t, "no role", d.People.SetRole(ctx, ada, vera.PersonID, "root"), app.CodeInvalidField)
	accesstest.WantCode(t, "an agent", d.People.SetRole(ctx, auth.Session{Actor: agent}, vera.PersonID, app.RoleOwner),
		app.CodeForbidden)
	accesstest.WantCode(t, "a viewer", d.People.SetRole(ctx, vera, vera.PersonID, app.RoleOwner), app.CodeForbidden)
	accesstest.WantCode(t, "a viewer removes", d.People.Remove(ctx, vera, ada.PersonID), app.CodeForbidden)
	if d.SessionOf(cookie).Role != app.RoleOwner || d.SessionOf(veras).Role != app.RoleViewer {
		t.Error("a refused change was made")
	}
	if err := d.People.SetRole(ctx, ada, vera.PersonID, app.RoleOwner); err != nil {
		t.Fatal(err)
	}
	events := accesstest.Must[[]app.Event](t)(d.Audit.Latest(ctx, 1))
	if e := events[0]; e.Action != "person.role" || e.Actor.Name != "Ada" || e.Subject != "Vera" ||
		e.Detail != "Changed the role from viewer to owner." {
		t.Errorf("event %+v", e)
	}
	if d.SessionOf(veras).Role != app.RoleOwner {
		t.Error("the role doesn't count in the session that is open")
	}
	if err := d.People.SetRole(ctx, ada, ada.PersonID, app.RoleViewer); err != nil {
		t.Fatal(err)
	}
	accesstest.WantCode(t, "who was an owner a moment ago", d.People.SetRole(ctx, ada, vera.PersonID, app.RoleViewer),
		app.CodeForbidden)
	command := auth.Session{Actor: app.Actor{Kind: app.ActorCommand, Name: "root"}}
	accesstest.WantCode(t, "the only owner, on the host", d.People.SetRole(ctx, command, vera.PersonID, app.RoleViewer),
		app.CodeInUse)
	if err := d.People.SetRole(ctx, command, ada.PersonID, app.RoleOwner); err != nil {
		t.Fatal(err)
	}
}

// TestTwoOwnersWhoDemoteEachOtherLeaveOne, whichever comes first.
func TestTwoOwnersWhoDemoteEachOtherLeaveOne(t *testing.T) {
	d := founded(t)
	ada := d.SessionOf(d.LogIn("Ada"))
	bob, _ := d.joined(ada, "Bob", app.RoleOwner)
	var done sync.WaitGroup
	for _, x := range [][2]auth.Session{{ada, bob}, {bob, ada}} {
		done.Go(func() { _ = d.People.SetRole(t.Context(), x[0], x[1].PersonID, app.RoleViewer) })
	}
	done.Wait()
	owners := 0
	for _, p := range accesstest.Must[[]auth.Person](t)(d.People.List(t.Context())) {
		if p.Role == app.RoleOwner {
			owners++
		}
	}
	if owners != 1 {
		t.Errorf("%d owners", owners)
	}
}

// TestOnlyOwnersEndOthersSessions: everybody ends their own.
func TestOnlyOwnersEndOthersSessions(t *testing.T) {
	d := founded(t)
	ctx := t.Context()
	adas := d.LogIn("Ada")
	ada := d.SessionOf(adas)
	oscar, _ := d.joined(ada, "Oscar", app.RoleOperator)
	second := d.SessionOf(d.LogIn("Oscar"))
	accesstest.WantCode(t, "an owner's", d.Sessions.End(ctx, oscar, ada.ID), app.CodeNotFound)
	_, err := d.Sessions.EndOthers(ctx, oscar, true)
	accesstest.WantCode(t, "everybody's", err, app.CodeForbidden)
	d.SessionOf(adas)
	if err := d.Sessions.End(ctx, oscar, second.ID); err != nil {
		t.Error(err)
	}
	if err := d.Sessions.End(ctx, ada, oscar.ID); err != nil {
		t.Error(err)
	}
}

// TestAResetKeepsTheRole: the admin token doesn't change a known person's role.
func TestAResetKeepsTheRole(t *testing.T) {
	d := founded(t)
	d.joined(d.SessionOf(d.LogIn("Ada")), "Vera", app.RoleViewer)
	token := accesstest.Must[app.Secret](t)(d.AdminToken.Renew(t.Context(), app.Actor{Kind: app.ActorCommand}))
	if x := d.SessionOf(d.JoinAs(token, "Vera")); x.Role != app.RoleViewer {
		t.Errorf("role %q", x.Role)
	}
}
