package store

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/app"
)

// TestPeopleFromBeforeRolesAreOwners without passkeys, and so are those with an open invitation.
func TestPeopleFromBeforeRolesAreOwners(t *testing.T) {
	all, err := embedded()
	if err != nil {
		t.Fatal(err)
	}
	older, dir := bare(t)
	if err := migrate(t.Context(), older.writer, dir, all[:16], nil); err != nil {
		t.Fatal(err)
	}
	for _, insert := range []string{
		`INSERT INTO people (id, name, folded, password, password_set_at, created_by, created_at)
			VALUES ('p1', 'Ada', 'ada', 'x', 1, '{"kind":"person"}', 1)`,
		`INSERT INTO invitations (id, token, created_by, created_at, expires_at) VALUES ('i1', x'00', '{"kind":"person"}', 1, 2)`,
	} {
		if err := older.writer.Exec(insert).Error; err != nil {
			t.Fatal(err)
		}
	}
	if err := older.Close(); err != nil {
		t.Fatal(err)
	}
	s := openIn(t, dir)
	write(t, s, func(tx *Tx) error {
		p, err := tx.People.ByID(t.Context(), "p1")
		if err != nil {
			return err
		}
		i, err := tx.Invitations.ByID(t.Context(), "i1")
		if p.Role != app.RoleOwner || len(p.Passkeys) != 0 || i.Role != app.RoleOwner {
			t.Errorf("%+v %+v", p, i)
		}
		return err
	})
}

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
