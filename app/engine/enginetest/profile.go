package enginetest

import (
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/store"
)

// NewProfile makes a locked profile as agent and person would.
func (w *World) NewProfile(hosts ...string) app.Profile {
	w.T.Helper()
	ctx := w.T.Context()
	for _, c := range []credentials.Input{
		{Name: "API_KEY", Mode: app.ModeInjected, Value: app.NewSecret(SecretValue)},
		{Name: "DB_HOST", Mode: app.ModePlain, Value: app.NewSecret("db.example.com")},
	} {
		_, err := w.Access.Credentials.Set(ctx, Person, c)
		w.Must(err)
	}
	p, err := w.Access.Profiles.Create(ctx, Person, "test profile")
	w.Must(err)
	_, err = w.Access.Keys.Add(ctx, Person, p.Handle, []app.Key{{Name: "API_KEY"}, {Name: "DB_HOST"}})
	w.Must(err)
	for _, name := range []string{"API_KEY", "DB_HOST"} {
		_, err = w.Access.Keys.Link(ctx, Person, p.Handle, name, name)
		w.Must(err)
	}
	var list []app.Host
	for _, h := range hosts {
		host, err := app.ParseHost(h)
		w.Must(err)
		host.Private = true
		list = append(list, host)
	}
	_, err = w.Access.Hosts.Set(ctx, Person, p.Handle, list, nil)
	w.Must(err)
	locked, err := w.Access.Lifecycle.Lock(ctx, Person, p.Handle, time.Time{})
	w.Must(err)
	return locked
}

// Require sets where the profile's scripts must run.
func (w *World) Require(p app.Placement) {
	w.T.Helper()
	_, err := w.Access.Placements.Set(w.T.Context(), Person, w.Profile.Handle, p)
	w.Must(err)
}

// Allow replaces the profile's hosts.
func (w *World) Allow(hosts ...string) {
	w.T.Helper()
	var list []app.Host
	for _, h := range hosts {
		host, err := app.ParseHost(h)
		w.Must(err)
		list = append(list, host)
	}
	_, err := w.Access.Hosts.Set(w.T.Context(), Person, w.Profile.Handle, list, nil)
	w.Must(err)
}

// AsProfile does something under another profile than the World's.
func (w *World) AsProfile(p app.Profile, do func()) {
	mine := w.Profile
	defer func() { w.Profile = mine }()
	w.Profile = p
	do()
}

// Elsewhere acts as another process with the same database.
func (w *World) Elsewhere(act func(*access.Parts) error) {
	w.T.Helper()
	s, err := store.Open(w.T.Context(), w.Dir, nil)
	w.Must(err)
	w.Must(act(access.New(access.Config{Store: s, Keyring: w.Config.Keyring})))
	w.Must(s.Close())
}

// KeepWriter keeps the store's only writer, as an import does, until release is called.
func (w *World) KeepWriter() (release func()) {
	writing, over, done := make(chan struct{}), make(chan struct{}), make(chan error)
	go func() {
		done <- w.Store.Write(w.T.Context(), func(*store.Tx) error {
			close(writing)
			<-over
			return nil
		})
	}()
	<-writing
	return func() {
		w.T.Helper()
		close(over)
		w.Must(<-done)
	}
}
