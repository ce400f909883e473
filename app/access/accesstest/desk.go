// Package accesstest makes a desk for tests: everything of app/access on a fresh database.
package accesstest

import (
	"database/sql"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/auth/authtest"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/app/instance"
	"github.com/computclaw/airlock/app/live"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/store"
	"github.com/computclaw/airlock/store/storetest"
)

// Agent is an agent without a profile.
func Agent() app.Actor { return app.Actor{Kind: app.ActorAgent, Address: "192.0.2.7"} }

// Person is a person who is logged in.
func Person() app.Actor {
	return app.Actor{Kind: app.ActorPerson, Name: "admin", Address: "192.0.2.8"}
}

// Desk is a Service on a fresh database, with a clock that the test sets and cheap password hashes.
type Desk struct {
	*access.Parts
	Config access.Config
	T      testing.TB
	Dir    string
	Store  *store.Store
	Hub    *live.Hub

	mu  sync.Mutex
	now time.Time
}

// New makes a desk where agents may create profiles. change may alter what it is made with.
func New(t testing.TB, change ...func(*Desk)) *Desk {
	t.Helper()
	d := &Desk{T: t, Dir: t.TempDir(), Hub: &live.Hub{}, now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	d.Store = storetest.OpenIn(t, d.Dir,
		slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn})))
	ring, err := secrets.NewKeyring(app.NewSecret("an instance key of at least 32 characters"))
	if err != nil {
		t.Fatal(err)
	}
	d.Config = access.Config{
		Store: d.Store, Hub: d.Hub, Now: d.Now, HashCost: authtest.CheapHashes(t), AgentProfiles: true,
		Keyring: Must[*secrets.Keyring](t)(instance.VerifyKeyring(t.Context(), d.Store, ring)),
	}
	for _, f := range change {
		f(d)
	}
	d.Parts = access.New(d.Config)
	return d
}

// Now returns the desk's time.
func (d *Desk) Now() time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.now
}

// Pass lets time pass.
func (d *Desk) Pass(by time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.now = d.now.Add(by)
}

// Raw opens the database as somebody does who has the file.
func (d *Desk) Raw() *sql.DB {
	d.T.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(d.Dir, store.FileName)+"?_pragma=busy_timeout(5000)")
	if err != nil {
		d.T.Fatal(err)
	}
	d.T.Cleanup(func() { _ = db.Close() })
	return db
}

// Must fails the test on an error.
func Must[T any](t testing.TB) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// WantCode fails the test unless err has the code; every error must say what to do next.
func WantCode(t testing.TB, what string, err error, code app.Code) {
	t.Helper()
	if app.CodeOf(err) != code {
		t.Errorf("%s: %v, want %s", what, err, code)
	}
}

// AddCredential sets a credential without hosts.
func (d *Desk) AddCredential(name string, mode app.Mode, value string) app.Credential {
	d.T.Helper()
	return Must[app.Credential](d.T)(d.Credentials.Set(d.T.Context(), Person(),
		credentials.Input{Name: name, Mode: mode, Value: app.NewSecret(value)}))
}

// Unlocked makes an agent's profile with keys of the given names.
func (d *Desk) Unlocked(keys ...string) app.Profile {
	d.T.Helper()
	p := Must[app.Profile](d.T)(d.Profiles.Create(d.T.Context(), Agent(), "reports"))
	if len(keys) == 0 {
		return p
	}
	return Must[app.Profile](d.T)(d.Keys.Add(d.T.Context(), Agent(), p.Handle, Keys(keys...)))
}

// Keys returns requests for keys.
func Keys(names ...string) []app.Key {
	keys := make([]app.Key, len(names))
	for i, n := range names {
		keys[i] = app.Key{Name: n, Description: "needed"}
	}
	return keys
}

// Linked makes an unlocked profile with keys, makes credentials of the keys' names, and links them.
func (d *Desk) Linked(keys ...string) app.Profile {
	d.T.Helper()
	p := d.Unlocked(keys...)
	for _, k := range keys {
		d.AddCredential(k, app.ModeInjected, "value of "+k)
		p = Must[app.Profile](d.T)(d.Keys.Link(d.T.Context(), Person(), p.Handle, k, k))
	}
	return p
}

// Locked is Linked, and locks the profile.
func (d *Desk) Locked(keys ...string) app.Profile {
	d.T.Helper()
	p := d.Linked(keys...)
	return Must[app.Profile](d.T)(d.Lifecycle.Lock(d.T.Context(), Person(), p.Handle, p.UpdatedAt))
}

// PolicyOf returns the newest policy of a profile.
func (d *Desk) PolicyOf(p app.Profile) app.Policy {
	d.T.Helper()
	return Must[app.Policy](d.T)(d.Binder.Policy(d.T.Context(), p.Handle, p.Policy))
}

// Values resolves the values of a profile, by key.
func (d *Desk) Values(p app.Profile) map[string]string {
	d.T.Helper()
	values := map[string]string{}
	for _, v := range Must[[]secrets.Resolved](d.T)(d.Resolver.Resolve(d.T.Context(), p.Handle, d.PolicyOf(p))) {
		values[v.Key] = v.Secret.Reveal()
	}
	return values
}

// Host parses an entry.
func Host(t testing.TB, text string) app.Host {
	t.Helper()
	return Must[app.Host](t)(app.ParseHost(text))
}

// Hosts parses entries.
func Hosts(t testing.TB, texts ...string) []app.Host {
	t.Helper()
	list := make([]app.Host, len(texts))
	for i, text := range texts {
		list[i] = Host(t, text)
	}
	return list
}

// Actions returns the audited actions, oldest first.
func (d *Desk) Actions() []string {
	d.T.Helper()
	events := Must[[]app.Event](d.T)(d.Audit.Latest(d.T.Context(), 1000))
	actions := make([]string, len(events))
	for i, e := range events {
		actions[len(events)-1-i] = e.Action
	}
	return actions
}

// Shown is a profile's hosts as "+allowed" and "?undecided".
func Shown(p app.Profile) []string {
	var list []string
	for _, h := range p.Hosts {
		mark := "?"
		if h.Allowed {
			mark = "+"
		}
		if h.Private {
			mark += "!"
		}
		list = append(list, mark+h.String())
	}
	return list
}
