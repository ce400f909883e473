package docker

import (
	"slices"
	"strings"
	"testing"

	"github.com/computclaw/airlock/plugins/docker/dockertest"
)

// A rootless engine can't make devices and mounts them instead: that was taken for files of the host, so that none ever passed. What it can't do where the kernel's
// groups are not handed down to it is to hold limits, and for that alone it is refused then.
func TestRootlessEngine(t *testing.T) {
	d := dockertest.NewRootless(t)
	if err := d.Import(testImage, base); err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, map[string]string{"host": d.Host(), "image": testImage})
	r, err := w.Check(t.Context(), w.cfg)
	if err != nil || len(r.Controls) == 0 {
		t.Fatalf("%v: %s", err, r.Reason)
	}
	t.Cleanup(func() {
		w.install(nil)
		w.Close()
	})
	limits := []string{"memory is limited", controlPids, controlCPU}
	held := true
	for _, c := range r.Controls {
		switch {
		case c.Proved || c.NotApplicable:
		case slices.Contains(limits, c.Name):
			held = false
			if !strings.Contains(c.Fix, "rootless") || c.Name != controlCPU && !strings.Contains(r.Reason, c.Fix) {
				t.Errorf("the operator isn't told what to do: %+v, %s", c, r.Reason)
			}
		default:
			t.Errorf("%s: %s", c.Name, c.Detail)
		}
	}
	if r.Ready && !held {
		t.Error("it is used without limits")
	}
}
