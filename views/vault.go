package views

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
	Lent    bool   // each execution gets a value of its own, so none was read
	Version int    // of KV version 2; else 0
	Created time.Time
	Problem string // why it does not resolve; "" if it does
	Hint    string
}

// Unresolved is a key whose value comes from Vault and can't be read there now.
type Unresolved struct {
	Key        string
	Credential string
	Problem    string
	Hint       string
}

// VaultState is how the Vault and Airlock's access to it stand.
type VaultState struct {
	Address   string
	Namespace string
	Method    string
	Version   string
	Problem   string // why nothing can be read; "" if it can
	Hint      string
	Standby   bool
	Expires   time.Time // of Airlock's token; zero: never, or unknown
	Renewable bool
	LoggedIn  bool
	Leases    int    // that are out
	Failed    int    // of those, how many could not be given back yet
	Why       string // why one of them could not
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
	case f.Lent:
		return "May be read"
	}
	return "Resolves"
}

// tokenLife says how long Airlock's token lives.
func (v VaultState) tokenLife(now time.Time) string {
	switch {
	case v.Expires.IsZero():
		return "does not expire"
	case v.Renewable:
		return "ends " + Ago(v.Expires, now) + " unless renewed, which Airlock does"
	case v.Method == "AppRole":
		return "ends " + Ago(v.Expires, now) + "; Airlock logs in again before"
	case v.Method == "token file":
		return "ends " + Ago(v.Expires, now) + "; Airlock takes the next one from the file of VAULT_TOKEN_FILE"
	}
	return "ends " + Ago(v.Expires, now) + " and can't be renewed"
}

// leasesOut counts them, and says of those that Vault does not take back why.
func (v VaultState) leasesOut() string {
	if v.Failed == 0 {
		return itoa(v.Leases)
	}
	return itoa(v.Leases) + "; " + itoa(v.Failed) + " could not be given back yet, which is tried again: " + v.Why
}
