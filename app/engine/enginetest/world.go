package enginetest

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
	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/app/files/filestest"
	"github.com/computclaw/airlock/app/guest/guesttest"
	"github.com/computclaw/airlock/app/live"
	"github.com/computclaw/airlock/app/sandbox"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/plugins/fake"
	"github.com/computclaw/airlock/store"
	"github.com/computclaw/airlock/store/storetest"
)

// Values of every World.
const (
	InstanceKey = "0123456789abcdef0123456789abcdef-test"
	SecretValue = "s3cr3t-value-00123456789" // of the credential API_KEY
)

// Who does something in tests.
var (
	Person = app.Actor{Kind: app.ActorPerson, Name: "operator"}
	Agent  = app.Actor{Kind: app.ActorAgent}
)

// World is an engine with everything around it.
type World struct {
	*engine.Engine
	T       testing.TB
	Dir     string
	Store   *store.Store
	Access  *access.Parts
	Profile app.Profile // locked, with API_KEY (injected) and DB_HOST (plain)
	Fake    *fake.Backend
	Hub     *live.Hub
	Config  engine.Config // of the engine that was started last
}

// Main runs a package's tests and fails if they leave goroutines behind.
func Main(m *testing.M) { goleak.VerifyTestMain(m) }

// New starts an engine on a new database whose boxes run players, unless change says otherwise.
func New(t testing.TB, change ...func(*engine.Config)) *World {
	t.Helper()
	w := NewUnstarted(t)
	w.StartEngine(change...)
	return w
}

// NewUnstarted is New before its engine starts.
func NewUnstarted(t testing.TB) *World {
	t.Helper()
	w := &World{T: t, Dir: t.TempDir(), Fake: fake.New(t, guesttest.Play), Hub: &live.Hub{}}
	w.OpenStore()
	w.Profile = w.NewProfile()
	return w
}

// OpenStore opens the database.
func (w *World) OpenStore() {
	w.T.Helper()
	w.Store = storetest.OpenIn(w.T, w.Dir, nil)
	w.Access = access.New(access.Config{Store: w.Store, Keyring: w.Keyring(), Hub: w.Hub})
}

// Keyring returns the instance's keyring.
func (w *World) Keyring() *secrets.Keyring {
	w.T.Helper()
	keyring, err := secrets.NewKeyring(app.NewSecret(InstanceKey))
	w.Must(err)
	return keyring
}

// StartEngine starts an engine and waits for its first proofs.
func (w *World) StartEngine(change ...func(*engine.Config)) {
	w.T.Helper()
	w.LaunchEngine(change...)
	w.AwaitHealth("first proofs", func(h engine.Health) bool {
		return !slices.ContainsFunc(h.Backends, func(b sandbox.BackendHealth) bool { return b.Checking })
	})
}

// LaunchEngine starts an engine, which the test's end closes.
func (w *World) LaunchEngine(change ...func(*engine.Config)) {
	w.T.Helper()
	w.Config = engine.Config{
		Store: w.Store, Access: w.Access, Keyring: w.Keyring(), Hub: w.Hub, Gateway: egress.New(egress.Config{}),
		Log:       slog.New(slog.NewTextHandler(w.T.Output(), nil)),
		Sandboxes: []sandbox.BackendConfig{{Name: "fake", Backend: w.Fake}}, Workers: 2, Pool: 2,
		Files: filestest.New(w.T, w.Dir, w.Store, w.Keyring()), Timeouts: app.DefaultTimeouts(),
	}
	for _, f := range change {
		f(&w.Config)
	}
	e := engine.New(w.Config)
	w.Engine = e
	w.T.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		if err := e.Close(ctx); err != nil {
			w.T.Errorf("close: %v", err)
		}
	})
	w.Must(e.Start(w.T.Context()))
}

// Must fails the test unless err is nil.
func (w *World) Must(err error) {
	w.T.Helper()
	if err != nil {
		w.T.Fatal(err)
	}
}

// WantCode fails the test unless err has the code.
func WantCode(t testing.TB, err error, code app.Code) {
	t.Helper()
	if got := app.CodeOf(err); got != code {
		t.Fatalf("error %v has the code %q, want %q", err, got, code)
	}
}

// Within fails the test unless done reports true in time.
func Within(t testing.TB, done func() bool) {
	t.Helper()
	for limit := time.Now().Add(20 * time.Second); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatal("it never happens")
		}
	}
}

// AwaitHealth waits until the engine's health is what is wanted.
func (w *World) AwaitHealth(what string, is func(engine.Health) bool) {
	w.T.Helper()
	for limit := time.Now().Add(20 * time.Second); !is(w.Health()); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(limit) {
			w.T.Fatalf("there never were %s: %+v", what, w.Health())
		}
	}
}

// AwaitSlots waits until so many run slots are free.
func (w *World) AwaitSlots(n int) {
	w.T.Helper()
	Within(w.T, func() bool { return w.Scheduler.FreeSlots() == n })
}

// AwaitWarm waits until so many boxes are ready.
func (w *World) AwaitWarm(n int) {
	w.T.Helper()
	w.AwaitHealth("warm boxes", func(h engine.Health) bool { return h.Warm == n })
}
