package dashboardview

import (
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
)

// TestBarsLeadToTheirRuns of their UTC days, and counts to the period's runs with their status.
func TestBarsLeadToTheirRuns(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 11, 26, 0, 0, 0, 0, time.UTC)
	u := Usage{Period: Periods()[1], Usage: app.Usage{Bars: []app.UsageBar{
		{Start: day.Add(-6 * time.Hour), Counts: map[app.Status]int64{app.StatusError: 2}}, {Start: day},
	}}}
	for i, want := range []string{"from=2026-11-25&to=2026-11-25", "from=2026-11-26&to=2026-11-26"} {
		if got := columns(u)[i].url; got != "/ui/executions?"+want {
			t.Errorf("bar %d leads to %s", i, got)
		}
	}
	got := runsURL(day.Add(-6*time.Hour), day.Add(6*time.Hour), app.StatusError)
	if got != "/ui/executions?from=2026-11-25&status=error&to=2026-11-26" {
		t.Errorf("the count leads to %s", got)
	}
}
