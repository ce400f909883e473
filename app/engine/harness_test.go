package engine

import (
	"context"
	"log/slog"
	"slices"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/egress"
	"github.com/computclaw/airlock/app/live"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/fake"
	"github.com/computclaw/airlock/store"
)

const (
	instanceKey = "0123456789abcdef0123456789abcdef-test"
	secretValue = "s3cr3t-value-0123456789"
)

var (
	person = app.Actor{Kind: app.ActorPerson, Name: "operator"}
	agent  = app.Actor{Kind: app.ActorAgent}
)

// world is an engine with everything around it.
type world struct {
	*Engine
	t       testing.TB
	dir     string
	store   *store.Store
	access  *access.Service
	profile app.Profile // locked, with API_KEY (injected) and DB_HOST (plain)
	fake    *fake.Backend
	hub     *live.Hub
}

// newWorld starts an engine on a new database whose boxes run players, unless change says otherwise.
func newWorld(t testing.TB, change ...func(*Config)) *world {
	t.Helper()
	w := newWorldWithout(t)
	w.startEngine(change...)
	return w
}

// newWorldWithout is newWorld before its engine starts.
func newWorldWithout(t testing.TB) *world {
	t.Helper()
	before := goleak.IgnoreCurrent()
	gorm := goleak.IgnoreAnyFunction("gorm.io/gorm/internal/lru.NewLRU[...].func1") // gorm never ends the sweeper of its statement cache
	t.Cleanup(func() { goleak.VerifyNone(t, before, gorm) })
	w := &world{t: t, dir: t.TempDir(), fake: fake.New(t, play), hub: &live.Hub{}}
	w.openStore()
	w.profile = w.newProfile()
	return w
}

func (w *world) openStore() {
	w.t.Helper()
	s, err := store.Open(w.t.Context(), w.dir, nil)
	w.must(err)
	w.store = s
	w.t.Cleanup(func() { _ = s.Close() })
	keyring, err := secrets.NewKeyring(app.NewSecret(instanceKey))
	w.must(err)
	w.access = access.New(access.Config{Store: s, Keyring: keyring, Hub: w.hub})
}

// startEngine starts one and waits for its first proofs.
func (w *world) startEngine(change ...func(*Config)) {
	w.t.Helper()
	w.launchEngine(change...)
	w.await("first proofs", func(h Health) bool {
		return !slices.ContainsFunc(h.Backends, func(b BackendHealth) bool { return b.Checking })
	})
}

func (w *world) launchEngine(change ...func(*Config)) {
	w.t.Helper()
	keyring, err := secrets.NewKeyring(app.NewSecret(instanceKey))
	w.must(err)
	cfg := Config{
		Store: w.store, Access: w.access, Keyring: keyring, Hub: w.hub, Gateway: egress.New(egress.Config{}),
		Log: slog.New(slog.NewTextHandler(w.t.Output(), nil)), Sandboxes: []Sandbox{{Name: "fake", Backend: w.fake}}, Workers: 2, Pool: 2,
	}
	for _, f := range change {
		f(&cfg)
	}
	e := New(cfg)
	w.Engine = e
	w.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		if err := e.Close(ctx); err != nil {
			w.t.Errorf("close: %v", err)
		}
	})
	w.must(e.Start(w.t.Context()))
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// newProfile makes a locked profile as agent and person would.
func (w *world) newProfile(hosts ...string) app.Profile {
	w.t.Helper()
	ctx := w.t.Context()
	for _, c := range []access.CredentialInput{
		{Name: "API_KEY", Mode: app.ModeInjected, Value: app.NewSecret(secretValue)},
		{Name: "DB_HOST", Mode: app.ModePlain, Value: app.NewSecret("db.example.com")},
	} {
		_, err := w.access.SetCredential(ctx, person, c)
		w.must(err)
	}
	p, err := w.access.CreateProfile(ctx, person, "test profile")
	w.must(err)
	_, err = w.access.AddKeys(ctx, person, p.Handle, []app.Key{{Name: "API_KEY"}, {Name: "DB_HOST"}})
	w.must(err)
	for _, name := range []string{"API_KEY", "DB_HOST"} {
		_, err = w.access.LinkKey(ctx, person, p.Handle, name, name)
		w.must(err)
	}
	var list []app.Host
	for _, h := range hosts {
		host, err := app.ParseHost(h)
		w.must(err)
		host.Private = true
		list = append(list, host)
	}
	_, err = w.access.SetHosts(ctx, person, p.Handle, list, nil)
	w.must(err)
	locked, err := w.access.Lock(ctx, person, p.Handle, time.Time{})
	w.must(err)
	return locked
}

// submit sends a script under the world's profile.
func (w *world) submit(script string) app.Execution {
	w.t.Helper()
	x, replayed, err := w.Submit(w.t.Context(), Submission{ProfileID: w.profile.ID, Script: script, By: agent})
	w.must(err)
	if replayed || x.Status == "" || x.ID == "" {
		w.t.Fatalf("submitted: %+v, replayed %v", x, replayed)
	}
	return x
}

// until waits for the end or a question, which must be in the status.
func (w *world) until(x app.Execution, status app.Status) app.Execution {
	w.t.Helper()
	x, err := w.Await(w.t.Context(), x.ID, 20*time.Second)
	w.must(err)
	if x.Status != status {
		w.t.Fatalf("status %s, want %s: %s", x.Status, status, x.Error)
	}
	return x
}

// finished submits and waits for the end.
func (w *world) finished(script string, status app.Status) (app.Execution, app.Output) {
	w.t.Helper()
	x := w.until(w.submit(script), status)
	out, err := w.Output(w.t.Context(), x.Handle)
	w.must(err)
	return x, out
}

// untilStatus waits until the execution has the status, whatever it is.
func (w *world) untilStatus(x app.Execution, status app.Status) app.Execution {
	w.t.Helper()
	nudges := w.cfg.Hub.Subscribe(live.Execution(x.Handle))
	defer nudges.Close()
	limit := time.After(20 * time.Second)
	for {
		x, err := w.ByHandle(w.t.Context(), x.Handle)
		w.must(err)
		if x.Status == status {
			return x
		}
		select {
		case <-nudges.C():
		case <-limit:
			w.t.Fatalf("status %s, want %s: %s", x.Status, status, x.Error)
		}
	}
}

// wantCode fails unless err has the code.
func wantCode(t *testing.T, err error, code app.Code) {
	t.Helper()
	if got := app.CodeOf(err); got != code {
		t.Fatalf("error %v has the code %q, want %q", err, got, code)
	}
}

var _ plugins.Sandbox = (*fake.Backend)(nil)
