package credentials

import (
	"net/url"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/views/format"
	"github.com/computclaw/airlock/views/layout"
	"github.com/computclaw/airlock/views/paths"
)

func (h *Handlers) askDeleteCredential(c echo.Context, cred app.Credential) error {
	return h.confirmDeletion(c, cred, nil)
}

// confirmDeletion shows affected profiles and asks for the name.
func (h *Handlers) confirmDeletion(c echo.Context, cred app.Credential, refused error) error {
	profiles, err := h.Access.Profiles.List(c.Request().Context())
	if err != nil {
		return err
	}
	page := layout.ConfirmPage{
		Question: "Delete " + cred.Name + "?", Button: "Delete " + cred.Name, Typed: cred.Name,
		Action: paths.At(paths.CredentialDelete, cred.Name), Back: paths.CredentialURL(cred.Name),
		Lines: credentials.DescribeDeletion(cred),
	}
	for _, p := range app.ProfilesWith(profiles, cred.ID) {
		hit := layout.Affected{Handle: p.Handle, Title: format.Title(p.Description), How: "can't run scripts without it"}
		if p.State(h.Now()) == app.StateLocked {
			page.Blocked, hit.How = true, "is locked and uses it: revoke or delete this profile first"
		}
		page.Affected = append(page.Affected, hit)
	}
	return h.Confirm(c, layout.SectionCredentials, page, refused)
}

func (h *Handlers) deleteCredential(c echo.Context, cred app.Credential, fields url.Values) error {
	if err := uix.CheckTyped(fields, cred.Name); err != nil {
		return h.confirmDeletion(c, cred, err)
	}
	if err := h.Access.Credentials.Delete(c.Request().Context(), uix.Actor(c), cred.Name); err != nil {
		return h.confirmDeletion(c, cred, err)
	}
	return h.Done(c, "credential-deleted", paths.Credentials)
}
