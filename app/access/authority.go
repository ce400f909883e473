package access

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

// renewBefore is how long before its end an authority is replaced at the next start.
const renewBefore = 365 * 24 * time.Hour

// Authority returns the certificate authority of this instance. The first call ever makes it; one with less than a year left is replaced. Its key is kept
// sealed and leaves the process no other way.
func (s *Service) Authority(ctx context.Context) (*ca.Authority, error) {
	var authority *ca.Authority
	err := s.cfg.Store.Write(ctx, func(tx *store.Tx) (err error) {
		authority, err = s.loadAuthority(ctx, tx)
		if err != nil || authority != nil && authority.Expires().After(s.now().Add(renewBefore)) {
			return err
		}
		detail := "Made the certificate authority of this instance."
		if authority != nil {
			detail = "Replaced the certificate authority of this instance, which had less than a year left."
		}
		if authority, err = ca.New(s.now()); err != nil {
			return err
		}
		err = tx.SetSettings(ctx, s.now(),
			store.Setting{Key: settingAuthority, Value: authority.Certificate()},
			store.Setting{Key: settingAuthorityKey, Value: s.cfg.Keyring.Seal(secrets.Settings, settingAuthorityKey, authority.Key()), Sealed: true})
		if err != nil {
			return err
		}
		return tx.Audit(ctx, s.event(app.System(), "authority.create", "egress", detail))
	})
	if err != nil {
		return nil, fmt.Errorf("access: certificate authority: %w", err)
	}
	return authority, nil
}

// loadAuthority returns the one in the settings, or nil if there is none. Half of one is an error.
func (s *Service) loadAuthority(ctx context.Context, tx *store.Tx) (*ca.Authority, error) {
	certificate, ok, err := tx.Setting(ctx, settingAuthority)
	if err != nil {
		return nil, err
	}
	sealed, okKey, err := tx.Setting(ctx, settingAuthorityKey)
	if err != nil {
		return nil, err
	}
	switch {
	case !ok && !okKey:
		return nil, nil
	case !ok || !okKey:
		return nil, errors.New("the database has lost half of it; restore a backup")
	}
	key, err := s.cfg.Keyring.Open(secrets.Settings, settingAuthorityKey, sealed.Value)
	if err != nil {
		return nil, err
	}
	return ca.Load(certificate.Value, key)
}
