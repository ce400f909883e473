package web

import (
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/credentialview"
	"github.com/computclaw/airlock/views/layout"
	"github.com/computclaw/airlock/views/paths"
)

func (s *Server) showCredentials(c echo.Context) error {
	sh, _, err := s.shell(c, "Credentials", layout.SectionCredentials)
	if err != nil {
		return err
	}
	list, err := s.cfg.Access.Credentials(c.Request().Context())
	if err != nil {
		return err
	}
	return s.render(c, http.StatusOK, credentialview.List(credentialview.ListPage{Shell: sh, Credentials: list}), "credentials")
}

func (s *Server) showNewCredential(c echo.Context) error {
	sh, _, err := s.shell(c, "Add a credential", layout.SectionCredentials)
	if err != nil {
		return err
	}
	return s.render(c, http.StatusOK, credentialview.Credential(credentialview.CredentialPage{Shell: sh, New: true, Mode: app.ModeSealed, Vault: s.vaultChoice(app.Credential{})}))
}

func (s *Server) createCredential(c echo.Context) error {
	return s.saveCredential(c, "Add a credential", app.Credential{}, "credential-added")
}

func (s *Server) showCredential(c echo.Context) error {
	cred, err := s.cfg.Access.Credential(c.Request().Context(), c.Param("name"))
	if err != nil {
		return err
	}
	page, err := s.credentialPage(c, cred)
	if err != nil {
		return err
	}
	return s.render(c, http.StatusOK, credentialview.Credential(page))
}

// credentialPage is a credential as it is stored.
func (s *Server) credentialPage(c echo.Context, cred app.Credential) (credentialview.CredentialPage, error) {
	sh, profiles, err := s.shell(c, cred.Name, layout.SectionCredentials)
	if err != nil {
		return credentialview.CredentialPage{}, err
	}
	vault, err := s.vaultFinding(c, cred)
	return credentialview.CredentialPage{
		Shell: sh, Credential: cred, Mode: cred.Mode, Description: cred.Description, Service: cred.Service, Hosts: hostLines(cred.Hosts), Places: cred.Places,
		Headers: strings.Join(cred.Headers, ", "), PlainHTTP: cred.PlainHTTP, Profiles: app.ProfilesWith(profiles, cred.ID), Superseded: s.supersededDays(), Check: checkForm(cred), Vault: vault,
	}, err
}

// supersededDays is for how many days a replaced value is searched for.
func (s *Server) supersededDays() int {
	if s.cfg.Retention == nil {
		return 0
	}
	return s.cfg.Retention.Policy().Superseded
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
	page := credentialview.CredentialPage{
		New: cred.ID == "", Credential: cred, Name: strings.TrimSpace(fields.Get("name")), Mode: app.Mode(fields.Get("mode")),
		Hosts: fields.Get("hosts"), Description: strings.TrimSpace(fields.Get("description")), Service: strings.TrimSpace(fields.Get("service")),
		Places: tickedPlaces(fields), Headers: fields.Get("headers"), PlainHTTP: fields.Get("plain_http") != "", Check: checkForm(cred),
	}
	in := access.CredentialInput{
		Name: page.Name, Description: page.Description, Service: &page.Service, Mode: page.Mode, Places: page.Places,
		Headers: headerNames(page.Headers), PlainHTTP: &page.PlainHTTP,
	}
	if in.Seen, err = seenAt(fields); err != nil {
		return err
	}
	page.Vault = s.typedSource(fields, cred, &in)
	var saved app.Credential
	if in.Value, err = givenValue(c, fields); err == nil {
		in.Hosts, err = parseHosts(page.Hosts, cred.Hosts)
	}
	if err == nil {
		err = erasing(fields, cred, in)
	}
	if err == nil {
		if page.New {
			saved, err = s.cfg.Access.CreateCredential(c.Request().Context(), actorOf(c), in)
		} else {
			in.Name = cred.Name
			saved, err = s.cfg.Access.SetCredential(c.Request().Context(), actorOf(c), in)
		}
	}
	if err == nil {
		found, err := s.cfg.Access.InspectCredential(c.Request().Context(), actorOf(c), saved)
		if err != nil {
			return err
		}
		if found != nil && found.Problem != "" {
			notice = "credential-unresolved"
		}
		return s.done(c, savedNotice(saved, in.Value, notice), paths.Credentials)
	}
	places := map[string]string{"name": "name", "value": "value", "mode": "mode", "reference": "reference", "source": "reference", "host": "hosts", "hosts": "hosts", "places": "places", "headers": "headers", "description": "description", "service": "service", "file": "file", "erase": "erase"}
	if app.CodeOf(err) == app.CodeConflict && page.New {
		places[""] = "name"
	}
	failed := err
	if page.Problems, err = problems(err, places); err != nil {
		return err
	}
	if app.CodeOf(failed) == app.CodeConflict && !page.New { // what was typed goes by what isn't there any more
		return s.showCredentialAgain(c, cred.Name, page.Problems)
	}
	var profiles []app.Profile
	if page.Shell, profiles, err = s.shell(c, title, layout.SectionCredentials); err != nil {
		return err
	}
	if !page.New {
		page.Profiles, page.Superseded = app.ProfilesWith(profiles, cred.ID), s.supersededDays()
	}
	return s.render(c, http.StatusUnprocessableEntity, credentialview.Credential(page))
}

