package web

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/auth/authtest"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/app/egress"
	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/app/files/filestest"
	"github.com/computclaw/airlock/app/live"
	"github.com/computclaw/airlock/app/sandbox"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/plugins/fake"
	"github.com/computclaw/airlock/store/storetest"
)

const plantedSecret = "planted-s3cret-0123456789abcdef"

var person = app.Actor{Kind: app.ActorPerson, Name: "operator"}

// world runs the whole server on a real database. Its boxes hang until an execution is cancelled;
// cmd/airlock tests real ones.
type world struct {
	t      *testing.T
	server *httptest.Server
	web    *Server
	access *access.Parts
	engine *engine.Engine
	log    *syncBuffer
}

// syncBuffer is a buffer for concurrent logging and reading.
type syncBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

func newWorld(t *testing.T, change ...func(*Config, *access.Config, *engine.Config)) *world {
	t.Helper()
	w := &world{t: t, log: &syncBuffer{}}
	st := storetest.Open(t)
	ring, err := secrets.NewKeyring(app.NewSecret(strings.Repeat("k", 32)))
	w.must(err)
	hub, log := &live.Hub{}, slog.New(slog.NewTextHandler(w.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	desk := access.Config{HashCost: authtest.CheapHashes(t), Store: st, Keyring: ring, Hub: hub, AgentProfiles: true}
	motor := engine.Config{
		Store: st, Keyring: ring, Hub: hub, Log: log, Gateway: egress.New(egress.Config{}), Workers: 1, Pool: -1,
		Sandboxes: []sandbox.BackendConfig{{Name: "fake", Backend: fake.New(t, fake.Hang())}},
		Files:     filestest.New(t, t.TempDir(), st, ring),
	}
	cfg := Config{Hub: hub, Log: log, Version: "test", ProfilesPerMinute: 1000}
	for _, f := range change {
		f(&cfg, &desk, &motor)
	}
	w.access = access.New(desk)
	motor.Access = w.access
	w.engine = engine.New(motor)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		w.must(w.engine.Close(ctx))
	})
	startProved(t, w.engine)
	cfg.Access, cfg.Engine = w.access, w.engine
	w.web = New(cfg)
	w.server = httptest.NewServer(w.web.Handler())
	t.Cleanup(w.server.Close)
	return w
}

// startProved starts an engine and waits for its first proofs.
func startProved(t *testing.T, e *engine.Engine) {
	t.Helper()
	if err := e.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	for e.Health().Checking {
		if t.Context().Err() != nil {
			t.Fatal("the first proofs never ended")
		}
		runtime.Gosched()
	}
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	text   string
	json   map[string]any
}

// call sends a request; headers are "Name: value".
func (w *world) call(method, path, body string, headers ...string) answer {
	w.t.Helper()
	r, err := http.NewRequestWithContext(w.t.Context(), method, w.server.URL+path, strings.NewReader(body))
	w.must(err)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(r)
	w.must(err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	w.must(err)
	a := answer{status: resp.StatusCode, header: resp.Header, text: string(text)}
	_ = json.Unmarshal(text, &a.json)
	if strings.Contains(a.text, plantedSecret) {
		w.t.Errorf("%s %s: the answer holds the secret", method, path)
	}
	keepsContract(w.t, r, body, a)
	return a
}

func (a answer) code() string {
	detail, _ := a.json["error"].(map[string]any)
	code, _ := detail["code"].(string)
	return code
}

// refused checks an error's status, code, message, hint and headers.
func (w *world) refused(a answer, status int, code app.Code) {
	w.t.Helper()
	detail, _ := a.json["error"].(map[string]any)
	message, _ := detail["message"].(string)
	hint, _ := detail["hint"].(string)
	if a.status != status || a.code() != string(code) || message == "" || hint == "" {
		w.t.Errorf("got %d %s, want %d %s with message and hint", a.status, a.text, status, code)
	}
	if kind := a.header.Get("Content-Type"); kind != "application/json" {
		w.t.Errorf("content type %q", kind)
	}
	if a.header.Get("Cache-Control") != "no-store" {
		w.t.Error("the answer may be cached")
	}
}

func (w *world) profile() app.Profile {
	w.t.Helper()
	a := w.call("POST", "/profiles", `{"description":"test"}`)
	if a.status != http.StatusCreated {
		w.t.Fatalf("create: %d %s", a.status, a.text)
	}
	p, err := w.access.Profiles.ByID(w.t.Context(), a.json["profile_id"].(string))
	w.must(err)
	return p
}

// lockedProfile makes a locked profile with the key API_KEY.
func (w *world) lockedProfile() app.Profile {
	w.t.Helper()
	ctx := w.t.Context()
	_, err := w.access.Credentials.Set(ctx, person,
		credentials.Input{Name: "API_KEY", Mode: app.ModeInjected, Value: app.NewSecret(plantedSecret)})
	w.must(err)
	p := w.profile()
	_, err = w.access.Keys.Add(ctx, person, p.Handle, []app.Key{{Name: "API_KEY"}})
	w.must(err)
	_, err = w.access.Keys.Link(ctx, person, p.Handle, "API_KEY", "API_KEY")
	w.must(err)
	p, err = w.access.Lifecycle.Lock(ctx, person, p.Handle, time.Time{})
	w.must(err)
	return p
}

func (w *world) execution(p app.Profile) string {
	w.t.Helper()
	a := w.call("POST", "/execute", `{"profile_id":"`+p.ID+`","script":"1"}`)
	if a.status != http.StatusAccepted {
		w.t.Fatalf("execute: %d %s", a.status, a.text)
	}
	return a.json["execution_id"].(string)
}

func bearerOf(p app.Profile) string { return "Authorization: Bearer " + p.ID }
