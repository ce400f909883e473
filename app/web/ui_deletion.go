package web

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/format"
	"github.com/computclaw/airlock/views/layout"
	"github.com/computclaw/airlock/views/paths"
)

func (s *Server) askDeleteCredential(c echo.Context) error {
	cred, err := s.cfg.Access.Credential(c.Request().Context(), c.Param("name"))
	if err != nil {
		return err
	}
	return s.confirmDeletion(c, cred, nil)
}

// confirmDeletion says which profiles it would hit, before it asks for the name.
func (s *Server) confirmDeletion(c echo.Context, cred app.Credential, refused error) error {
	sh, profiles, err := s.shell(c, "Delete "+cred.Name, layout.SectionCredentials)
	if err != nil {
		return err
	}
	page := layout.ConfirmPage{
		Shell: sh, Question: "Delete " + cred.Name + "?", Button: "Delete " + cred.Name, Typed: cred.Name,
		Action: paths.CredentialDeleteURL(cred.Name), Back: paths.CredentialURL(cred.Name),
		Lines: []string{"Scripts can't use it any more, and its value is destroyed with all earlier versions. This can't be undone."},
	}
	if cred.Searched() {
		page.Lines = append(page.Lines, "Airlock stops searching answers and output for the value, which its service still accepts. Revoke it there first.")
	}
	for _, p := range app.ProfilesWith(profiles, cred.ID) {
		hit := layout.Affected{Handle: p.Handle, Title: format.Title(p.Description)}
		switch p.State(s.cfg.Now()) {
		case app.StateLocked:
			page.Blocked, hit.How = true, "is locked and uses it: revoke or delete this profile first"
		case app.StateUnlocked:
			hit.How = "is being set up: its key loses the link"
		case app.StateExpired:
			hit.How = "has expired: extended, it could not run without this"
		case app.StateRevoked:
			hit.How = "was revoked: it can't be restored then"
		}
		page.Affected = append(page.Affected, hit)
	}
	return s.confirmation(c, page, refused)
}

// confirmation asks before something that can't be undone; refused says why it was not done so far.
func (s *Server) confirmation(c echo.Context, page layout.ConfirmPage, refused error) error {
	if refused == nil {
		return s.render(c, http.StatusOK, layout.Confirm(page))
	}
	var err error
	if page.Problems, err = problems(refused, map[string]string{"typed": "typed"}); err != nil {
		return err
	}
	return s.render(c, http.StatusUnprocessableEntity, layout.Confirm(page))
}

// typed refuses unless the name that a page asked for was typed. Letter case and the number of spaces don't matter: phones change them.
func typed(fields url.Values, name string) error {
	plain := func(text string) string { return strings.Join(strings.Fields(text), " ") }
	if strings.EqualFold(plain(fields.Get("typed")), plain(name)) {
		return nil
	}
	return app.Invalid("typed", "that is not its name", "Type "+plain(name)+" if you mean it.")
}

func (s *Server) deleteCredential(c echo.Context) error {
	fields, err := form(c)
	if err != nil {
		return err
	}
	cred, err := s.cfg.Access.Credential(c.Request().Context(), c.Param("name"))
	if err != nil {
		return err
	}
	if fields.Get("typed") != cred.Name {
		return s.confirmDeletion(c, cred, app.Invalid("typed", "that is not its name", "Type "+cred.Name+" if you mean it."))
	}
	if err := s.cfg.Access.DeleteCredential(c.Request().Context(), actorOf(c), cred.Name); err != nil {
		return s.confirmDeletion(c, cred, err)
	}
	return s.done(c, "credential-deleted", paths.Credentials)
}
