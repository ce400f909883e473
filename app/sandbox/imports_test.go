package sandbox_test

import (
	"slices"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/app/engine/enginetest"
	"github.com/computclaw/airlock/plugins"
)

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
