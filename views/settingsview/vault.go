package settingsview

import (
	"strconv"
	"time"

	"github.com/computclaw/airlock/views/format"
)

// VaultState is the state of the Vault server and of Airlock's access to it.
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
	Leases    int    // not returned
	Failed    int    // of those, leases that Vault did not take back
	Why       string // the error of one of those
}

// tokenLife says how long Airlock's token lives.
func (v VaultState) tokenLife(now time.Time) string {
	switch {
	case v.Expires.IsZero():
		return "does not expire"
	case v.Renewable:
		return "ends " + format.Ago(v.Expires, now) + " unless renewed, which Airlock does"
	case v.Method == "AppRole":
		return "ends " + format.Ago(v.Expires, now) + "; Airlock logs in again before"
	case v.Method == "token file":
		return "ends " + format.Ago(v.Expires, now) + "; Airlock takes the next one from the file of VAULT_TOKEN_FILE"
	}
	return "ends " + format.Ago(v.Expires, now) + " and can't be renewed"
}

// leasesOut counts them, and says of those that Vault does not take back why.
func (v VaultState) leasesOut() string {
	if v.Failed == 0 {
		return strconv.Itoa(v.Leases)
	}
	return strconv.Itoa(v.Leases) + "; returning " + strconv.Itoa(v.Failed) +
		" failed, and Airlock will try again: " + v.Why
}
