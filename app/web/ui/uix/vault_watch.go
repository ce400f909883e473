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

// VaultMaxAge is how old the state of the Vault on a page may be.
const VaultMaxAge = time.Minute

// VaultWatch remembers the state of the Vault, so that not every page asks it.
//
// Open pages have it looked at by their event stream. While no page is open, nobody asks the Vault.
// It is safe for concurrent use.
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

// State is the state of the Vault at most maxAge ago, and since when it fails (zero: it works); nil
// if none is configured. It takes a few seconds at most.
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
	// A person who leaves is no sign of a failing Vault.
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

// remember keeps a state. It reports since when the Vault fails, and whether it just began or
// stopped to.
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

// need says that values can't be read from the Vault.
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
