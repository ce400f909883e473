package credentials

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/store"
	"github.com/computclaw/airlock/views/credentialview"
	"github.com/computclaw/airlock/views/layout"
)

func (h *Handlers) showCredentials(c echo.Context) error {
	sh, _, err := h.Shell(c, "Credentials", layout.SectionCredentials)
	if err != nil {
		return err
	}
	list, err := h.Access.Credentials.List(c.Request().Context())
	if err != nil {
		return err
	}
	return h.Render(c, http.StatusOK, credentialview.List(credentialview.ListPage{Shell: sh, Credentials: list}),
		"credentials")
}

func (h *Handlers) showNewCredential(c echo.Context) error {
	sh, _, err := h.Shell(c, "Add a credential", layout.SectionCredentials)
	if err != nil {
		return err
	}
	return h.Render(c, http.StatusOK, credentialview.Credential(credentialview.CredentialPage{
		Shell: sh, New: true, Mode: app.ModeSealed, Vault: h.vaultChoice(app.Credential{}),
	}))
}

func (h *Handlers) createCredential(c echo.Context) error {
	return h.saveCredential(c, "Add a credential", app.Credential{}, "credential-added")
}

func (h *Handlers) showCredential(c echo.Context, cred app.Credential) error {
	page, err := h.credentialPage(c, cred)
	if err != nil {
		return err
	}
	return h.Render(c, http.StatusOK, credentialview.Credential(page))
}

// credentialPage is a credential as it is stored.
func (h *Handlers) credentialPage(c echo.Context, cred app.Credential) (credentialview.CredentialPage, error) {
	sh, profiles, err := h.Shell(c, cred.Name, layout.SectionCredentials)
	if err != nil {
		return credentialview.CredentialPage{}, err
	}
	vault, err := h.vaultFinding(c, cred)
	if err != nil {
		return credentialview.CredentialPage{}, err
	}
	sent, err := h.Engine.Reader.SentValues(c.Request().Context(), cred.ID)
	if err != nil {
		return credentialview.CredentialPage{}, err
	}
	reached, err := h.Access.Policies.ReachedThrough(c.Request().Context(), cred, app.Secret{})
	return credentialview.CredentialPage{
		Shell: sh, Credential: cred, Mode: cred.Mode, Description: cred.Description, Service: cred.Service,
		Hosts: uix.HostLines(cred.Hosts), Places: cred.Places,
		Headers: strings.Join(cred.Headers, ", "), PlainHTTP: cred.PlainHTTP, Profiles: app.ProfilesWith(profiles,
			cred.ID), Reached: reached, Superseded: h.supersededDays(), Check: checkForm(cred), Vault: vault,
		Sent: viewSent(sent),
	}, err
}

// supersededDays returns for how many days replaced values are searched for.
func (h *Handlers) supersededDays() int {
	if h.retention == nil {
		return 0
	}
	return h.retention.Policy().Superseded
}

func (h *Handlers) changeCredential(c echo.Context, cred app.Credential) error {
	return h.saveCredential(c, cred.Name, cred, "credential-changed")
}

func viewSent(list []store.SentValue) []credentialview.SentValue {
	views := make([]credentialview.SentValue, len(list))
	for i, one := range list {
		views[i] = credentialview.SentValue(one)
	}
	return views
}
