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

// Insert opens a session.
func (tx Sessions) Insert(ctx context.Context, s AdminSession) error {
	row := adminSessionRow{s.ID, s.Token, s.Person, s.Address, s.Agent, toMillis(s.CreatedAt), toMillis(s.SeenAt),
		toMillis(s.ConfirmedAt), toMillis(s.ExpiresAt), s.PersonID, s.Invitation}
	if err := gorm.G[adminSessionRow](tx.db).Create(ctx, &row); err != nil {
		return fmt.Errorf("store: open session: %w", err)
	}
	return nil
}

// ByToken finds a session by the hash of its token, also an expired one. CodeNotFound if there is
// none.
func (tx Sessions) ByToken(ctx context.Context, token []byte) (AdminSession, error) {
	r, err := gorm.G[adminSessionRow](tx.db).Where("token = ?", token).Take(ctx)
	if err != nil {
		return AdminSession{}, notFound(err, "session")
	}
	return r.session(), nil
}

// List lists the sessions of people that are not over, the last seen first.
func (tx Sessions) List(ctx context.Context, now, idle time.Time) ([]AdminSession, error) {
	rows, err := gorm.G[adminSessionRow](tx.db).Where("person_id <> '' AND expires_at > ? AND seen_at > ?", toMillis(now),
		toMillis(idle)).Order("seen_at DESC, id").Find(ctx)
	if err != nil {
		return nil, fmt.Errorf("store: read sessions: %w", err)
	}
	list := make([]AdminSession, len(rows))
	for i, r := range rows {
		list[i] = r.session()
	}
	return list, nil
}

// See notes that a session was used. A session that has ended meanwhile is CodeConflict.
func (tx Sessions) See(ctx context.Context, id, address string, at time.Time) error {
	n, err := tx.exec(ctx, "UPDATE admin_sessions SET seen_at = max(seen_at, ?), address = ? WHERE id = ?", toMillis(at),
		address, id)
	return changed(n, err, "session")
}

// Confirm notes that its person has just typed their password again.
func (tx Sessions) Confirm(ctx context.Context, id string, at time.Time) error {
	n, err := tx.exec(ctx, "UPDATE admin_sessions SET confirmed_at = ? WHERE id = ?", toMillis(at), id)
	return changed(n, err, "session")
}

// Delete ends a session and returns whose it was; ok is false if there was none.
func (tx Sessions) Delete(ctx context.Context, token []byte) (person string, ok bool, err error) {
	return tx.remove(ctx, "token = ?", token)
}

// DeleteByID is Delete for a session in a list.
func (tx Sessions) DeleteByID(ctx context.Context, id string) (person string, ok bool, err error) {
	return tx.remove(ctx, "id = ?", id)
}

func (tx Sessions) remove(ctx context.Context, where string, arg any) (person string, ok bool, err error) {
	var people []string
	if err := tx.db.WithContext(ctx).Raw("DELETE FROM admin_sessions WHERE "+where+" RETURNING person",
		arg).Scan(&people).Error; err != nil {
		return "", false, fmt.Errorf("store: end session: %w", err)
	}
	if len(people) == 0 {
		return "", false, nil
	}
	return people[0], true, nil
}

// DeleteAll ends all sessions and returns how many there were.
func (tx Sessions) DeleteAll(ctx context.Context) (int64, error) {
	return tx.removeAll(ctx, "1 = 1")
}

// DeleteOf ends a person's sessions except one ("" for none) and returns how many there were.
func (tx Sessions) DeleteOf(ctx context.Context, personID, except string) (int64, error) {
	return tx.removeAll(ctx, "person_id = ? AND id <> ?", personID, except)
}

// DeleteOthers ends everybody's sessions except one and returns how many there were.
func (tx Sessions) DeleteOthers(ctx context.Context, except string) (int64, error) {
	return tx.removeAll(ctx, "id <> ?", except)
}

// DeleteEnrolling ends what an invitation opened, or, for "", the admin token, as long as nobody
// has said who they are there.
func (tx Sessions) DeleteEnrolling(ctx context.Context, id string) error {
	_, err := tx.removeAll(ctx, "person_id = '' AND invitation = ?", id)
	return err
}

func (tx Sessions) removeAll(ctx context.Context, where string, args ...any) (int64, error) {
	n, err := tx.exec(ctx, "DELETE FROM admin_sessions WHERE "+where, args...)
	if err != nil {
		return 0, fmt.Errorf("store: end sessions: %w", err)
	}
	return n, nil
}

// Prune removes sessions past their absolute end, or not seen since idle.
func (tx Sessions) Prune(ctx context.Context, now, idle time.Time) error {
	_, err := tx.removeAll(ctx, "expires_at <= ? OR seen_at <= ?", toMillis(now), toMillis(idle))
	return err
}

func (r adminSessionRow) session() AdminSession {
	return AdminSession{
		ID: r.ID, Token: r.Token, Person: r.Person, PersonID: r.PersonID, Invitation: r.Invitation, Address: r.Address,
		Agent:     r.Agent,
		CreatedAt: fromMillis(r.CreatedAt), SeenAt: fromMillis(r.SeenAt), ConfirmedAt: fromMillis(r.ConfirmedAt),
		ExpiresAt: fromMillis(r.ExpiresAt),
	}
}
