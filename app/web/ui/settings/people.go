package settings

import (
	"context"
	"net/http"
	"net/url"
	"slices"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/auth"
	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/views/layout"
	"github.com/computclaw/airlock/views/paths"
	"github.com/computclaw/airlock/views/settingsview"
)

func (h Handlers) addPeople(ctx context.Context, page *settingsview.SettingsPage) (err error) {
	if page.People, err = h.Access.People.List(ctx); err != nil {
		return err
	}
	if page.Invitations, err = h.Access.Invitations.List(ctx); err != nil {
		return err
	}
	if page.Sessions, err = h.Access.Sessions.List(ctx); err != nil {
		return err
	}
	if page.Role != app.RoleOwner { // people are for owners
		page.Sessions = slices.DeleteFunc(page.Sessions, func(x auth.SessionInfo) bool { return x.PersonID != page.PersonID })
	}
	page.Token, err = h.Access.AdminToken.State(ctx)
	return err
}

// invite shows the token in its own answer. Nothing may keep it for a later page.
func (h Handlers) invite(c echo.Context, fields url.Values) error {
	role := app.Role(fields.Get("role"))
	token, expires, err := h.Access.Invitations.Create(c.Request().Context(), uix.Actor(c), role)
	if err != nil {
		return err
	}
	sh, _, err := h.Shell(c, "An invitation", layout.SectionSettings)
	if err != nil {
		return err
	}
	c.Response().Header().Set("HX-Push-Url", "false")
	return h.Render(c, http.StatusOK, settingsview.Invited(settingsview.InvitedPage{
		Shell: sh, Token: token.Reveal(), Expires: expires, Role: role,
	}))
}

func (h Handlers) uninvite(c echo.Context) error {
	if err := h.Access.Invitations.Revoke(c.Request().Context(), uix.Actor(c), c.Param("id")); err != nil {
		return err
	}
	return h.Done(c, "uninvited", paths.SettingsPeople)
}

func (h Handlers) changeRole(c echo.Context, fields url.Values) error {
	err := h.Access.People.SetRole(c.Request().Context(), uix.Session(c), c.Param("id"), app.Role(fields.Get("role")))
	if err != nil {
		return err
	}
	to := paths.SettingsPeople
	if c.Param("id") == uix.Session(c).PersonID {
		to = paths.Settings // which every role may read
	}
	return h.Done(c, "role-changed", to)
}

func (h Handlers) askRemovePerson(c echo.Context) error {
	p, err := h.pathPerson(c)
	if err != nil {
		return err
	}
	return h.confirmRemoval(c, p, nil)
}

func (h Handlers) pathPerson(c echo.Context) (auth.Person, error) {
	people, err := h.Access.People.List(c.Request().Context())
	if err != nil {
		return auth.Person{}, err
	}
	i := slices.IndexFunc(people, func(p auth.Person) bool { return p.ID == c.Param("id") })
	if i < 0 {
		return auth.Person{}, app.E(app.CodeNotFound, "there is no such person",
			"Their access may have been taken away already.")
	}
	return people[i], nil
}

func (h Handlers) confirmRemoval(c echo.Context, p auth.Person, refused error) error {
	return h.Confirm(c, layout.SectionSettings, layout.ConfirmPage{
		Question: "Remove " + p.Name + "?", Button: "Remove " + p.Name, Typed: p.Name,
		Action: paths.At(paths.SettingsPerson, p.ID), Back: paths.SettingsPeople,
		Lines: []string{
			"Their sessions end at once, and their password stops working.",
			"What they did stays in the audit log. They can be invited again.",
		},
	}, refused)
}

func (h Handlers) removePerson(c echo.Context, fields url.Values) error {
	p, err := h.pathPerson(c)
	if err != nil {
		return err
	}
	if err := uix.CheckTyped(fields, p.Name); err != nil {
		return h.confirmRemoval(c, p, err)
	}
	if err := h.Access.People.Remove(c.Request().Context(), uix.Session(c), p.ID); err != nil {
		return h.confirmRemoval(c, p, err)
	}
	return h.Done(c, "person-removed", paths.SettingsPeople)
}
