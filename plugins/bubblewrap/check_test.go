package bubblewrap

import (
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/probe"
	"github.com/computclaw/airlock/plugins/sandboxtest"
)

func TestBusyHostProvesNoLimit(t *testing.T) {
	for range 2 * runtime.NumCPU() {
		busy := exec.Command("/bin/sh", "-c", "while :; do :; done")
		busy.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
		if err := busy.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = busy.Process.Kill()
			_ = busy.Wait()
		})
	}
	cfg := plugins.Config{Instance: "test-busy", Settings: map[string]string{"limits": limitsPolled}}
	r, err := New(WithGuest(sandboxtest.Guest(t))).Check(t.Context(), cfg)
	if err != nil || !r.Ready {
		t.Fatalf("%v, %+v", err, r)
	}
	i := slices.IndexFunc(r.Controls, func(c plugins.Control) bool { return c.Name == probe.ControlCPU })
	if i < 0 || r.Controls[i].Proved || r.Controls[i].Fix == "" {
		t.Errorf("%+v", r.Controls)
	}
	if how, told := r.Enforced["cpu"]; how != "" || !told {
		t.Errorf("%v doesn't say that processor time isn't limited", r.Enforced)
	}
}

func TestUnready(t *testing.T) {
	client, cfg := sandboxtest.Open(t, Name, nil)
	for name, tt := range map[string]struct {
		settings map[string]string
		want     string
	}{
		"unknown setting": {map[string]string{"limts": "polled"}, "unknown setting"},
		"no bwrap":        {map[string]string{"bwrap": "/nonexistent/bwrap"}, "bwrap"},
		"bwrap fails":     {map[string]string{"bwrap": "/bin/false"}, "--version"},
		"no runtime":      {map[string]string{"root": "/nonexistent"}, "usr"},
		"no cgroup":       {map[string]string{"cgroup": "/nonexistent"}, "Leave out the settings limits and cgroup"},
	} {
		t.Run(name, func(t *testing.T) {
			cfg.Settings = tt.settings
			r, err := client.Check(t.Context(), cfg)
			if err != nil {
				t.Fatal(err)
			}
			if r.Ready || r.Tier != plugins.TierNone || !strings.Contains(r.Reason, tt.want) {
				t.Errorf("%+v, want a reason with %q", r, tt.want)
			}
			if _, err := client.Run(t.Context(), plugins.Spec{ID: "x"}, strings.NewReader(""),
				&strings.Builder{}); err == nil {
				t.Error("an unready backend ran a box")
			}
		})
	}
}
