package web

import (
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/views"
)

func (s *Server) showCredentials(c echo.Context) error {
	sh, _, err := s.shell(c, "Credentials", views.SectionCredentials)
	if err != nil {
		return err
	}
	list, err := s.cfg.Access.Credentials(c.Request().Context())
	if err != nil {
		return err
	}
	return s.render(c, http.StatusOK, views.CredentialsView(views.CredentialsPage{Shell: sh, Credentials: list}))
}

func (s *Server) showNewCredential(c echo.Context) error {
	sh, _, err := s.shell(c, "Add a credential", views.SectionCredentials)
	if err != nil {
		return err
	}
	return s.render(c, http.StatusOK, views.CredentialView(views.CredentialPage{Shell: sh, New: true, Mode: app.ModeInjected}))
}

func (s *Server) createCredential(c echo.Context) error {
	return s.saveCredential(c, "Add a credential", app.Credential{}, "credential-added")
}

func (s *Server) showCredential(c echo.Context) error {
	cred, err := s.cfg.Access.Credential(c.Request().Context(), c.Param("name"))
	if err != nil {
		return err
	}
	sh, profiles, err := s.shell(c, cred.Name, views.SectionCredentials)
	if err != nil {
		return err
	}
	return s.render(c, http.StatusOK, views.CredentialView(views.CredentialPage{
		Shell: sh, Credential: cred, Mode: cred.Mode, Description: cred.Description, Hosts: hostLines(cred.Hosts), Profiles: profilesWith(profiles, cred.ID),
	}))
}

// profilesWith are the profiles that have a key linked to the credential.
func profilesWith(profiles []app.Profile, credentialID string) []app.Profile {
	var users []app.Profile
	for _, p := range profiles {
		if slices.ContainsFunc(p.Keys, func(k app.Key) bool { return k.CredentialID == credentialID }) {
			users = append(users, p)
		}
	}
	return users
}

func (s *Server) changeCredential(c echo.Context) error {
	cred, err := s.cfg.Access.Credential(c.Request().Context(), c.Param("name"))
	if err != nil {
		return err
	}
	return s.saveCredential(c, cred.Name, cred, "credential-changed")
}

// saveCredential takes the form of a new credential (cred is zero) or of one that exists. A refused form comes back with everything but the value.
func (s *Server) saveCredential(c echo.Context, title string, cred app.Credential, notice string) error {
	fields, err := form(c)
	if err != nil {
		return err
	}
	page := views.CredentialPage{
		New: cred.ID == "", Credential: cred, Name: strings.TrimSpace(fields.Get("name")), Mode: app.Mode(fields.Get("mode")),
		Hosts: fields.Get("hosts"), Description: strings.TrimSpace(fields.Get("description")),
	}
	in := access.CredentialInput{Name: page.Name, Description: page.Description, Mode: page.Mode, Value: typedValue(fields.Get("value"))}
	if in.Hosts, err = parseHosts(page.Hosts, cred.Hosts); err == nil {
		if page.New {
			_, err = s.cfg.Access.CreateCredential(c.Request().Context(), actorOf(c), in)
		} else {
			in.Name = cred.Name
			_, err = s.cfg.Access.SetCredential(c.Request().Context(), actorOf(c), in)
		}
	}
	if err == nil {
		return s.done(c, notice, views.Credentials)
	}
	places := map[string]string{"name": "name", "value": "value", "mode": "mode", "host": "hosts", "hosts": "hosts", "description": "description"}
	if app.CodeOf(err) == app.CodeConflict && page.New {
		places[""] = "name"
	}
	if page.Problems, err = problems(err, places); err != nil {
		return err
	}
	var profiles []app.Profile
	if page.Shell, profiles, err = s.shell(c, title, views.SectionCredentials); err != nil {
		return err
	}
	if !page.New {
		page.Profiles = profilesWith(profiles, cred.ID)
	}
	return s.render(c, http.StatusUnprocessableEntity, views.CredentialView(page))
}

// typedValue is a secret as a person meant it: a line break at its end came with the copying.
func typedValue(text string) app.Secret { return app.NewSecret(strings.TrimRight(text, "\n")) }

// hostLines writes hosts one per line, as parseHosts reads them.
func hostLines(hosts []app.Host) string {
	lines := make([]string, len(hosts))
	for i, h := range hosts {
		lines[i] = h.String()
	}
	return strings.Join(lines, "\n")
}

// parseHosts reads one host per line. What the short form doesn't say is taken from the host that stood there before. It is never nil: no
// line means no host.
func parseHosts(text string, before []app.Host) ([]app.Host, error) {
	hosts := []app.Host{}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		h, err := app.ParseHost(line)
		if err != nil {
			return nil, err
		}
		for _, b := range before {
			if b.String() == h.String() {
				h = b
			}
		}
		hosts = append(hosts, h)
	}
	return hosts, nil
}

func (s *Server) askDeleteCredential(c echo.Context) error {
	cred, err := s.cfg.Access.Credential(c.Request().Context(), c.Param("name"))
	if err != nil {
		return err
	}
	return s.confirmDeletion(c, cred, nil)
}

func (s *Server) confirmDeletion(c echo.Context, cred app.Credential, refused error) error {
	sh, _, err := s.shell(c, "Delete "+cred.Name, views.SectionCredentials)
	if err != nil {
		return err
	}
	page := views.ConfirmPage{
		Shell: sh, Question: "Delete " + cred.Name + "?", Button: "Delete " + cred.Name,
		Action: views.CredentialDeleteURL(cred.Name), Back: views.CredentialURL(cred.Name),
		Lines: []string{"Its value is destroyed, with all earlier versions. Airlock can't bring it back.", "It works on where it came from until you withdraw it there."},
	}
	if refused == nil {
		return s.render(c, http.StatusOK, views.ConfirmView(page))
	}
	if page.Problems, err = problems(refused, nil); err != nil {
		return err
	}
	return s.render(c, http.StatusUnprocessableEntity, views.ConfirmView(page))
}

func (s *Server) deleteCredential(c echo.Context) error {
	cred, err := s.cfg.Access.Credential(c.Request().Context(), c.Param("name"))
	if err != nil {
		return err
	}
	if err := s.cfg.Access.DeleteCredential(c.Request().Context(), actorOf(c), cred.Name); err != nil {
		return s.confirmDeletion(c, cred, err)
	}
	return s.done(c, "credential-deleted", views.Credentials)
}
