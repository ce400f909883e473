package dashboardview

import (
	"strings"
	"testing"
	"time"
)

func TestLatencyColumns(t *testing.T) {
	t.Parallel()
	u := Usage{Period: Periods()[0], Bars: []UsageBar{
		{Average: 500 * time.Millisecond, P95: time.Second}, {}, {Average: time.Second, P95: 2 * time.Second},
	}}
	if got := slowest(u); got != 2*time.Second {
		t.Errorf("the slowest took %s", got)
	}
	got := latencyColumns(u)
	if len(got) != 3 || len(got[1].blocks) != 0 {
		t.Fatalf("%+v", got)
	}
	if b := got[2].blocks; b[0].class != "p95" || b[0].h != "108.0" || b[1].class != "average" || b[1].h != "54.0" ||
		got[0].blocks[0].h != "54.0" {
		t.Errorf("%+v", got)
	}
	if title := strings.ReplaceAll(got[2].title, "\u00a0", " "); !strings.HasSuffix(title, "average 1 s, 95th percentile 2 s") {
		t.Errorf("the title is %q", title)
	}
}
