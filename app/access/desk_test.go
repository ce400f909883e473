package access

import (
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/live"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/store"
)

var (
	agent  = app.Actor{Kind: app.ActorAgent, Address: "192.0.2.7"}
	person = app.Actor{Kind: app.ActorPerson, Name: "admin", Address: "192.0.2.8"}
)

// desk is a Service on a fresh store, with a clock that the test sets.
type desk struct {
	*Service
	t     *testing.T
	dir   string
	store *store.Store
	hub   *live.Hub
	clock *clock
}

type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

func newDesk(t *testing.T) *desk { t.Helper(); return newDeskWith(t, Config{AgentProfiles: true}) }

func newDeskWith(t *testing.T, cfg Config) *desk {
	t.Helper()
	dir := t.TempDir()
	st, err := store.Open(t.Context(), dir, slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn})))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	ring, err := secrets.NewKeyring(app.NewSecret("an instance key of at least 32 characters"))
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{t: t, dir: dir, store: st, hub: &live.Hub{}, clock: &clock{at: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}}
	cfg.Store, cfg.Hub, cfg.Now = st, d.hub, d.clock.now
	if cfg.Keyring, err = VerifyKeyring(t.Context(), st, ring); err != nil {
		t.Fatal(err)
	}
	d.Service = New(cfg)
	return d
}

// must fails the test on an error.
func must[T any](t *testing.T) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// wantCode fails the test unless err has the code; every error must say what to do next.
func wantCode(t *testing.T, what string, err error, code app.Code) {
	t.Helper()
	if app.CodeOf(err) != code {
		t.Errorf("%s: %v, want %s", what, err, code)
	}
}

func (d *desk) credential(name string, mode app.Mode, value string) app.Credential {
	d.t.Helper()
	return must[app.Credential](d.t)(d.SetCredential(d.t.Context(), person, CredentialInput{Name: name, Mode: mode, Value: app.NewSecret(value)}))
}

// unlocked makes an agent's profile with keys of the given names.
func (d *desk) unlocked(keys ...string) app.Profile {
	d.t.Helper()
	p := must[app.Profile](d.t)(d.CreateProfile(d.t.Context(), agent, "reports"))
	if len(keys) == 0 {
		return p
	}
	return must[app.Profile](d.t)(d.AddKeys(d.t.Context(), agent, p.Handle, asKeys(keys...)))
}

func asKeys(names ...string) []app.Key {
	keys := make([]app.Key, len(names))
	for i, n := range names {
		keys[i] = app.Key{Name: n, Description: "needed"}
	}
	return keys
}

// linked makes credentials of the keys' names, and links them.
func (d *desk) linked(keys ...string) app.Profile {
	d.t.Helper()
	p := d.unlocked(keys...)
	for _, k := range keys {
		d.credential(k, app.ModeInjected, "value of "+k)
		p = must[app.Profile](d.t)(d.LinkKey(d.t.Context(), person, p.Handle, k, k))
	}
	return p
}

func (d *desk) locked(keys ...string) app.Profile {
	d.t.Helper()
	p := d.linked(keys...)
	return must[app.Profile](d.t)(d.Lock(d.t.Context(), person, p.Handle, p.UpdatedAt))
}

func (d *desk) policy(p app.Profile) app.Policy {
	d.t.Helper()
	return must[app.Policy](d.t)(d.Policy(d.t.Context(), p.Handle, p.Policy))
}

func (d *desk) values(p app.Profile) map[string]string {
	d.t.Helper()
	values := map[string]string{}
	for _, v := range must[[]Value](d.t)(d.Resolve(d.t.Context(), p.Handle, d.policy(p))) {
		values[v.Key] = v.Secret.Reveal()
	}
	return values
}

func host(t *testing.T, text string) app.Host {
	t.Helper()
	return must[app.Host](t)(app.ParseHost(text))
}

func hosts(t *testing.T, texts ...string) []app.Host {
	t.Helper()
	list := make([]app.Host, len(texts))
	for i, text := range texts {
		list[i] = host(t, text)
	}
	return list
}

// actions returns the audited actions, oldest first.
func (d *desk) actions() []string {
	d.t.Helper()
	events := must[[]app.Event](d.t)(d.Audit(d.t.Context(), 0, 1000))
	actions := make([]string, len(events))
	for i, e := range events {
		actions[len(events)-1-i] = e.Action
	}
	return actions
}
