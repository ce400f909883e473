package credentials

import (
	"testing"

	"github.com/computclaw/airlock/app"
)

// TestHoleF2VaultValueReadWhileHostsCame: search sets include a value whose hosts came during its
// first read.
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
