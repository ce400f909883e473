package settingsview

import (
	"strconv"
	"time"

	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/views/format"
)

// tokenLife says how long Airlock's token lives.
func tokenLife(v credentials.VaultStatus, now time.Time) string {
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

// leasesOut counts leases and explains failed returns.
func leasesOut(v credentials.VaultStatus) string {
	if v.Failed == 0 {
		return strconv.Itoa(v.Leases)
	}
	return strconv.Itoa(v.Leases) + "; returning " + strconv.Itoa(v.Failed) +
		" failed, and Airlock will try again: " + format.Sentence(v.Why)
}
