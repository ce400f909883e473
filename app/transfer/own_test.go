package transfer

import (
	"crypto/sha256"
	"testing"

	"github.com/computclaw/airlock/store"
)

// What comes with files, and what agents and scripts do, must never make a file of ours one that nobody can read: every backup would fail from then on.

// Each import may bring 64 keys of hashes of questions. A file holds 64, this instance's own among them.
func TestKeysOfQuestionsLeaveBackupsReadable(t *testing.T) {
	h, _, _ := furnished(t, "aaaa")
	for from := range byte(2) {
		evil := newHouse(t, "bbbb")
		h.take(forge(t, evil, func(r *record) bool {
			if r.Airlock != nil {
				r.Airlock.AskedKeys = nil
				for i := range byte(64) {
					key := sha256.Sum256([]byte{from, i})
					r.Airlock.AskedKeys = append(r.Airlock.AskedKeys, key[:])
				}
			}
			return true
		}), Choice{History: true})
	}
	h.no(h.SetBackupSettings(t.Context(), person(), toDir(t.TempDir())))
	must[store.Backup](t)(h.BackUp(t.Context(), person()))
}
