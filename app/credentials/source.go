package credentials

import (
	"context"
	"fmt"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/store"
)

// setSource applies the value's source. Airlock erases its own value once Vault has it.
func (s *Registry) setSource(
	ctx context.Context, tx *store.Tx, c *app.Credential, before app.Credential, in Input,
) error {
	switch {
	case in.Reference != "":
		c.Source, c.Reference = app.SourceVault, in.Reference
	case in.Source == app.SourceLocal:
		c.Source, c.Reference = app.SourceLocal, ""
	}
	switch {
	case c.Source == app.SourceVault && !in.Value.Empty():
		return app.Invalid("value", "the value of "+c.Name+" comes from Vault",
			"Change it in Vault, or keep the value in Airlock instead.")
	case c.Source == before.Source:
		return nil
	case c.Source == app.SourceVault:
		return tx.Values.Erase(ctx, c.ID, s.now())
	case before.Source == app.SourceVault && in.Value.Empty() && c.Version > 0:
		return app.Invalid("value", "Airlock holds no value of "+c.Name+" any more", "Type the value.")
	}
	return nil
}

// checkSource accepts a reference where there is a Vault.
func (s *Registry) checkSource(in *Input) error {
	switch in.Source {
	case "":
	case app.SourceLocal:
		if in.Reference != "" {
			return app.Invalid("reference", "a value that is kept in Airlock has no reference",
				"Leave the reference out, or choose Vault.")
		}
	case app.SourceVault:
		if in.Reference == "" {
			return app.Invalid("reference", "the reference into Vault is missing",
				"Write path#field, such as secret/data/oracle#password.")
		}
	default:
		return app.Invalid("source", fmt.Sprintf("source %q is not known", app.Clip(string(in.Source), 40)),
			"Use local or vault.")
	}
	if in.Reference == "" {
		return nil
	}
	if !s.vault.IsConfigured() {
		return app.Invalid("reference", "this Airlock has no Vault",
			"Set VAULT_ADDR and how Airlock logs in there, then start it again.")
	}
	_, err := app.ParseReference(in.Reference)
	return err
}
