package auth_test

import (
	"sync"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access/accesstest"
	"github.com/computclaw/airlock/app/auth"
)

// joined is a session of somebody who was invited with a role.
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

// TestAResetKeepsTheRole: who uses the admin token for a known name gets what that name had.
func TestAResetKeepsTheRole(t *testing.T) {
	d := founded(t)
	d.joined(d.SessionOf(d.LogIn("Ada")), "Vera", app.RoleViewer)
	token := accesstest.Must[app.Secret](t)(d.AdminToken.Renew(t.Context(), app.Actor{Kind: app.ActorCommand}))
	if x := d.SessionOf(d.JoinAs(token, "Vera")); x.Role != app.RoleViewer {
		t.Errorf("role %q", x.Role)
	}
}
