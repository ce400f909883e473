package sandbox_test

import (
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/app/engine/enginetest"
	"github.com/computclaw/airlock/plugins"
)

// A profile's scripts run where it requires, or not at all.
func TestPlacement(t *testing.T) {
	t.Parallel()
	images := enginetest.Passes("b", plugins.TierRestricted)
	images.Images = map[string]string{"data:1": "sha256:data"}
	w, boxes := yard(t, nil, enginetest.Passes("a", plugins.TierFull), images, fails("c"))
	if got := strings.Join(inUse(w.Health()), " "); got != "a b" {
		t.Fatalf("in use %q", got)
	}
	for _, tt := range []struct {
		place                  app.Placement
		backend, runtime, says string
	}{
		{app.Placement{}, "a", "a-root", ""},
		{app.Placement{Backend: "b"}, "b", "b-root", ""},
		{app.Placement{Image: "data:1"}, "b", "sha256:data", ""},
		{app.Placement{MinTier: "restricted", Backend: "b"}, "b", "b-root", ""},
		{app.Placement{MinTier: "full"}, "a", "a-root", ""},
		{app.Placement{MinTier: "full", Backend: "b"}, "", "", "requires the sandbox backend b with isolation full"},
		{app.Placement{Backend: "c"}, "", "", "c, which is not in use"},
		{app.Placement{Backend: "docker"}, "", "", "docker, which is not configured here"},
		{app.Placement{Image: "other"}, "", "", "the image other, which no fitting"},
		{app.Placement{Image: "data:1", MinTier: "full"}, "", "", "no fitting sandbox backend"},
	} {
		w.Require(tt.place)
		status := app.StatusCompleted
		if tt.says != "" {
			status = app.StatusError
		}
		x, _ := w.Finished("result 1", status)
		x, err := w.Reader.ByHandle(t.Context(), x.Handle)
		w.Must(err)
		if x.Backend != tt.backend || x.Manifest.Runtime != tt.runtime || !strings.Contains(x.Error, tt.says) ||
			strings.Contains(x.Error, "broken here") {
			t.Errorf("%+v ran in %q on %q: %s", tt.place, x.Backend, x.Manifest.Runtime, x.Error)
		}
		if tt.says != "" && !x.StartedAt.IsZero() {
			t.Errorf("%+v started", tt.place)
		}
	}
	opened := boxes["b"].Opened()
	if len(opened) != 3 || opened[1].Runtime != "data:1" {
		t.Errorf("boxes of b: %+v", opened)
	}
}

// The manifest went on naming the image that a name stood for before it was proved again.
func TestManifestNamesTheImageAsProvedLast(t *testing.T) {
	t.Parallel()
	report := func(id string) plugins.Report {
		r := enginetest.Passes("a", plugins.TierFull)
		r.Images = map[string]string{"data:1": id}
		return r
	}
	w, boxes := yard(t, func(c *engine.Config) { c.Pool = -1 }, report("sha256:1"))
	w.Require(app.Placement{Image: "data:1"})
	for _, id := range []string{"sha256:1", "sha256:2"} {
		boxes["a"].SetReport(report(id))
		w.Must(w.Sandboxes.Prove(t.Context(), "a"))
		if x, _ := w.Finished("result 1", app.StatusCompleted); x.Manifest.Runtime != id {
			t.Errorf("runtime %q, want %q", x.Manifest.Runtime, id)
		}
	}
}
