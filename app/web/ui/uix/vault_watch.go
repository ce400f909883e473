package uix

import (
	"context"
	"sync"
	"time"

	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/app/live"
	"github.com/computclaw/airlock/views/dashboardview"
	"github.com/computclaw/airlock/views/format"
	"github.com/computclaw/airlock/views/paths"
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

	looking sync.Mutex // one look at a time; held before mu

	mu           sync.Mutex
	checkedAt    time.Time
	failingSince time.Time // zero if it works
	state        credentials.VaultStatus
}

// State returns the Vault's state, at most maxAge old; nil if none is configured. It returns since
// when the Vault fails (zero: it works), within a few seconds.
func (w *VaultWatch) State(ctx context.Context, maxAge time.Duration) (*credentials.VaultStatus, time.Time, error) {
	if !w.access.Vault.Configured() {
		return nil, time.Time{}, nil
	}
	if state, since, ok := w.recent(maxAge); ok {
		return &state, since, nil
	}
	w.looking.Lock()
	defer w.looking.Unlock()
	if state, since, ok := w.recent(maxAge); ok { // somebody else looked meanwhile
		return &state, since, nil
	}
	// A departing person is no Vault failure.
	state, _, err := w.access.Vault.Status(context.WithoutCancel(ctx))
	if err != nil {
		return nil, time.Time{}, err
	}
	since, changed := w.remember(state)
	if changed {
		w.hub.Publish(live.Vault)
	}
	return &state, since, nil
}

func (w *VaultWatch) recent(maxAge time.Duration) (state credentials.VaultStatus, since time.Time, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.state, w.failingSince, !w.checkedAt.IsZero() && w.now().Sub(w.checkedAt) < maxAge
}

// remember stores a state. It returns since when the Vault fails, and whether that changed.
func (w *VaultWatch) remember(state credentials.VaultStatus) (since time.Time, changed bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	failed, fails := !w.failingSince.IsZero(), state.Problem != ""
	w.checkedAt, w.state = w.now(), state
	switch {
	case !fails:
		w.failingSince = time.Time{}
	case !failed:
		w.failingSince = w.checkedAt
	}
	return w.failingSince, failed != fails
}

// need reports that the Vault's values are unreadable.
func (w *VaultWatch) need(ctx context.Context) (n dashboardview.Need, waits bool, err error) {
	state, since, err := w.State(ctx, VaultMaxAge)
	if err != nil || state == nil || since.IsZero() {
		return n, false, err
	}
	detail := format.Sentence(state.Problem) + " Executions that need a value from it end in an error."
	return dashboardview.Need{
		Icon: "key", Title: "Vault isn't working", Detail: detail,
		URL: paths.SettingsInstance + "#vault", Action: "See Vault", At: since,
	}, true, nil
}
