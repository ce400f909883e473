package auth

import (
	"context"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/store"
)

// For tests outside of this package, which use all of app/access.
const (
	AddressBurst = addressBurst
	AddressEvery = addressEvery
	GlobalBurst  = globalBurst
	SessionNote  = sessionNote
)

// SeenAt returns the stored time of a session's last use.
func (s *Sessions) SeenAt(ctx context.Context, cookie app.Secret) (time.Time, error) {
	found, err := s.find(ctx, cookie)
	return found.SeenAt, err
}

// NewSessions returns the sessions in a store.
func NewSessions(st *store.Store, now func() time.Time) *Sessions {
	return &Sessions{store: st, now: now}
}

// TryConfirm counts a wrong confirmation and reports whether it was allowed.
func (s *Logins) TryConfirm(person string) bool { return s.confirms.begin(person, s.now()) }

// SetToken makes a token the admin token.
func (a Auth) SetToken(ctx context.Context, token app.Secret) error {
	return a.AdminToken.setToken(ctx, app.System(), token, "set")
}
