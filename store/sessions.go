package store

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"
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

// InsertAdminSession opens a session.
func (tx *Tx) InsertAdminSession(ctx context.Context, s AdminSession) error {
	row := adminSessionRow{s.ID, s.Token, s.Person, s.Address, s.Agent, toMillis(s.CreatedAt), toMillis(s.SeenAt), toMillis(s.ConfirmedAt), toMillis(s.ExpiresAt), s.PersonID, s.Invitation}
	if err := gorm.G[adminSessionRow](tx.db).Create(ctx, &row); err != nil {
		return fmt.Errorf("store: open session: %w", err)
	}
	return nil
}

// AdminSession finds a session by the hash of its token, also an expired one. CodeNotFound if there is none.
func (tx *Tx) AdminSession(ctx context.Context, token []byte) (AdminSession, error) {
	r, err := gorm.G[adminSessionRow](tx.db).Where("token = ?", token).Take(ctx)
	if err != nil {
		return AdminSession{}, notFound(err, "session")
	}
	return r.session(), nil
}

// AdminSessions lists the sessions of people that are not over, the last seen first.
func (tx *Tx) AdminSessions(ctx context.Context, now, idle time.Time) ([]AdminSession, error) {
	rows, err := gorm.G[adminSessionRow](tx.db).Where("person_id <> '' AND expires_at > ? AND seen_at > ?", toMillis(now), toMillis(idle)).Order("seen_at DESC, id").Find(ctx)
	if err != nil {
		return nil, fmt.Errorf("store: read sessions: %w", err)
	}
	list := make([]AdminSession, len(rows))
	for i, r := range rows {
		list[i] = r.session()
	}
	return list, nil
}

// SeeAdminSession notes that a session was used. A session that has ended meanwhile is CodeConflict.
func (tx *Tx) SeeAdminSession(ctx context.Context, id, address string, at time.Time) error {
	n, err := tx.exec(ctx, "UPDATE admin_sessions SET seen_at = max(seen_at, ?), address = ? WHERE id = ?", toMillis(at), address, id)
	return changed(n, err, "session")
}

// ConfirmAdminSession notes that its person has just typed their password again.
func (tx *Tx) ConfirmAdminSession(ctx context.Context, id string, at time.Time) error {
	n, err := tx.exec(ctx, "UPDATE admin_sessions SET confirmed_at = ? WHERE id = ?", toMillis(at), id)
	return changed(n, err, "session")
}

// DeleteAdminSession ends a session and returns whose it was; ok is false if there was none.
func (tx *Tx) DeleteAdminSession(ctx context.Context, token []byte) (person string, ok bool, err error) {
	return tx.deleteSession(ctx, "token = ?", token)
}

// DeleteAdminSessionByID is DeleteAdminSession for a session in a list.
func (tx *Tx) DeleteAdminSessionByID(ctx context.Context, id string) (person string, ok bool, err error) {
	return tx.deleteSession(ctx, "id = ?", id)
}

func (tx *Tx) deleteSession(ctx context.Context, where string, arg any) (person string, ok bool, err error) {
	var people []string
	if err := tx.db.WithContext(ctx).Raw("DELETE FROM admin_sessions WHERE "+where+" RETURNING person", arg).Scan(&people).Error; err != nil {
		return "", false, fmt.Errorf("store: end session: %w", err)
	}
	if len(people) == 0 {
		return "", false, nil
	}
	return people[0], true, nil
}

// DeleteAdminSessions ends all sessions and returns how many there were.
func (tx *Tx) DeleteAdminSessions(ctx context.Context) (int64, error) {
	return tx.endSessions(ctx, "1 = 1")
}

// DeleteAdminSessionsOf ends a person's sessions except one ("" for none) and returns how many there were.
func (tx *Tx) DeleteAdminSessionsOf(ctx context.Context, personID, except string) (int64, error) {
	return tx.endSessions(ctx, "person_id = ? AND id <> ?", personID, except)
}

// DeleteOtherAdminSessions ends everybody's sessions except one and returns how many there were.
func (tx *Tx) DeleteOtherAdminSessions(ctx context.Context, except string) (int64, error) {
	return tx.endSessions(ctx, "id <> ?", except)
}

// DeleteSessionsOfInvitation ends what an invitation opened, or, for "", the admin token, as long as nobody has said who they are there.
func (tx *Tx) DeleteSessionsOfInvitation(ctx context.Context, id string) error {
	_, err := tx.endSessions(ctx, "person_id = '' AND invitation = ?", id)
	return err
}

func (tx *Tx) endSessions(ctx context.Context, where string, args ...any) (int64, error) {
	n, err := tx.exec(ctx, "DELETE FROM admin_sessions WHERE "+where, args...)
	if err != nil {
		return 0, fmt.Errorf("store: end sessions: %w", err)
	}
	return n, nil
}

// PruneAdminSessions removes sessions past their absolute end, or not seen since idle.
func (tx *Tx) PruneAdminSessions(ctx context.Context, now, idle time.Time) error {
	_, err := tx.endSessions(ctx, "expires_at <= ? OR seen_at <= ?", toMillis(now), toMillis(idle))
	return err
}

func (r adminSessionRow) session() AdminSession {
	return AdminSession{
		ID: r.ID, Token: r.Token, Person: r.Person, PersonID: r.PersonID, Invitation: r.Invitation, Address: r.Address, Agent: r.Agent,
		CreatedAt: fromMillis(r.CreatedAt), SeenAt: fromMillis(r.SeenAt), ConfirmedAt: fromMillis(r.ConfirmedAt), ExpiresAt: fromMillis(r.ExpiresAt),
	}
}
