package store

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"
)

// AdminSession is one login of a person.
type AdminSession struct {
	ID          string // not secret
	Token       []byte // sha256 of the cookie's value
	Person      string
	Address     string
	Agent       string // of the browser
	CreatedAt   time.Time
	SeenAt      time.Time
	ConfirmedAt time.Time // when the person last typed their secret
	ExpiresAt   time.Time
}

// InsertAdminSession opens a session.
func (tx *Tx) InsertAdminSession(ctx context.Context, s AdminSession) error {
	row := adminSessionRow{s.ID, s.Token, s.Person, s.Address, s.Agent, toMillis(s.CreatedAt), toMillis(s.SeenAt), toMillis(s.ConfirmedAt), toMillis(s.ExpiresAt)}
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
	return AdminSession{r.ID, r.Token, r.Person, r.Address, r.Agent, fromMillis(r.CreatedAt), fromMillis(r.SeenAt), fromMillis(r.ConfirmedAt), fromMillis(r.ExpiresAt)}, nil
}

// SeeAdminSession notes that a session was used. A session that has ended meanwhile is CodeConflict.
func (tx *Tx) SeeAdminSession(ctx context.Context, id, address string, at time.Time) error {
	n, err := tx.exec(ctx, "UPDATE admin_sessions SET seen_at = max(seen_at, ?), address = ? WHERE id = ?", toMillis(at), address, id)
	return changed(n, err, "session")
}

// DeleteAdminSession ends a session and returns whose it was; ok is false if there was none.
func (tx *Tx) DeleteAdminSession(ctx context.Context, token []byte) (person string, ok bool, err error) {
	var people []string
	if err := tx.db.WithContext(ctx).Raw("DELETE FROM admin_sessions WHERE token = ? RETURNING person", token).Scan(&people).Error; err != nil {
		return "", false, fmt.Errorf("store: end session: %w", err)
	}
	if len(people) == 0 {
		return "", false, nil
	}
	return people[0], true, nil
}

// DeleteAdminSessions ends all sessions and returns how many there were.
func (tx *Tx) DeleteAdminSessions(ctx context.Context) (int64, error) {
	n, err := tx.exec(ctx, "DELETE FROM admin_sessions")
	if err != nil {
		return 0, fmt.Errorf("store: end sessions: %w", err)
	}
	return n, nil
}

// PruneAdminSessions removes sessions past their absolute end, or not seen since idle.
func (tx *Tx) PruneAdminSessions(ctx context.Context, now, idle time.Time) error {
	if _, err := tx.exec(ctx, "DELETE FROM admin_sessions WHERE expires_at <= ? OR seen_at <= ?", toMillis(now), toMillis(idle)); err != nil {
		return fmt.Errorf("store: prune sessions: %w", err)
	}
	return nil
}
