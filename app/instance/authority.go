package instance

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/egress/ca"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/store"
)

// Settings of the authority.
const (
	settingAuthority    = "authority.certificate"
	settingAuthorityKey = "authority.key"
)

// RenewBefore is the remaining life at which a start replaces an authority.
const RenewBefore = 365 * 24 * time.Hour

// Authority keeps an instance's certificate authority. Its key leaves the process only sealed.
type Authority struct {
	store   *store.Store
	keyring *secrets.Keyring
	now     func() time.Time
}

// NewAuthority returns the keeper of the authority in a store.
func NewAuthority(st *store.Store, ring *secrets.Keyring, now func() time.Time) *Authority {
	return &Authority{store: st, keyring: ring, now: now}
}

// Get returns the certificate authority. The first call makes it; one with under a year left is
// replaced.
func (s *Authority) Get(ctx context.Context) (*ca.Authority, error) {
	var authority *ca.Authority
	err := s.store.Write(ctx, func(tx *store.Tx) (err error) {
		authority, err = s.load(ctx, tx)
		if err != nil || authority != nil && authority.Expires().After(s.now().Add(RenewBefore)) {
			return err
		}
		detail := "Made the certificate authority of this instance."
		if authority != nil {
			detail = "Replaced the certificate authority of this instance, which had less than a year left."
		}
		if authority, err = ca.New(s.now()); err != nil {
			return err
		}
		key := s.keyring.Seal(secrets.Settings, settingAuthorityKey, authority.Key())
		err = tx.Settings.Set(ctx, s.now(),
			store.Setting{Key: settingAuthority, Value: authority.Certificate()},
			store.Setting{Key: settingAuthorityKey, Value: key, Sealed: true})
		if err != nil {
			return err
		}
		return tx.Audit(ctx, app.NewEvent(s.now(), app.System(), "authority.create", "egress", detail))
	})
	if err != nil {
		return nil, fmt.Errorf("instance: certificate authority: %w", err)
	}
	return authority, nil
}

// load returns the stored authority, or nil. Half of one is an error.
func (s *Authority) load(ctx context.Context, tx *store.Tx) (*ca.Authority, error) {
	certificate, ok, err := tx.Settings.Get(ctx, settingAuthority)
	if err != nil {
		return nil, err
	}
	sealed, okKey, err := tx.Settings.Get(ctx, settingAuthorityKey)
	if err != nil {
		return nil, err
	}
	switch {
	case !ok && !okKey:
		return nil, nil
	case !ok || !okKey:
		return nil, errors.New("the database has lost half of it; restore a backup")
	}
	key, err := s.keyring.Open(secrets.Settings, settingAuthorityKey, sealed.Value)
	if err != nil {
		return nil, err
	}
	return ca.Load(certificate.Value, key)
}
