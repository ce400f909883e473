package web

import (
	"context"
	"sync"
	"time"

	"github.com/computclaw/airlock/app/live"
	"github.com/computclaw/airlock/views/dashboard"
	"github.com/computclaw/airlock/views/paths"
	"github.com/computclaw/airlock/views/settingsview"
)

// How old what is known of the Vault may be: for a page, and for the look that is taken while pages are open.
const (
	vaultKnown  = time.Minute
	vaultLookIn = 15 * time.Second
)

// vaultWatch remembers how the Vault stood when it was last looked at, so that not every page asks it. Open pages have it looked at by their heartbeat; while nobody looks
// at Airlock, Airlock doesn't look at the Vault for them.
type vaultWatch struct {
	looking sync.Mutex // one look at a time; held before mu
	mu      sync.Mutex
	at      time.Time // of the last look
	since   time.Time // when it was first seen failing; zero if it works
	state   settingsview.VaultState
}

// known is what was seen at most an age ago.
func (w *vaultWatch) known(now time.Time, age time.Duration) (state settingsview.VaultState, since time.Time, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.state, w.since, !w.at.IsZero() && now.Sub(w.at) < age
}

// keep remembers a look and reports whether the Vault began to fail or works again.
func (w *vaultWatch) keep(now time.Time, state settingsview.VaultState) (turned bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	failed, fails := !w.since.IsZero(), state.Problem != ""
	switch {
	case !fails:
		w.since = time.Time{}
	case !failed:
		w.since = now
	}
	w.at, w.state = now, state
	return failed != fails
}

// vault is how the Vault stood at most an age ago, and since when it fails (zero: it works); nil if none is configured. It takes a few seconds at most.
func (s *Server) vault(ctx context.Context, age time.Duration) (*settingsview.VaultState, time.Time, error) {
	if !s.cfg.Access.HasVault() {
		return nil, time.Time{}, nil
	}
	if state, since, ok := s.vaultSeen.known(s.cfg.Now(), age); ok {
		return &state, since, nil
	}
	s.vaultSeen.looking.Lock()
	defer s.vaultSeen.looking.Unlock()
	if state, since, ok := s.vaultSeen.known(s.cfg.Now(), age); ok { // somebody else looked meanwhile
		return &state, since, nil
	}
	status, _, err := s.cfg.Access.Vault(context.WithoutCancel(ctx)) // a person who leaves is no sign of a failing Vault
	if err != nil {
		return nil, time.Time{}, err
	}
	if s.vaultSeen.keep(s.cfg.Now(), settingsview.VaultState{
		Address: status.Address, Namespace: status.Namespace, Method: status.Method, Version: status.Version, Problem: sentence(status.Problem), Hint: status.Hint,
		Standby: status.Standby, Expires: status.Expires, Renewable: status.Renewable, LoggedIn: status.LoggedIn, Leases: status.Leases,
		Failed: status.Failed, Why: sentence(status.Why),
	}) {
		s.cfg.Hub.Publish(live.Vault)
	}
	state, since, _ := s.vaultSeen.known(s.cfg.Now(), age)
	return &state, since, nil
}

// vaultNeed says that values can't be read from Vault.
func (s *Server) vaultNeed(ctx context.Context) (n dashboard.Need, waits bool, err error) {
	state, since, err := s.vault(ctx, vaultKnown)
	if err != nil || state == nil || since.IsZero() {
		return n, false, err
	}
	detail := state.Problem + " Executions that need a value from it end in an error."
	return dashboard.Need{Icon: "key", Title: "Vault does not work", Detail: detail, URL: paths.Settings + "#vault", Action: "See Vault", At: since}, true, nil
}
