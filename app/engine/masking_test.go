package engine

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/redact"
)

// TestLongScriptsAreMaskedInTurns: a hundred long scripts that one profile submits at once don't keep that of another waiting, and no more of them wait than may: each costs up to
// two seconds of a processor.
func TestLongScriptsAreMaskedInTurns(t *testing.T) {
	var held atomic.Int64
	gate := make(chan struct{})
	w := newWorld(t, func(c *Config) {
		c.Queue, c.QueuePerProfile = 1000, 1000
		c.Patterns = func(text string) []redact.Match {
			if strings.Contains(text, "# many") {
				held.Add(1)
				<-gate
			}
			return nil
		}
	})
	long := func(word string) string { return "result 1\nprint # " + word + strings.Repeat(" x", dearScript/2) }
	var all sync.WaitGroup
	var refused, taken atomic.Int64
	for range 100 {
		all.Go(func() {
			switch _, _, err := w.Submit(t.Context(), Submission{ProfileID: w.profile.ID, Script: long("many"), By: agent}); app.CodeOf(err) {
			case "":
				taken.Add(1)
			case app.CodeQueueFull:
				refused.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	half := int64(maskedAtOnce()+1) / 2
	may := half + maskingQueue/2 // half of the turns, and of the places to wait for one
	within(t, func() bool { return refused.Load() == 100-may && held.Load() == half })
	w.until(w.submitUnder(w.newProfile(), long("one")), app.StatusCompleted)
	close(gate)
	all.Wait()
	if taken.Load() != may || w.masking.Taken() != 0 {
		t.Errorf("%d were taken, want %d; %d turns are left", taken.Load(), may, w.masking.Taken())
	}
}
