package bubblewrap

import (
	"testing"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/sandboxtest"
)

func TestProbeFindsHoles(t *testing.T) {
	backend := New(WithGuest(sandboxtest.Guest(t)))
	if err := backend.prepare(); err != nil {
		t.Fatal(err)
	}
	allowAll := []byte{0x06, 0, 0, 0, 0, 0, 0xff, 0x7f} // return SECCOMP_RET_ALLOW
	tests := []struct {
		name  string
		hole  func(h *host)
		found []string
	}{
		{"none", func(*host) {}, nil},
		{
			"no filter", func(h *host) { h.filter = allowAll },
			[]string{"kernel surface is closed", "no other sockets", "no new namespaces"},
		},
		{
			"a directory of the host",
			func(h *host) { h.layout.binds = append(h.layout.binds, [2]string{"/var", "/var"}) },
			[]string{"host files are hidden"},
		},
		{
			"the host's cgroups", func(h *host) { h.layout.binds = append(h.layout.binds, [2]string{"/sys", "/sys"}) },
			[]string{"host files are hidden", "no control groups"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h, err := backend.inspect(t.Context(), settings{root: "/", limits: limitsAuto}, "test-holes")
			if err != nil {
				t.Fatal(err)
			}
			tt.hole(h)
			controls, err := kind{h, true}.probe(t.Context(), []string{"/var", "/root"})
			if err != nil {
				t.Fatal(err)
			}
			broken := map[string]plugins.Control{}
			for _, c := range controls {
				if !c.Proved {
					broken[c.Name] = c
				}
			}
			for _, name := range tt.found {
				if _, found := broken[name]; !found {
					t.Errorf("the probe missed that %q doesn't hold", name)
				}
				delete(broken, name)
			}
			for _, c := range broken {
				t.Errorf("%s: %s", c.Name, c.Detail)
			}
		})
	}
}
