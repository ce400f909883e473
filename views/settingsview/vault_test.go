package settingsview

import (
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/app/secrets/vault"
)

// TestTokenOfAFileIsReplacedByWhoWritesIt: unrenewable tokens cause no warning.
func TestTokenOfAFileIsReplacedByWhoWritesIt(t *testing.T) {
	t.Parallel()
	now := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	for method, want := range map[string]string{"token file": "replaces it", "token": "can't be renewed",
		"AppRole": "replaces it"} {
		if got := tokenLife(credentials.VaultStatus{Health: vault.Health{Method: method, Expires: now.Add(time.Hour)}}, now); !strings.Contains(got,
			want) {
			t.Errorf("%s: %s", method, got)
		}
	}
}
