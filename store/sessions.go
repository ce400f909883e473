package store

import (
	"context"
	"time"
)

// AdminSession is one login of a person, or of a token whose holder has yet to say who they are.
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

// ByToken finds a session by the hash of its token, also an expired one. CodeNotFound if there is
// none.
func (tx Sessions) ByToken(ctx context.Context, token []byte) (AdminSession, error) {
	return selectOne(ctx, tx.conn, adminSessionRow.session, "session",
		"SELECT * FROM admin_sessions WHERE token = ?", token)
}

// List lists the sessions of people that are not over, the last seen first.
func (tx Sessions) List(ctx context.Context, now, idle time.Time) ([]AdminSession, error) {
	return selectAs(ctx, tx.conn, adminSessionRow.session, "read sessions", `SELECT * FROM admin_sessions
		WHERE person_id <> '' AND expires_at > ? AND seen_at > ? ORDER BY seen_at DESC, id`, toMillis(now), toMillis(idle))
}

// See notes that a session was used. A session that has ended meanwhile is CodeConflict.
func (tx Sessions) See(ctx context.Context, id, address string, at time.Time) error {
	return tx.change(ctx, "session", "UPDATE admin_sessions SET seen_at = max(seen_at, ?), address = ? WHERE id = ?",
		toMillis(at), address, id)
}

// Confirm notes that its person has just typed their password again.
func (tx Sessions) Confirm(ctx context.Context, id string, at time.Time) error {
	return tx.change(ctx, "session", "UPDATE admin_sessions SET confirmed_at = ? WHERE id = ?", toMillis(at), id)
}

// Delete ends a session and returns its person's name; ok is false if there was none.
func (tx Sessions) Delete(ctx context.Context, token []byte) (person string, ok bool, err error) {
	return tx.delete(ctx, "token = ?", token)
}

// DeleteByID is Delete for a session in a list. It ends only sessions of one person, unless personID
// is "".
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

// DeleteOf ends a person's sessions except one ("" for none) and returns how many there were.
func (tx Sessions) DeleteOf(ctx context.Context, personID, except string) (int64, error) {
	return tx.deleteWhere(ctx, "person_id = ? AND id <> ?", personID, except)
}

// DeleteOthers ends everybody's sessions except one and returns how many there were.
func (tx Sessions) DeleteOthers(ctx context.Context, except string) (int64, error) {
	return tx.deleteWhere(ctx, "id <> ?", except)
}

// DeleteEnrolling ends the unfinished enrolments that an invitation began; "" is the admin token.
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
	return n, failed("end sessions", err)
}

func (r adminSessionRow) session() (AdminSession, error) {
	return AdminSession{
		ID: r.ID, Token: r.Token, Person: r.Person, PersonID: r.PersonID, Invitation: r.Invitation, Address: r.Address,
		Agent: r.Agent, CreatedAt: fromMillis(r.CreatedAt), SeenAt: fromMillis(r.SeenAt),
		ConfirmedAt: fromMillis(r.ConfirmedAt), ExpiresAt: fromMillis(r.ExpiresAt),
	}, nil
}
