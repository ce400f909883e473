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
	case v.Renewable || v.Method != "token":
		return "ends " + format.Ago(v.Expires, now) + "; Airlock renews or replaces it before"
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
