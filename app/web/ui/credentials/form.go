package credentials

import (
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	appcredentials "github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/credentialview"
	"github.com/computclaw/airlock/views/layout"
	"github.com/computclaw/airlock/views/paths"
)

// saveCredential saves a new (cred is zero) or existing credential from a form. A refused form
// keeps everything but the value.
func (h *Handlers) saveCredential(c echo.Context, title string, cred app.Credential, notice string) error {
	fields, err := uix.Form(c)
	if err != nil {
		return err
	}
	page := credentialview.CredentialPage{
		New: cred.ID == "", Credential: cred, Name: strings.TrimSpace(fields.Get("name")),
		Mode:  app.Mode(fields.Get("mode")),
		Hosts: fields.Get("hosts"), Description: strings.TrimSpace(fields.Get("description")),
		Service: strings.TrimSpace(fields.Get("service")),
		Places:  readPlaces(fields), Headers: fields.Get("headers"), PlainHTTP: fields.Get("plain_http") != "",
		Check: checkForm(cred),
	}
	in := appcredentials.Input{
		Name: page.Name, Description: page.Description, Service: &page.Service, Mode: page.Mode, Places: page.Places,
		Headers: parseHeaders(page.Headers), PlainHTTP: &page.PlainHTTP,
	}
	if in.Seen, err = parseSeen(fields); err != nil {
		return err
	}
	page.Vault = h.readSource(fields, cred, &in)
	saved, err := h.takeCredential(c, fields, cred, &in)
	if err != nil {
		return h.refuseCredential(c, title, cred, page, err)
	}
	found, err := h.Access.Vault.Inspect(c.Request().Context(), uix.Actor(c), saved)
	if err != nil {
		return err
	}
	if found != nil && found.Problem != "" {
		notice = "credential-unresolved"
	}
	return h.Done(c, uix.CredentialNotice(saved, in.Value, notice), paths.Credentials)
}

// takeCredential adds a form's value and hosts, and stores the credential.
func (h *Handlers) takeCredential(c echo.Context, fields url.Values, cred app.Credential,
	in *appcredentials.Input) (saved app.Credential, err error) {
	if in.Value, err = uix.GivenValue(c, fields, "value", "file"); err != nil {
		return saved, err
	}
	if in.Hosts, err = uix.ParseHosts(fields.Get("hosts"), cred.Hosts); err != nil {
		return saved, err
	}
	if err := checkErasure(fields, cred, *in); err != nil {
		return saved, err
	}
	if cred.ID == "" {
		return h.Access.Credentials.Create(c.Request().Context(), uix.Actor(c), *in)
	}
	in.Name = cred.Name
	return h.Access.Credentials.Set(c.Request().Context(), uix.Actor(c), *in)
}

// refuseCredential shows a form again with its problems.
func (h *Handlers) refuseCredential(c echo.Context, title string, cred app.Credential,
	page credentialview.CredentialPage, refused error) (err error) {
	places := map[string]string{
		"name": "name", "value": "value", "mode": "mode", "reference": "reference", "source": "reference",
		"host": "hosts", "hosts": "hosts", "places": "places", "headers": "headers", "description": "description",
		"service": "service", "file": "file", "erase": "erase",
	}
	conflict := app.CodeOf(refused) == app.CodeConflict
	if conflict && page.New {
		places[""] = "name"
	}
	if page.Problems, err = uix.Problems(refused, places); err != nil {
		return err
	}
	if conflict && !page.New { // the typed fields fit an older credential
		return h.showCredentialAgain(c, cred.Name, page.Problems)
	}
	var profiles []app.Profile
	if page.Shell, profiles, err = h.Shell(c, title, layout.SectionCredentials); err != nil {
		return err
	}
	if !page.New {
		page.Profiles, page.Superseded = app.ProfilesWith(profiles, cred.ID), h.supersededDays()
		page.Reached, err = h.Access.Policies.ReachedThrough(c.Request().Context(), cred, app.Secret{})
		if err != nil {
			return err
		}
	}
	return h.Render(c, http.StatusUnprocessableEntity, credentialview.Credential(page))
}

// parseSeen returns the form's version of a credential, zero without one.
func parseSeen(fields url.Values) (time.Time, error) {
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

// showCredentialAgain shows a credential's present state and the refusal.
func (h *Handlers) showCredentialAgain(c echo.Context, name string, found components.Problems) error {
	cred, err := h.Access.Credentials.ByName(c.Request().Context(), name)
	if err != nil {
		return err
	}
	page, err := h.credentialPage(c, cred)
	if err != nil {
		return err
	}
	page.Problems = found
	return h.Render(c, http.StatusUnprocessableEntity, credentialview.Credential(page))
}

// readPlaces reads which parts of a request may hold a sealed value.
func readPlaces(fields url.Values) []app.Place {
	all := []app.Place{app.PlaceHeader}
	for _, p := range []app.Place{app.PlacePath, app.PlaceQuery, app.PlaceBody} {
		if fields.Get(components.PlaceField(p)) != "" {
			all = append(all, p)
		}
	}
	return all
}

// parseHeaders reads names separated by commas or lines. It never returns nil: an empty field means
// the usual headers.
func parseHeaders(text string) []string {
	return append([]string{}, strings.FieldsFunc(text, func(r rune) bool { return r == ',' || unicode.IsSpace(r) })...)
}
