package docker

import (
	"bufio"
	"context"
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
	"sync"
	"testing"
)

// allowedCalls is what operators let through a socket proxy for us: containers, images and commit,
// whatever the method, and nothing else.
var allowedCalls = regexp.MustCompile(`^/v1\.[0-9]+/(containers|images|commit)(/|$)`)

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
