package credentials

import (
	"testing"

	"github.com/computclaw/airlock/app"
)

// TestHoleF2VaultValueReadWhileHostsCame: a value that is read for the first time is noticed by
// search sets, though its credential had no hosts when the read began.
func TestHoleF2VaultValueReadWhileHostsCame(t *testing.T) {
	t.Parallel()
	m := newVaultMemory()
	before := m.count()
	m.add(app.Credential{ID: "c", Mode: app.ModeInjected}, app.Reference{}, app.NewSecret("a-value-from-vault-0"),
		false)
	if m.count() == before {
		t.Error("nobody notices the value")
	}
}
