package executions

import (
	"testing"
	"time"

	"github.com/computclaw/airlock/store"
)

func TestFiguresSumUpProfiles(t *testing.T) {
	t.Parallel()
	f := figures([]store.Usage{
		{ProfileHandle: "a", Completed: 1, Started: 1, RunTime: time.Second,
			Durations: []store.Duration{{Ran: time.Second, Times: 1}}},
		{ProfileHandle: "b", Error: 1, Started: 1, RunTime: 3 * time.Second,
			Durations: []store.Duration{{Ran: 3 * time.Second, Times: 1}}},
		{ProfileHandle: "a", Cancelled: 2},
	})
	if f.Runs != 4 || f.Failed != 1 || f.Average != 2*time.Second || f.P95 != 3*time.Second ||
		f.ErrorRate() != 0.25 {
		t.Errorf("%+v", f)
	}
	if f := figures(nil); f.P95 != 0 || f.ErrorRate() != 0 {
		t.Errorf("of nothing: %+v", f)
	}
}
