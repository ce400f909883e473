package enginetest

import (
	"testing"

	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/app/guest/guesttest"
	"github.com/computclaw/airlock/app/sandbox"
	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/fake"
)

// NewWithBackends starts an engine with a fake backend per report, which are returned by name.
func NewWithBackends(
	t testing.TB, change func(*engine.Config), reports ...plugins.Report,
) (*World, map[string]*fake.Backend) {
	t.Helper()
	w := NewUnstarted(t)
	boxes := map[string]*fake.Backend{}
	w.StartEngine(func(c *engine.Config) {
		c.Sandboxes = nil
		for _, r := range reports {
			boxes[r.Name] = fake.New(t, guesttest.Play)
			boxes[r.Name].SetReport(r)
			c.Sandboxes = append(c.Sandboxes, sandbox.BackendConfig{Name: r.Name, Backend: boxes[r.Name]})
		}
		if change != nil {
			change(c)
		}
	})
	return w, boxes
}

// Passes is the report of a backend that passes its proof.
func Passes(name string, tier plugins.Tier) plugins.Report {
	return plugins.Report{Name: name, Ready: true, Tier: tier, Runtime: name + "-root"}
}
