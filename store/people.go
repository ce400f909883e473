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

// AdminSession is one login of a person, or of a token whose holder is not named yet.
type AdminSession struct {
	ID          string // not secret
	Token       []byte // sha256 of the cookie's value
	Person      string // name
	PersonID    string // "" until the holder of a token has chosen a name and a password
	Invitation  string // id of the invitation that opened it, or "" for the admin token
	Address     string
	Agent       string // of the browser
	CreatedAt   time.Time
	SeenAt      time.Time
	ConfirmedAt time.Time // when the person last typed their secret
	ExpiresAt   time.Time
}

type adminSessionRow struct {
	ID          string `gorm:"primaryKey"`
	Token       []byte
	Person      string
	Address     string
	Agent       string
	CreatedAt   int64 `gorm:"autoCreateTime:false"`
	SeenAt      int64
	ConfirmedAt int64
	ExpiresAt   int64
	PersonID    string
	Invitation  string
}

func (adminSessionRow) TableName() string { return "admin_sessions" }

// Insert opens a session.
func (tx Sessions) Insert(ctx context.Context, s AdminSession) error {
	return insertRow(ctx, tx.conn, "session", adminSessionRow{s.ID, s.Token, s.Person, s.Address, s.Agent,
		toMillis(s.CreatedAt), toMillis(s.SeenAt), toMillis(s.ConfirmedAt), toMillis(s.ExpiresAt), s.PersonID, s.Invitation})
}

// ByToken finds a session by its token's hash, even an expired one. CodeNotFound if there is none.
func (tx Sessions) ByToken(ctx context.Context, token []byte) (AdminSession, error) {
	return selectOne(ctx, tx.conn, adminSessionRow.session, "session",
		"SELECT * FROM admin_sessions WHERE token = ?", token)
}

// List lists people's live sessions, last seen first.
func (tx Sessions) List(ctx context.Context, now, idle time.Time) ([]AdminSession, error) {
	return selectAs(ctx, tx.conn, adminSessionRow.session, "read sessions", `SELECT * FROM admin_sessions
		WHERE person_id <> '' AND expires_at > ? AND seen_at > ? ORDER BY seen_at DESC, id`, toMillis(now), toMillis(idle))
}

// See notes a session's use. CodeConflict if it has ended.
func (tx Sessions) See(ctx context.Context, id, address string, at time.Time) error {
	return tx.change(ctx, "session", "UPDATE admin_sessions SET seen_at = max(seen_at, ?), address = ? WHERE id = ?",
		toMillis(at), address, id)
}

// Confirm notes that its person has just typed their password again.
func (tx Sessions) Confirm(ctx context.Context, id string, at time.Time) error {
	return tx.change(ctx, "session", "UPDATE admin_sessions SET confirmed_at = ? WHERE id = ?", toMillis(at), id)
}

// Delete ends a session and returns its person's name. ok is false if there was none.
func (tx Sessions) Delete(ctx context.Context, token []byte) (person string, ok bool, err error) {
	return tx.delete(ctx, "token = ?", token)
}

// DeleteByID is Delete by id. It ends only sessions of personID, unless that is "".
func (tx Sessions) DeleteByID(ctx context.Context, id, personID string) (person string, ok bool, err error) {
	return tx.delete(ctx, "id = ? AND ? IN ('', person_id)", id, personID)
}

func (tx Sessions) delete(ctx context.Context, where string, args ...any) (person string, ok bool, err error) {
	people, err := selectAll[string](ctx, tx.conn, "end session",
		"DELETE FROM admin_sessions WHERE "+where+" RETURNING person", args...)
	if err != nil || len(people) == 0 {
		return "", false, err
	}
	return people[0], true, nil
}

// DeleteAll ends all sessions and returns how many there were.
func (tx Sessions) DeleteAll(ctx context.Context) (int64, error) {
	return tx.deleteWhere(ctx, "1 = 1")
}

// DeleteOf ends a person's sessions except one ("" for none) and returns their number.
func (tx Sessions) DeleteOf(ctx context.Context, personID, except string) (int64, error) {
	return tx.deleteWhere(ctx, "person_id = ? AND id <> ?", personID, except)
}

