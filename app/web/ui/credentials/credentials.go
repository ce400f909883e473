package credentials

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/web/ui/uix"
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
	return h.showCredential(c, app.Credential{})
}

func (h *Handlers) showCredential(c echo.Context, cred app.Credential) error {
	page, err := h.credentialPage(c, cred)
	if err != nil {
		return err
	}
	return h.Render(c, http.StatusOK, credentialview.Credential(page))
}

// credentialPage returns a credential as it is stored, or an empty form if it is zero.
func (h *Handlers) credentialPage(
	c echo.Context, cred app.Credential,
) (page credentialview.CredentialPage, err error) {
	ctx := c.Request().Context()
	page = credentialview.CredentialPage{
		New: cred.ID == "", Credential: cred, Typed: cred, Hosts: uix.HostLines(cred.Hosts),
		Headers: strings.Join(cred.Headers, ", "), Check: checkForm(cred), OffersVault: h.offersVault(cred),
	}
	title := cred.Name
	if page.New {
		title, page.Typed.Mode = "Add a credential", app.ModeSealed
	}
	var profiles []app.Profile
	if page.Shell, profiles, err = h.Shell(c, title, layout.SectionCredentials); err != nil || page.New {
		return page, err
	}
	page.Profiles = app.ProfilesWith(profiles, cred.ID)
	if h.Retention != nil {
		page.Superseded = h.Retention.Policy().Superseded
	}
	if page.Finding, err = h.Access.Vault.Inspect(ctx, uix.Actor(c), cred); err != nil {
		return page, err
	}
	if page.Sent, err = h.Engine.Reader.SentValues(ctx, cred.ID); err != nil {
		return page, err
	}
	page.Reached, err = h.Access.Policies.DescribeReached(ctx, cred, app.Secret{})
	return page, err
}
