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
	"github.com/computclaw/airlock/views/paths"
)

func (h *Handlers) createCredential(c echo.Context, fields url.Values) error {
	return h.saveCredential(c, app.Credential{}, fields)
}

// saveCredential saves a new (cred is zero) or existing credential from a form. A refused form
// keeps everything but the value.
func (h *Handlers) saveCredential(c echo.Context, cred app.Credential, fields url.Values) error {
	typed := app.Credential{
		Name: strings.TrimSpace(fields.Get("name")), Mode: app.Mode(fields.Get("mode")),
		Description: strings.TrimSpace(fields.Get("description")), Service: strings.TrimSpace(fields.Get("service")),
		Places: readPlaces(fields), PlainHTTP: fields.Get("plain_http") != "",
		Source: app.Source(fields.Get("source")), Reference: strings.TrimSpace(fields.Get("reference")),
	}
	in := appcredentials.Input{
		Name: typed.Name, Description: &typed.Description, Service: &typed.Service, Mode: typed.Mode, Places: typed.Places,
		Headers: parseHeaders(fields.Get("headers")), PlainHTTP: &typed.PlainHTTP,
	}
	saved, err := h.takeCredential(c, fields, cred, typed, &in)
	if err != nil {
		return h.refuseCredential(c, cred, typed, fields, err)
	}
	found, err := h.Access.Vault.Inspect(c.Request().Context(), uix.Actor(c), saved)
	if err != nil {
		return err
	}
	notice := "credential-changed"
	switch {
	case found != nil && found.Problem != "":
		notice = "credential-unresolved"
	case cred.ID == "":
		notice = "credential-added"
	}
	return h.Done(c, uix.CredentialNotice(saved, in.Value, notice), paths.Credentials)
}

// takeCredential adds a form's value, source and hosts, and stores the credential.
func (h *Handlers) takeCredential(c echo.Context, fields url.Values, cred, typed app.Credential,
	in *appcredentials.Input) (saved app.Credential, err error) {
	if seen := fields.Get("seen"); seen != "" {
		if in.Seen, err = time.Parse(time.RFC3339Nano, seen); err != nil {
			return saved, app.Invalid("seen", "the form is incomplete", "Open the page again and save from there.")
		}
	}
	if in.Value, err = uix.GivenValue(c, fields, "value", "file"); err != nil {
		return saved, err
	}
	if in.Hosts, err = uix.ParseHosts(fields.Get("hosts"), cred.Hosts); err != nil {
		return saved, err
	}
	if h.offersVault(cred) {
		if err := takeSource(fields, cred, typed, in); err != nil {
			return saved, err
		}
	}
	if cred.ID == "" {
		return h.Access.Credentials.Create(c.Request().Context(), uix.Actor(c), *in)
	}
	in.Name = cred.Name
	return h.Access.Credentials.Set(c.Request().Context(), uix.Actor(c), *in)
}

// offersVault reports whether a form asks for the source of a value.
func (h *Handlers) offersVault(cred app.Credential) bool {
	return h.Access.Vault.IsConfigured() || cred.Source == app.SourceVault
}

// takeSource adds a value's typed source, unless it is unchanged. It refuses to replace a held
// value by a reference without explicit consent.
func takeSource(fields url.Values, cred, typed app.Credential, in *appcredentials.Input) error {
	toVault := typed.Source == app.SourceVault
	if toVault && typed.Source == cred.Source && typed.Reference == cred.Reference {
		return nil // also while no Vault is configured
	}
	if toVault && cred.HoldsValue() && fields.Get("erase") != "yes" {
		return app.Invalid("erase", "Airlock holds a value of "+cred.Name+", and a reference to Vault replaces it",
			"If Vault has the value, tick Erase the value that Airlock holds.")
	}
	in.Source = typed.Source
	if toVault {
		in.Reference = typed.Reference
	}
	return nil
}

// refuseCredential shows a form again with its problems. After a change by somebody else it shows
// the present state instead of the typed one.
func (h *Handlers) refuseCredential(
	c echo.Context, cred, typed app.Credential, fields url.Values, refused error,
) error {
	places := map[string]string{
		"name": "name", "value": "value", "mode": "mode", "reference": "reference", "source": "reference",
		"host": "hosts", "hosts": "hosts", "places": "places", "headers": "headers", "description": "description",
		"service": "service", "file": "file", "erase": "erase",
	}
	conflict := app.CodeOf(refused) == app.CodeConflict
	if conflict && cred.ID == "" {
		places[""] = "name"
	}
	found, err := uix.Problems(refused, places)
	if err != nil {
		return err
	}
	if conflict && cred.ID != "" {
		if cred, err = h.Access.Credentials.ByName(c.Request().Context(), cred.Name); err != nil {
			return err
		}
	}
	page, err := h.credentialPage(c, cred)
	if err != nil {
		return err
	}
	page.Problems = found
	if !conflict || page.New {
		page.Typed, page.Hosts, page.Headers = typed, fields.Get("hosts"), fields.Get("headers")
	}
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
