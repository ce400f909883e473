package store

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/app"
)

func TestPasskeysAndRoleAreReadAsTheyWereWritten(t *testing.T) {
	s := open(t)
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	list := []app.Passkey{{ID: []byte{0, 255}, Name: "laptop", Host: "airlock.example.com", PublicKey: []byte{1}, SignCount: 7,
		BackupEligible: true, CreatedAt: at, UsedAt: at.Add(time.Hour)}, {ID: []byte{1}, Name: "phone", CreatedAt: at}}
	write(t, s, func(tx *Tx) error {
		if err := tx.People.Insert(t.Context(), Person{ID: "p1", Name: "Ada", Folded: "ada", Role: app.RoleViewer}); err != nil {
			return err
		}
		return tx.People.SetPasskeys(t.Context(), "p1", list)
	})
	write(t, s, func(tx *Tx) error {
		p, err := tx.People.ByID(t.Context(), "p1")
		if diff := cmp.Diff(list, p.Passkeys); diff != "" || p.Role != app.RoleViewer {
			t.Errorf("role %s, %s", p.Role, diff)
		}
		return err
	})
	err := s.Write(t.Context(), func(tx *Tx) error { return tx.People.SetRole(t.Context(), "p1", "root") })
	if err == nil {
		t.Error("the database takes a role that isn't known")
	}
}
