package docker

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/docker/dockertest"
	"github.com/computclaw/airlock/plugins/sandboxtest"
)

// world is a backend in this process, with the test guest in its boxes.
type world struct {
	*Backend
	cfg plugins.Config
}

func newWorld(t *testing.T, settings map[string]string) *world {
	t.Helper()
	return &world{Backend: New(WithGuest(sandboxtest.Guest(t))),
		cfg: plugins.Config{Instance: instance(t), Settings: settings}}
}

// instance is a label that no other test has.
func instance(t *testing.T) string {
	return "test-" + strings.ToLower(strings.NewReplacer("/", "-", "_", "-").Replace(t.Name()))
}

// ready checks the backend, which must be fine.
func (w *world) ready(t *testing.T) plugins.Report {
	t.Helper()
	r, err := w.Check(t.Context(), w.cfg)
	if err != nil || !r.Ready {
		t.Fatalf("check: %v, %s", err, r.Reason)
	}
	t.Cleanup(func() { _ = w.Close() })
	return r
}

func (w *world) checked() *host {
	h, _ := w.Backend.ready.Host(Name)
	return h
}

// unready checks the backend and returns why it can't be used.
func (w *world) unready(t *testing.T) string {
	t.Helper()
	r, err := w.Check(t.Context(), w.cfg)
	if err != nil || r.Ready || r.Reason == "" || r.Tier != plugins.TierNone {
		t.Fatalf("check: %+v, %v", r, err)
	}
	return r.Reason
}

func (w *world) do(t *testing.T, spec plugins.Spec, o sandboxtest.Order) (string, plugins.Exit, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	return w.doWithin(ctx, t, spec, o)
}

func (w *world) doWithin(ctx context.Context, t *testing.T, spec plugins.Spec, o sandboxtest.Order) (string,
	plugins.Exit, error) {
	t.Helper()
	if spec.ID == "" {
		spec.ID = "box"
	}
	line, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	stdin, end := io.Pipe()
	defer end.Close()
	var out bytes.Buffer
	exit, err := w.Run(ctx, spec, io.MultiReader(bytes.NewReader(append(line, '\n')), stdin), &out)
	return out.String(), exit, err
}

type outcome struct {
	exit plugins.Exit
	err  error
}

// start runs an order in the background. The first line of its output is awaited.
func (w *world) start(ctx context.Context, t *testing.T, id string, o sandboxtest.Order) <-chan outcome {
	t.Helper()
	line, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	stdin, end := io.Pipe()
	t.Cleanup(func() { end.Close() })
	out, stdout := io.Pipe()
	done := make(chan outcome, 1)
	go func() {
		exit, err := w.Run(ctx, plugins.Spec{ID: id}, io.MultiReader(bytes.NewReader(append(line, '\n')), stdin),
			stdout)
		stdout.Close()
		done <- outcome{exit, err}
	}()
	if _, err := out.Read(make([]byte, 16)); err != nil {
		t.Fatalf("no output: %v, %+v", err, <-done)
	}
	return done
}

func python(code string) sandboxtest.Order {
	return sandboxtest.Order{Argv: []string{"/usr/bin/env", "python3", "-s", "-B", "-c", code}}
}

const sleeper = "import time; print('up', flush=True); time.sleep(1000)"

// leftovers lists the containers that an instance still has on an engine.
func leftovers(tb testing.TB, d *dockertest.Engine) func(instance string) []string {
	return func(instance string) []string { return d.Containers(tb, labelInstance+"="+instance) }
}

// settled is leftovers after what is being removed has been.
func settled(tb testing.TB, d *dockertest.Engine) func(instance string) []string {
	list := leftovers(tb, d)
	return func(instance string) (found []string) {
		for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
			if found = list(instance); len(found) == 0 || time.Now().After(deadline) {
				return found
			}
		}
	}
}

func noneLeft(t *testing.T, d *dockertest.Engine, instance string) {
	t.Helper()
	for _, left := range settled(t, d)(instance) {
		t.Error("left:", left)
	}
}

// allowedCalls matches the documented rights for a socket proxy: containers, images and commit,
// with any method.
var allowedCalls = regexp.MustCompile(`^/_ping$|^/v1\.[0-9]+/(containers|images|commit)(/|$)`)

// socketProxy stands before an engine as the usual proxies do.
type socketProxy struct {
	host   string
	engine string // path of the socket

	mu      sync.Mutex
	refused map[string]bool // paths
	before  func(*http.Request)
}

func startProxy(t *testing.T, engine string) *socketProxy {
	t.Helper()
	dir, err := os.MkdirTemp("", "proxy-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	path := filepath.Join(dir, "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	p := &socketProxy{host: "unix://" + path, engine: engine, refused: map[string]bool{}}
	server := &http.Server{Handler: p}
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { server.Close() })
	return p
}

// delay makes the proxy call before ahead of every call that it lets pass.
func (p *socketProxy) delay(before func(*http.Request)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.before = before
}

func (p *socketProxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	before := p.before
	p.mu.Unlock()
	if before != nil {
		before(r)
	}
	if !allowedCalls.MatchString(r.URL.Path) {
		p.mu.Lock()
		p.refused[r.URL.Path] = true
		p.mu.Unlock()
		http.Error(w, "<html><body><h1>403 Forbidden</h1>\nRequest forbidden by administrative rules.\n</body></html>",
			http.StatusForbidden)
		return
	}
	if r.Header.Get("Upgrade") != "" {
		p.tunnel(w, r)
		return
	}
	forward := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: "engine"})
	forward.FlushInterval = -1
	transport := &http.Transport{DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", p.engine)
		}}
	forward.Transport = transport
	forward.ServeHTTP(w, r)
}

// tunnel passes an upgraded connection through, each direction ending by itself.
func (p *socketProxy) tunnel(w http.ResponseWriter, r *http.Request) {
	up, err := net.Dial("unix", p.engine)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer up.Close()
	if err := r.Write(up); err != nil {
		return
	}
	down, buffered, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	defer down.Close()
	var both sync.WaitGroup
	relay := func(dst net.Conn, src io.Reader) {
		_, _ = io.Copy(dst, src)
		_ = dst.(*net.UnixConn).CloseWrite()
	}
	both.Go(func() { relay(up, bufio.NewReader(buffered)) })
	both.Go(func() { relay(down, up) })
	both.Wait()
}

// refusals lists what was asked for in vain.
func (p *socketProxy) refusals() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Sorted(maps.Keys(p.refused))
}
