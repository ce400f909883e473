package sandbox_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/app/engine/enginetest"
	"github.com/computclaw/airlock/plugins"
)

// TestFreshBoxes: a profile that requires fresh boxes never gets a forked one. Without forks it
// shares the ready boxes.
func TestFreshBoxes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		runtime   string
		templates bool
		fresh     bool // the backend is asked for one
		says      string
	}{
		{"forked", true, true, ""},
		{"always forked", true, true, "no sandbox became available"},
		{"", false, false, ""},
	} {
		report := enginetest.Passes("a", plugins.TierFull)
		report.Templates = tt.templates
		w, boxes := yard(t, func(c *engine.Config) { c.Pool, c.Runtime = -1, tt.runtime }, report)
		w.Finished("result 1", app.StatusCompleted)
		w.Require(app.Placement{Fresh: true})
		status := app.StatusCompleted
		if tt.says != "" {
			status = app.StatusError
		}
		x, _ := w.Finished("result 1", status)
		x, err := w.Reader.ByHandle(t.Context(), x.Handle)
		w.Must(err)
		if !strings.Contains(x.Error, tt.says) {
			t.Errorf("%q: %s", tt.runtime, x.Error)
		}
		for i, spec := range boxes["a"].Opened() {
			if spec.Fresh != (tt.fresh && i > 0) {
				t.Errorf("%q: box %d: %+v", tt.runtime, i, spec)
			}
		}
	}
}

// TestBoxesThatAreNotForkedAreTold: a template that isn't ready is reported.
func TestBoxesThatAreNotForkedAreTold(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		runtime           string
		templates, afresh bool
	}{{"forked", true, false}, {"", true, true}, {"", false, false}} {
		report := enginetest.Passes("a", plugins.TierFull)
		report.Templates = tt.templates
		w, _ := yard(t, func(c *engine.Config) { c.Pool, c.Runtime = -1, tt.runtime }, report)
		w.Finished("result 1", app.StatusCompleted)
		w.Require(app.Placement{Fresh: true})
		w.Finished("result 1", app.StatusCompleted) // which says nothing of the template
		if got := w.Health().Backends[0].Afresh; got != tt.afresh {
			t.Errorf("%+v: %v", tt, got)
		}
	}
}

// TestBoxesWantWhatTheOperatorNames, whoever's they are.
func TestBoxesWantWhatTheOperatorNames(t *testing.T) {
	t.Parallel()
	want := []string{"csv", "numpy"}
	w, boxes := yard(t, func(c *engine.Config) { c.Pool, c.Imports = -1, want },
		enginetest.Passes("a", plugins.TierFull))
	w.Finished("result 1", app.StatusCompleted)
	opened := boxes["a"].Opened()
	if len(opened) == 0 {
		t.Fatal("no box was opened")
	}
	for _, spec := range opened {
		if !slices.Equal(spec.Imports, want) {
			t.Errorf("%+v", spec)
		}
	}
}
