package credentialview

import (
	"time"

	"github.com/computclaw/airlock/app"
)

// VaultChoice is where a credential's value comes from, as it was typed.
type VaultChoice struct {
	Offered   bool // a Vault is configured, or the credential refers to one
	Source    app.Source
	Reference string
	Held      bool          // Airlock holds a value, which a reference would erase
	Finding   *VaultFinding // nil if nothing was looked up
}

// VaultFinding is what looking a reference up showed. It never holds the value.
type VaultFinding struct {
	Engine  string // KV version 2, database, …; "" if unknown
	Lease   bool   // each execution gets a value of its own, so none was read
	Version int    // of KV version 2; else 0
	Created time.Time
	Problem string // why it does not resolve; "" if it does
	Hint    string
}

// valueOrigin says in the list where the value is.
func valueOrigin(c app.Credential) string {
	if c.Source == app.SourceVault {
		return "from Vault"
	}
	return ""
}

// resolves is the finding in a word or two.
func (f VaultFinding) resolves() string {
	switch {
	case f.Problem != "":
		return "Does not resolve"
	case f.Lease:
		return "May be read"
	}
	return "Resolves"
}
