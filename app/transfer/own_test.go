package transfer

import (
	"crypto/sha256"
	"database/sql"
	"path/filepath"
	"testing"

	"github.com/computclaw/airlock/app/transfer/content"
	"github.com/computclaw/airlock/store"
)

// What comes with files, and what agents and scripts do, must never make a file of ours one that
// nobody can read: every backup would fail from then on.

// Each import may bring 64 keys of hashes of questions. A file holds 64, this instance's own among
// them.
func TestKeysOfQuestionsLeaveBackupsReadable(t *testing.T) {
	h, _, _ := furnished(t, "aaaa")
	for from := range byte(2) {
		evil := newFixture(t, "bbbb")
		h.take(forge(t, evil, func(r *content.Record) bool {
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
	h.staysReadable()
}

// Scripts say in which line they failed, and which line wanted a host.
func TestLinesThatScriptsClaimLeaveBackupsReadable(t *testing.T) {
	h, p, _ := furnished(t, "aaaa")
	h.No(h.Store.Write(t.Context(), func(tx *store.Tx) error {
		row, err := tx.Profiles.ByHandle(t.Context(), p.Handle)
		if err != nil {
			return err
		}
		_, err = tx.Profiles.RequestHost(t.Context(), row.Row, hosts(t, "other.example")[0], "x", 1<<62, person(), h.now())
		return err
	}))
	db := must[*sql.DB](t)(sql.Open("sqlite", filepath.Join(h.Dir, store.FileName)+"?_pragma=busy_timeout(10000)"))
	for _, change := range []string{"UPDATE executions SET error_line = 1 << 62",
		"UPDATE connections SET line = 1 << 62"} {
		must[sql.Result](t)(db.ExecContext(t.Context(), change))
	}
	h.No(db.Close())
	h.staysReadable()
}