// seenAt is when the credential that a form shows was changed last; zero for a form that doesn't say.
func seenAt(fields url.Values) (time.Time, error) {
	text := fields.Get("seen")
	if text == "" {
		return time.Time{}, nil
	}
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Time{}, app.Invalid("seen", "the form is incomplete", "Open the page again and save from there.")
	}
	return at, nil
}

// showCredentialAgain shows a credential as it is now, and why a form was refused.
func (s *Server) showCredentialAgain(c echo.Context, name string, found components.Problems) error {
	cred, err := s.cfg.Access.Credential(c.Request().Context(), name)
	if err != nil {
		return err
	}
	page, err := s.credentialPage(c, cred)
	if err != nil {
		return err
	}
	page.Problems = found
	return s.render(c, http.StatusUnprocessableEntity, credentialview.Credential(page))
}

// savedNotice is the notice after a credential was saved: usual, or what a person should know about its value.
func savedNotice(c app.Credential, value app.Secret, usual string) string {
	switch {
	case !c.HasValue():
		return "credential-empty"
	case c.Mode == app.ModeSealed && app.IsWide(value):
		return "credential-wide"
	case c.Mode != app.ModePlain && app.WeakValue(value) != "":
		return "credential-weak"
	}
	return usual
}

// tickedPlaces reads the ticks for the parts of a request in which a sealed value may stand.
func tickedPlaces(fields url.Values) []app.Place {
	all := []app.Place{app.PlaceHeader}
	for _, p := range []app.Place{app.PlacePath, app.PlaceQuery, app.PlaceBody} {
		if fields.Get(components.PlaceField(p)) != "" {
			all = append(all, p)
		}
	}
	return all
}

// headerNames are the names in a list with commas or one a line. It is never nil, since an empty field means the usual headers.
func headerNames(text string) []string {
	return append([]string{}, strings.FieldsFunc(text, func(r rune) bool { return r == ',' || unicode.IsSpace(r) })...)
}

// typedValue is a secret as a person meant it: a line break at its end came with the copying.
func typedValue(text string) app.Secret { return app.NewSecret(strings.TrimRight(text, "\n")) }

// givenValue is the typed value, or that of a file, which is kept byte for byte: some programs need the line break at the end of a key.
func givenValue(c echo.Context, fields url.Values) (app.Secret, error) {
	typed := typedValue(fields.Get("value"))
	file, err := uploaded(c, "file", app.MaxValue)
	switch {
	case err != nil || file == "":
		return typed, err
	case !typed.Empty():
		return app.Secret{}, app.Invalid("file", "there is a typed value and a file", "Give only one of them.")
	}
	return app.NewSecret(file), nil
}

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
