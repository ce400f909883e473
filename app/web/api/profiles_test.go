package api

import (
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
)

// TestWhatIsUndecided: a wait is held only while a decision is open.
func TestWhatIsUndecided(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for name, c := range map[string]struct {
		p    app.Profile
		want bool
	}{
		"not locked yet": {app.Profile{}, true},
		"locked": {app.Profile{Locked: true, Keys: []app.Key{{Name: "A", CredentialID: "c", ValueExists: true}},
			Hosts: []app.HostRequest{{Allowed: true}}}, false},
		"a host is asked for": {app.Profile{Locked: true, Hosts: []app.HostRequest{{Allowed: true}, {}}}, true},
		"a value is missing":  {app.Profile{Locked: true, Keys: []app.Key{{Name: "A", CredentialID: "c"}}}, true},
		"revoked":             {app.Profile{Locked: true, Revoked: true, Hosts: []app.HostRequest{{}}}, false},
		"expired":             {app.Profile{ExpiresAt: now.Add(-time.Hour)}, false},
	} {
		if got := needsDecision(c.p, now); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
