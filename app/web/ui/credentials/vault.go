package credentials

import (
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	appcredentials "github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/views/credentialview"
)

// vaultChoice returns the stored source of a credential's value.
func (h *Handlers) vaultChoice(cred app.Credential) credentialview.VaultChoice {
	return credentialview.VaultChoice{
		Offered: h.Access.Vault.Configured() || cred.Source == app.SourceVault, Source: cred.Source,
		Reference: cred.Reference, Held: holdsValue(cred),
	}
}

func holdsValue(cred app.Credential) bool { return cred.Source != app.SourceVault && cred.HasValue() }

// checkErasure refuses to replace a held value by a reference without explicit consent.
func checkErasure(fields url.Values, cred app.Credential, in appcredentials.Input) error {
	if in.Source != app.SourceVault || !holdsValue(cred) || fields.Get("erase") == "yes" {
		return nil
	}
	return app.Invalid("erase", "Airlock holds a value of "+cred.Name+", and a reference to Vault replaces it",
		"If Vault has the value, tick Erase the value that Airlock holds.")
}

// vaultFinding is vaultChoice with Vault's present answer.
func (h *Handlers) vaultFinding(c echo.Context, cred app.Credential) (credentialview.VaultChoice, error) {
	choice := h.vaultChoice(cred)
	var err error
	choice.Finding, err = h.Access.Vault.Inspect(c.Request().Context(), uix.Actor(c), cred)
	return choice, err
}

// readSource reads a value's source from a form. It ignores the other source's field. A form
// without the fields changes nothing.
func (h *Handlers) readSource(
	fields url.Values, cred app.Credential, in *appcredentials.Input,
) credentialview.VaultChoice {
	choice := h.vaultChoice(cred)
	if !choice.Offered || !fields.Has("source") {
		return choice
	}
	choice.Source, choice.Reference = app.Source(fields.Get("source")), strings.TrimSpace(fields.Get("reference"))
	in.Source = choice.Source
	if choice.Source != app.SourceVault {
		return choice
	}
	in.Value = app.Secret{}
	if in.Reference = choice.Reference; choice.Reference == cred.Reference && cred.Source == app.SourceVault {
		in.Source, in.Reference = "", "" // unchanged, also while no Vault is configured
	}
	return choice
}
