package credentials

import (
	"context"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/store"
)

// For tests outside of this package, which use all of app/access.
const (
	MinSearched = minSearched
	MaxSeen     = maxSeen
)

// NewSearchSets returns sets that know nothing of Vault.
func NewSearchSets(st *store.Store, ring *secrets.Keyring) *SearchSets {
	return newSearchSets(st, ring, newVaultMemory())
}

// Find returns how many values belong to hosts.
func (s *SearchSets) Find(ctx context.Context, key string, belongs func(app.Host) bool) (int, error) {
	f, err := s.find(ctx, key, belongs)
	if err != nil {
		return 0, err
	}
	return len(f.set.known), nil
}

// Stored returns the sets' last view of store and Vault.
func (s *SearchSets) Stored() []store.Belonging { return s.index.stored }

// Remembered returns how many credentials have remembered Vault values.
func (s *SearchSets) Remembered() int { return len(s.vault.read) }

// Latest returns the last values of a credential in Vault.
func (s *SearchSets) Latest(id string, ref app.Reference) ([]app.Secret, bool) {
	return s.vault.latest(id, ref)
}
