package docker

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/moby/moby/api/types/container"

	"github.com/computclaw/airlock/plugins"
)

func TestProbeFindsHoles(t *testing.T) {
	w := newWorld(t, sharedSettings())
	w.ready(t)
	tests := []struct {
		name  string
		hole  func(*container.Config, *container.HostConfig)
		found []string
	}{
		{"none", func(*container.Config, *container.HostConfig) {}, nil},
		{
			"no filter", func(_ *container.Config, h *container.HostConfig) {
				h.SecurityOpt = []string{"no-new-privileges", "seccomp=unconfined"}
			},
			[]string{"kernel surface is closed", "no other sockets", "no new namespaces"},
		},
		{
			"a directory of the host",
			func(_ *container.Config, h *container.HostConfig) { h.Binds = []string{"/var:/host"} },
			[]string{"host files are hidden"},
		},
		{
			"what engines mount by themselves", func(_ *container.Config, h *container.HostConfig) {
				for path := range h.Tmpfs {
					if path != "/tmp" {
						delete(h.Tmpfs, path)
					}
				}
			},
			[]string{"no control groups", "no devices and terminals"},
		},
		{
			"a writable root and programs in tmp", func(_ *container.Config, h *container.HostConfig) {
				h.ReadonlyRootfs = false
				h.Tmpfs["/tmp"] = "rw,exec,size=2m,mode=1777"
			},
			[]string{"host files are hidden", "tmp holds no programs"},
		},
		{
			"root", func(c *container.Config, h *container.HostConfig) { c.User, h.CapDrop = "0:0", nil },
			[]string{"user is nobody without capabilities"},
		},
		{
			"an environment", func(c *container.Config, _ *container.HostConfig) { c.Env = []string{"SECRET=x"} },
			[]string{"environment is empty"},
		},
		{
			"the host's network",
			func(_ *container.Config, h *container.HostConfig) { h.NetworkMode, h.Sysctls = "host", nil },
			[]string{"no network"},
		},
		{
			"the host's processes", func(_ *container.Config, h *container.HostConfig) { h.PidMode = "host" },
			[]string{"other processes are hidden"},
		},
		{
			"no limits", func(_ *container.Config, h *container.HostConfig) {
				h.Resources = container.Resources{}
				h.Tmpfs["/tmp"] = "rw,noexec,mode=1777"
			},
			[]string{"processes are limited", "tmp is limited", "open files are limited"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := *w.checked()
			h.hole = tt.hole
			controls, err := h.probe(t.Context(), []string{})
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
			}
			if tt.found == nil && len(broken) > 0 {
				t.Errorf("found holes in a box that has none: %v", broken)
			}
		})
	}
}

// A busy engine reported the end of the box before the reason, so a held limit counted as missing.
func TestLimitIsProvedByTheEnd(t *testing.T) {
	for name, c := range map[string]struct {
		exit plugins.Exit
		held bool
	}{
		"told why":         {plugins.Exit{Code: -1, Signal: 9, Reason: plugins.ReasonOOM}, true},
		"not told":         {plugins.Exit{Code: 137, Reason: plugins.ReasonExit}, true},
		"nothing held it":  {plugins.Exit{Reason: plugins.ReasonExit}, false},
		"Python gave up":   {plugins.Exit{Code: 1, Reason: plugins.ReasonExit}, false},
		"we ended the box": {plugins.Exit{Code: -1, Signal: 9, Reason: plugins.ReasonKilled}, false},
	} {
		if ending, held := memoryLimited(c.exit); held != c.held {
			t.Errorf("%s: held %v, %s", name, held, ending)
		}
	}
}

func TestNoMemoryLimit(t *testing.T) {
	w := newWorld(t, sharedSettings())
	w.ready(t)
	h := *w.checked()
	h.hole = func(_ *container.Config, h *container.HostConfig) { h.Memory, h.MemorySwap = 0, 0 }
	if _, memory, err := h.proveLimits(t.Context()); err != nil || memory.Proved || memory.Fix == "" {
		t.Errorf("%+v, %v", memory, err)
	}
}

// TestNoProcessorLimit removes the limit on a busy host, where a small share alone proves nothing.
func TestNoProcessorLimit(t *testing.T) {
	w := newWorld(t, sharedSettings())
	w.ready(t)
	for n := range 2 * runtime.NumCPU() {
		w.start(t.Context(), t, fmt.Sprintf("busy%d", n), python("print('up', flush=True)\nwhile True: pass"))
	}
	h := *w.checked()
	// Beside still more load the box doesn't reach its limit, and the probe says so.
	cpu, _, err := h.proveLimits(t.Context())
	if err != nil || !cpu.Proved && !strings.Contains(cpu.Detail, "too busy") {
		t.Errorf("with the limit: %+v, %v", cpu, err)
	}
	h.hole = func(_ *container.Config, h *container.HostConfig) { h.CPUPeriod, h.CPUQuota, h.CPUShares = 0, 0, 100 }
	cpu, _, err = h.proveLimits(t.Context())
	if err != nil || cpu.Proved || cpu.Fix == "" {
		t.Errorf("without: %+v, %v", cpu, err)
	}
	t.Log(cpu.Detail)
}
