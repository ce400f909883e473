package uix

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/app/live"
)

// VaultMaxAge bounds the age of a page's Vault state.
const VaultMaxAge = time.Minute

// VaultWatch caches the Vault's state for pages.
//
// Event streams of open pages refresh it; otherwise nobody asks the Vault. It is safe for
// concurrent use.
type VaultWatch struct {
	access *access.Parts
	hub    *live.Hub
	now    func() time.Time

	looking sync.Mutex // one look at a time
	last    atomic.Pointer[VaultState]
}

// VaultState is the Vault's state at one time.
type VaultState struct {
	credentials.VaultStatus
	checkedAt    time.Time
	failingSince time.Time // within a few seconds; zero if it works
}

// State returns the Vault's state, at most maxAge old; nil if none is configured.
func (w *VaultWatch) State(ctx context.Context, maxAge time.Duration) (*VaultState, error) {
	recent := func(s *VaultState) bool { return s != nil && w.now().Sub(s.checkedAt) < maxAge }
	if s := w.last.Load(); !w.access.Vault.IsConfigured() || recent(s) {
		return s, nil
	}
	w.looking.Lock()
	defer w.looking.Unlock()
	before := w.last.Load()
	if recent(before) { // somebody else looked meanwhile
		return before, nil
	}
	// A departing person is no Vault failure.
	status, _, err := w.access.Vault.Status(context.WithoutCancel(ctx))
	if err != nil {
		return nil, err
	}
	s := &VaultState{VaultStatus: status, checkedAt: w.now()}
	failed := before != nil && before.Problem != ""
	switch {
	case s.Problem != "" && failed:
		s.failingSince = before.failingSince
	case s.Problem != "":
		s.failingSince = s.checkedAt
	}
	w.last.Store(s)
	if failed != (s.Problem != "") {
		w.hub.Publish(live.Vault)
	}
	return s, nil
}
