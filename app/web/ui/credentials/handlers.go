package credentials

import (
	"net/url"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/retention"
	"github.com/computclaw/airlock/app/testrequest"
	"github.com/computclaw/airlock/app/web/httpx"
	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/views/paths"
)

// Handlers answer the pages about credentials.
type Handlers struct {
	*uix.UI
	Tester    *testrequest.Tester
	Retention *retention.Keeper // nil: nothing is removed
	staged    staging           // pasted values that nobody decided about yet
}

// Routes returns this package's pages and forms.
func (h *Handlers) Routes() []httpx.Route {
	return []httpx.Route{
		httpx.Get(paths.Credentials, h.showCredentials),
		httpx.Get(paths.CredentialNew, h.showNewCredential),
		uix.Post(paths.CredentialNew, h.createCredential),
		httpx.Get(paths.CredentialPaste, h.showPaste),
		uix.Post(paths.CredentialPaste, h.paste),
		httpx.Get(paths.CredentialPreview, h.showPreview),
		uix.Post(paths.CredentialPreview, h.applyPaste),
		httpx.Get(paths.CredentialPath, h.withCredential(h.showCredential)),
		uix.Post(paths.CredentialPath, h.withCredentialForm(h.saveCredential)),
		httpx.Get(paths.CredentialDelete, h.withCredential(h.askDeleteCredential)),
		uix.Post(paths.CredentialDelete, h.withCredentialForm(h.deleteCredential)),
		uix.Post(paths.CredentialTest, h.withCredentialForm(h.testCredential)),
	}
}

// withCredential passes the path's credential to a handler.
func (h *Handlers) withCredential(handle func(echo.Context, app.Credential) error) echo.HandlerFunc {
	return func(c echo.Context) error {
		cred, err := h.Access.Credentials.ByName(c.Request().Context(), c.Param("name"))
		if err != nil {
			return err
		}
		return handle(c, cred)
	}
}

// withCredentialForm is withCredential for a form.
func (h *Handlers) withCredentialForm(handle func(echo.Context, app.Credential, url.Values) error) uix.FormHandler {
	return func(c echo.Context, fields url.Values) error {
		return h.withCredential(func(c echo.Context, cred app.Credential) error { return handle(c, cred, fields) })(c)
	}
}
