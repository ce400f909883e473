package credentialview

import (
	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/secrets/vault"
)

// VaultChoice is the typed source of a credential's value.
type VaultChoice struct {
	Offered   bool // a Vault is configured or referred to
	Source    app.Source
	Reference string
	Held      bool              // Airlock's value, which a reference would erase
	Finding   *vault.Inspection // nil if nothing was looked up
}

// valueOrigin tells in the list where the value is.
func valueOrigin(c app.Credential) string {
	if c.Source == app.SourceVault {
		return "from Vault"
	}
	return ""
}

// resolves returns the finding in a word or two.
func resolves(f vault.Inspection) string {
	switch {
	case f.Problem != "":
		return "Does not resolve"
	case f.Lease:
		return "May be read"
	}
	return "Resolves"
}
