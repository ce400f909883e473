package store

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"

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
}

// List lists all by name.
func (tx People) List(ctx context.Context) ([]Person, error) {
	rows, err := gorm.G[personRow](tx.db).Order("folded").Find(ctx)
	if err != nil {
		return nil, fmt.Errorf("store: read people: %w", err)
	}
	list := make([]Person, len(rows))
	for i, r := range rows {
		if list[i], err = r.person(); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// Count counts them.
func (tx People) Count(ctx context.Context) (n int, err error) {
	if err := tx.db.WithContext(ctx).Raw("SELECT count(*) FROM people").Scan(&n).Error; err != nil {
		return 0, fmt.Errorf("store: count people: %w", err)
	}
	return n, nil
}

// ByName finds somebody by the folded name, else CodeNotFound.
func (tx People) ByName(ctx context.Context, folded string) (Person, error) {
	return tx.find(ctx, "folded = ?", folded)
}

// ByID finds somebody, else CodeNotFound.
func (tx People) ByID(ctx context.Context, id string) (Person, error) {
	return tx.find(ctx, "id = ?", id)
}

func (tx People) find(ctx context.Context, where, arg string) (Person, error) {
	row, err := gorm.G[personRow](tx.db).Where(where, arg).Take(ctx)
	if err != nil {
		return Person{}, notFound(err, "person")
	}
	return row.person()
}

// Insert adds somebody. A name that is taken is CodeConflict.
func (tx People) Insert(ctx context.Context, p Person) error {
	row := personRow{p.ID, p.Name, p.Folded, p.Password, toMillis(p.PasswordSetAt), toJSON(p.CreatedBy),
		toMillis(p.CreatedAt), 0, ""}
	return changed(1, gorm.G[personRow](tx.db).Create(ctx, &row), "person")
}

// SetPassword replaces the hash.
func (tx People) SetPassword(ctx context.Context, id, hash string, at time.Time) error {
	n, err := tx.exec(ctx, "UPDATE people SET password = ?, password_set_at = ? WHERE id = ?", hash, toMillis(at), id)
	return changed(n, err, "person")
}

// NoteLogin notes when and from where somebody logged in last.
func (tx People) NoteLogin(ctx context.Context, id, address string, at time.Time) error {
	n, err := tx.exec(ctx, "UPDATE people SET last_login_at = ?, last_login_from = ? WHERE id = ?", toMillis(at), address,
		id)
	return changed(n, err, "person")
}

// Delete removes somebody.
func (tx People) Delete(ctx context.Context, id string) error {
	n, err := tx.exec(ctx, "DELETE FROM people WHERE id = ?", id)
	return changed(n, err, "person")
}

// Replace makes exactly these the people who may log in.
func (tx People) Replace(ctx context.Context, people []PersonRow) error {
	if _, err := tx.exec(ctx, "DELETE FROM people"); err != nil {
		return fmt.Errorf("store: replace people: %w", err)
	}
	for _, p := range people {
		if err := gorm.G[personRow](tx.db).Create(ctx, &p); err != nil {
			return fmt.Errorf("store: replace people: %w", err)
		}
	}
	return nil
}

// Invitation is a one-time token for somebody who is to be added.
type Invitation struct {
	ID        string
	Token     []byte // sha256
	CreatedBy app.Actor
	CreatedAt time.Time
	ExpiresAt time.Time
}

// Insert adds one.
func (tx Invitations) Insert(ctx context.Context, i Invitation) error {
	row := invitationRow{i.ID, i.Token, toJSON(i.CreatedBy), toMillis(i.CreatedAt), toMillis(i.ExpiresAt)}
	if err := gorm.G[invitationRow](tx.db).Create(ctx, &row); err != nil {
		return fmt.Errorf("store: invite: %w", err)
	}
	return nil
}

// ByToken finds one by the hash of its token, also an expired one, else CodeNotFound.
func (tx Invitations) ByToken(ctx context.Context, token []byte) (Invitation, error) {
	row, err := gorm.G[invitationRow](tx.db).Where("token = ?", token).Take(ctx)
	if err != nil {
		return Invitation{}, notFound(err, "invitation")
	}
	return row.invitation()
}

// List lists them, newest first.
func (tx Invitations) List(ctx context.Context) ([]Invitation, error) {
	rows, err := gorm.G[invitationRow](tx.db).Order("created_at DESC, id").Find(ctx)
	if err != nil {
		return nil, fmt.Errorf("store: read invitations: %w", err)
	}
	list := make([]Invitation, len(rows))
	for i, r := range rows {
		if list[i], err = r.invitation(); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// Delete takes one back, or spends it. One that is gone is CodeConflict.
func (tx Invitations) Delete(ctx context.Context, id string) error {
	n, err := tx.exec(ctx, "DELETE FROM invitations WHERE id = ?", id)
	return changed(n, err, "invitation")
}

// DeleteAll takes all of them back.
func (tx Invitations) DeleteAll(ctx context.Context) error {
	if _, err := tx.exec(ctx, "DELETE FROM invitations"); err != nil {
		return fmt.Errorf("store: take invitations back: %w", err)
	}
	return nil
}

// Prune removes those whose time is over.
func (tx Invitations) Prune(ctx context.Context, now time.Time) error {
	if _, err := tx.exec(ctx, "DELETE FROM invitations WHERE expires_at <= ?", toMillis(now)); err != nil {
		return fmt.Errorf("store: prune invitations: %w", err)
	}
	return nil
}

func (r personRow) person() (Person, error) {
	by, err := fromJSON[app.Actor]("created_by", r.CreatedBy)
	return Person{r.ID, r.Name, r.Folded, r.Password, fromMillis(r.PasswordSetAt), by, fromMillis(r.CreatedAt),
		fromMillis(r.LastLoginAt), r.LastLoginFrom}, err
}

func (r invitationRow) invitation() (Invitation, error) {
	by, err := fromJSON[app.Actor]("created_by", r.CreatedBy)
	return Invitation{r.ID, r.Token, by, fromMillis(r.CreatedAt), fromMillis(r.ExpiresAt)}, err
}
