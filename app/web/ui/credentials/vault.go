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

// vaultChoice is where a credential's value comes from, as it is stored.
func (h *Handlers) vaultChoice(cred app.Credential) credentialview.VaultChoice {
	return credentialview.VaultChoice{
		Offered: h.Access.Vault.Configured() || cred.Source == app.SourceVault, Source: cred.Source,
		Reference: cred.Reference, Held: holdsValue(cred),
	}
}

// holdsValue reports whether Airlock holds a value of the credential.
func holdsValue(cred app.Credential) bool { return cred.Source != app.SourceVault && cred.HasValue() }

// checkErasure refuses to put a reference in the place of a value that Airlock holds, unless it was said
// that this shall be erased.
func checkErasure(fields url.Values, cred app.Credential, in appcredentials.Input) error {
	if in.Source != app.SourceVault || !holdsValue(cred) || fields.Get("erase") == "yes" {
		return nil
	}
	return app.Invalid("erase", "Airlock holds a value of "+cred.Name+", and a reference to Vault replaces it",
		"If Vault has the value, tick Erase the value that Airlock holds.")
}

// vaultFinding is vaultChoice with what Vault says of the reference now.
func (h *Handlers) vaultFinding(c echo.Context, cred app.Credential) (credentialview.VaultChoice, error) {
	choice := h.vaultChoice(cred)
	var err error
	choice.Finding, err = h.Access.Vault.Inspect(c.Request().Context(), uix.Actor(c), cred)
	return choice, err
}

// readSource takes what a form says about where the value comes from. What is typed in the field
// of the other source doesn't count, and a form without the fields changes nothing.
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
		in.Source, in.Reference = "", "" // as it is, also while no Vault is configured
	}
	return choice
}
