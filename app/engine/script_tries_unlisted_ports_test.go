package engine_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/egress"
	"github.com/computclaw/airlock/app/engine"
)

// A script's child programs get a ledger row and a request for an unlisted port, too. Rows name the
// line that first asked for their host.
func TestRealUnlistedPorts(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(rw, "ok")
	}))
	t.Cleanup(server.Close)
	local := server.Listener.Addr().(*net.TCPAddr).AddrPort()
	w := realWorld(t, func(c *engine.Config) {
		c.Gateway = egress.New(egress.Config{LocalServices: map[string]netip.AddrPort{"data.example.com:80": local}})
	})
	w.Profile = w.NewProfile("data.example.com:80")
	x, out := w.Finished(`import requests, subprocess, socket, time
requests.get("http://data.example.com/a")
subprocess.run(["curl", "-s", "http://data.example.com:8443/"]); time.sleep(1)  # the box tells of it behind
try: socket.create_connection(("data.example.com", 9999))
except OSError: pass
subprocess.run(["curl", "-s", "https://curl.example.com/"])
`, app.StatusCompleted)
	network, err := w.Reader.Network(t.Context(), x.Handle)
	w.Must(err)
	var got []string
	for _, c := range network {
		got = append(got, fmt.Sprintf("%s:%d%s line %d x%d", c.Host, c.Port, c.Path, c.Line, c.Count))
	}
	want := []string{
		"data.example.com:80/a line 2 x1", "data.example.com:8443 line 0 x1", "data.example.com:9999 line 4 x1",
		"curl.example.com:0 line 0 x1",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s\nstderr %s", diff, out.Stderr)
	}
	p, err := w.Access.Profiles.ByHandle(t.Context(), w.Profile.Handle)
	w.Must(err)
	var asked []string
	for _, r := range p.Hosts {
		if !r.Allowed {
			asked = append(asked, fmt.Sprintf("%s %s", r.String(), r.Protocol))
		}
	}
	slices.Sort(asked)
	if diff := cmp.Diff([]string{"curl.example.com:443 ", "data.example.com:8443 https", "data.example.com:9999 "}, asked); diff != "" {
		t.Error(diff)
	}
}
