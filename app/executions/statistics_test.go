package executions

import (
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/store"
)

// Each bar has the run times of its period, over all profiles.
func TestBarsHaveTheirOwnRunTimes(t *testing.T) {
	t.Parallel()
	from := time.Date(2026, 11, 26, 0, 0, 0, 0, time.UTC)
	all := bars(Day24(), from, []store.Usage{
		{ProfileHandle: "a", Start: from, Completed: 1, Started: 1, RunTime: time.Second,
			Durations: []store.Duration{{Ran: time.Second, Times: 1}}},
		{ProfileHandle: "b", Start: from, Error: 1, Started: 1, RunTime: 3 * time.Second,
			Durations: []store.Duration{{Ran: 3 * time.Second, Times: 1}}},
		{ProfileHandle: "a", Start: from.Add(5 * time.Hour), Completed: 2, Started: 2, RunTime: 200 * time.Millisecond,
			Durations: []store.Duration{{Ran: 100 * time.Millisecond, Times: 2}}},
	})
	if len(all) != 24 || all[0].Average != 2*time.Second || all[0].P95 != 3*time.Second ||
		all[5].Average != 100*time.Millisecond || all[5].P95 != 100*time.Millisecond || all[1].P95 != 0 {
		t.Errorf("%+v", all)
	}
	if all[0].Counts[app.StatusCompleted] != 1 || all[0].Counts[app.StatusError] != 1 || len(all[1].Counts) != 0 {
		t.Errorf("counts %v", all[0].Counts)
	}
}