// DeleteOthers ends everybody's sessions except one and returns how many there were.
func (tx Sessions) DeleteOthers(ctx context.Context, except string) (int64, error) {
	return tx.deleteWhere(ctx, "id <> ?", except)
}

// DeleteEnrolling ends unfinished enrolments of an invitation; "" is the admin token.
func (tx Sessions) DeleteEnrolling(ctx context.Context, id string) error {
	_, err := tx.deleteWhere(ctx, "person_id = '' AND invitation = ?", id)
	return err
}

// Prune removes sessions past their absolute end, or not seen since idle.
func (tx Sessions) Prune(ctx context.Context, now, idle time.Time) error {
	_, err := tx.deleteWhere(ctx, "expires_at <= ? OR seen_at <= ?", toMillis(now), toMillis(idle))
	return err
}

func (tx Sessions) deleteWhere(ctx context.Context, where string, args ...any) (int64, error) {
	n, err := tx.exec(ctx, "DELETE FROM admin_sessions WHERE "+where, args...)
	return n, wrapError("end sessions", err)
}

func (r adminSessionRow) session() (AdminSession, error) {
	return AdminSession{
		ID: r.ID, Token: r.Token, Person: r.Person, PersonID: r.PersonID, Invitation: r.Invitation, Address: r.Address,
		Agent: r.Agent, CreatedAt: fromMillis(r.CreatedAt), SeenAt: fromMillis(r.SeenAt),
		ConfirmedAt: fromMillis(r.ConfirmedAt), ExpiresAt: fromMillis(r.ExpiresAt),
	}, nil
}

// Invitation is a one-time token for somebody who is to be added.
type Invitation struct {
	ID        string
	Token     []byte // sha256
	CreatedBy app.Actor
	CreatedAt time.Time
	ExpiresAt time.Time
	Role      app.Role // of the person who uses it
}

type invitationRow struct {
	ID        string `gorm:"primaryKey"`
	Token     []byte
	CreatedBy string
	CreatedAt int64 `gorm:"autoCreateTime:false"`
	ExpiresAt int64
	Role      string
}

func (invitationRow) TableName() string { return "invitations" }

// Insert adds one.
func (tx Invitations) Insert(ctx context.Context, i Invitation) error {
	return insertRow(ctx, tx.conn, "invitation",
		invitationRow{i.ID, i.Token, toJSON(i.CreatedBy), toMillis(i.CreatedAt), toMillis(i.ExpiresAt),
			string(i.Role)})
}

// ByToken finds an invitation by its token's hash, even an expired one. CodeNotFound if there is
// none.
func (tx Invitations) ByToken(ctx context.Context, token []byte) (Invitation, error) {
	return selectOne(ctx, tx.conn, invitationRow.invitation, "invitation",
		"SELECT * FROM invitations WHERE token = ?", token)
}

// List lists them, newest first.
func (tx Invitations) List(ctx context.Context) ([]Invitation, error) {
	return selectAs(ctx, tx.conn, invitationRow.invitation, "read invitations",
		"SELECT * FROM invitations ORDER BY created_at DESC, id")
}

// ByID finds one, also an expired one, else CodeNotFound.
func (tx Invitations) ByID(ctx context.Context, id string) (Invitation, error) {
	return selectOne(ctx, tx.conn, invitationRow.invitation, "invitation", "SELECT * FROM invitations WHERE id = ?", id)
}

// Delete withdraws one, or spends it. One that is gone is CodeConflict.
func (tx Invitations) Delete(ctx context.Context, id string) error {
	return tx.change(ctx, "invitation", "DELETE FROM invitations WHERE id = ?", id)
}

// DeleteAll withdraws all of them.
func (tx Invitations) DeleteAll(ctx context.Context) error {
	return tx.run(ctx, "withdraw invitations", "DELETE FROM invitations")
}

// Prune removes the expired ones.
func (tx Invitations) Prune(ctx context.Context, now time.Time) error {
	return tx.run(ctx, "prune invitations", "DELETE FROM invitations WHERE expires_at <= ?", toMillis(now))
}

func (r invitationRow) invitation() (Invitation, error) {
	by, err := fromJSON[app.Actor]("created_by", r.CreatedBy)
	return Invitation{r.ID, r.Token, by, fromMillis(r.CreatedAt), fromMillis(r.ExpiresAt), app.Role(r.Role)}, err
}
