package executions_test

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/app/engine/enginetest"
	"github.com/computclaw/airlock/app/executions"
	"github.com/computclaw/airlock/app/redact"
)

// TestHoleMaskingTakesTurns: one profile's long skills and scripts must not take all processors.
func TestHoleMaskingTakesTurns(t *testing.T) {
	t.Parallel()
	var held atomic.Int64
	gate := make(chan struct{})
	w := newWorld(t, func(c *engine.Config) {
		c.Workers = 4 // so two long texts are masked at once, and one of a profile
		c.Patterns = func(text string) []redact.Match {
			if strings.Contains(text, "# many") {
				held.Add(1)
				<-gate
			}
			return nil
		}
	})
	padding := strings.Repeat(" x", 64<<10)
	mask := func(p app.Profile, text string) error {
		_, _, err := w.Submitter.Mask(t.Context(), p, []string{text, padding})
		return err
	}
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			if err := mask(w.Profile, "# many"); err != nil {
				t.Error(err)
			}
			_, _, err := w.Submitter.Submit(t.Context(), executions.Submission{ProfileID: w.Profile.ID,
				Script: "result 1\n# many" + padding, By: enginetest.Agent})
			if err != nil {
				t.Error(err)
			}
		})
	}
	enginetest.Within(t, func() bool { return held.Load() == 1 })
	other := w.NewProfile()
	if err := mask(other, "one"); err != nil || held.Load() != 1 {
		t.Errorf("another profile: %v; of the first %d are masked at once", err, held.Load())
	}
	w.Until(w.SendUnder(other, "result 1\nprint "+padding), app.StatusCompleted)
	close(gate)
	all.Wait()
}
