package store

import (
	"context"
	"time"

	"github.com/computclaw/airlock/app"
)

// Person is somebody who may log in.
type Person struct {
	ID            string
	Name          string
	Folded        string // tells names apart
	Password      string // argon2id in PHC form
	PasswordSetAt time.Time
	CreatedBy     app.Actor
	CreatedAt     time.Time
	LastLoginAt   time.Time // zero: never
	LastLoginFrom string
	Role          app.Role
	Passkeys      []app.Passkey // oldest first
}

type personRow struct {
	ID            string `gorm:"primaryKey" json:"id"`
	Name          string `json:"name"`
	Folded        string `json:"folded"`
	Password      string `json:"password"`
	PasswordSetAt int64  `json:"password_set_at"`
	CreatedBy     string `json:"created_by"`
	CreatedAt     int64  `gorm:"autoCreateTime:false" json:"created_at"`
	LastLoginAt   int64  `json:"last_login_at"`
	LastLoginFrom string `json:"last_login_from"`
	Role          string `json:"role"`
	Passkeys      string `json:"passkeys"` // JSON
}

func (personRow) TableName() string { return "people" }

// List lists all by name.
func (tx People) List(ctx context.Context) ([]Person, error) {
	return selectAs(ctx, tx.conn, personRow.person, "read people", "SELECT * FROM people ORDER BY folded")
}

// Count counts them.
func (tx People) Count(ctx context.Context) (int, error) {
	return selectValue[int](ctx, tx.conn, "count people", "SELECT count(*) FROM people")
}

// ByName finds somebody by the folded name, else CodeNotFound.
func (tx People) ByName(ctx context.Context, folded string) (Person, error) {
	return selectOne(ctx, tx.conn, personRow.person, "person", "SELECT * FROM people WHERE folded = ?", folded)
}

// ByID finds somebody, else CodeNotFound.
func (tx People) ByID(ctx context.Context, id string) (Person, error) {
	return selectOne(ctx, tx.conn, personRow.person, "person", "SELECT * FROM people WHERE id = ?", id)
}

// Insert adds somebody, without passkeys. A name that is taken is CodeConflict.
func (tx People) Insert(ctx context.Context, p Person) error {
	return insertRow(ctx, tx.conn, "person", personRow{p.ID, p.Name, p.Folded, p.Password, toMillis(p.PasswordSetAt),
		toJSON(p.CreatedBy), toMillis(p.CreatedAt), 0, "", string(p.Role), "[]"})
}

// SetPassword replaces the hash.
func (tx People) SetPassword(ctx context.Context, id, hash string, at time.Time) error {
	return tx.change(ctx, "person", "UPDATE people SET password = ?, password_set_at = ? WHERE id = ?",
		hash, toMillis(at), id)
}

// SetRole replaces the role.
func (tx People) SetRole(ctx context.Context, id string, role app.Role) error {
	return tx.change(ctx, "person", "UPDATE people SET role = ? WHERE id = ?", string(role), id)
}

// SetPasskeys replaces all passkeys.
func (tx People) SetPasskeys(ctx context.Context, id string, passkeys []app.Passkey) error {
	return tx.change(ctx, "person", "UPDATE people SET passkeys = ? WHERE id = ?", listJSON(passkeys), id)
}

// CountOwners counts those who may do everything.
func (tx People) CountOwners(ctx context.Context) (int, error) {
	return selectValue[int](ctx, tx.conn, "count owners", "SELECT count(*) FROM people WHERE role = ?",
		string(app.RoleOwner))
}

// NoteLogin notes when and from where somebody logged in last.
func (tx People) NoteLogin(ctx context.Context, id, address string, at time.Time) error {
	return tx.change(ctx, "person", "UPDATE people SET last_login_at = ?, last_login_from = ? WHERE id = ?",
		toMillis(at), address, id)
}

// Delete removes somebody.
func (tx People) Delete(ctx context.Context, id string) error {
	return tx.change(ctx, "person", "DELETE FROM people WHERE id = ?", id)
}

// Replace makes exactly these the people who may log in.
func (tx People) Replace(ctx context.Context, people []PersonRow) error {
	if err := tx.run(ctx, "replace people", "DELETE FROM people"); err != nil {
		return err
	}
	for _, p := range people {
		if err := insertRow(ctx, tx.conn, "person", p); err != nil {
			return err
		}
	}
	return nil
}

func (r personRow) person() (Person, error) {
	by, err := fromJSON[app.Actor]("created_by", r.CreatedBy)
	if err != nil {
		return Person{}, err
	}
	passkeys, err := fromJSON[[]app.Passkey]("passkeys", r.Passkeys)
	return Person{r.ID, r.Name, r.Folded, r.Password, fromMillis(r.PasswordSetAt), by, fromMillis(r.CreatedAt),
		fromMillis(r.LastLoginAt), r.LastLoginFrom, app.Role(r.Role), passkeys}, err
}
