package executionview

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/app"
)

func TestTimelineOf(t *testing.T) {
	t.Parallel()
	at := func(ms int) time.Time { return time.UnixMilli(1700000000000 + int64(ms)) }
	x := app.Execution{Status: app.StatusCompleted, CreatedAt: at(0), StartedAt: at(100), FirstOutputAt: at(300),
		CompletedAt: at(1000), RunTime: 500 * time.Millisecond}
	s := timelineOf(x, []app.LLMExchange{{AskedAt: at(400), AnsweredAt: at(800)}}, at(5000))
	if diff := cmp.Diff([]stretch{{"queued", "0.0", "100.0"}, {"ran", "100.0", "900.0"}, {"asked", "400.0", "400.0"}},
		s.parts, cmp.AllowUnexported(stretch{})); diff != "" {
		t.Error(diff)
	}
	var moments []string
	for _, m := range s.moments {
		moments = append(moments, strings.ReplaceAll(m.after+" "+m.what, "\u00a0", " "))
	}
	want := []string{"0 ms sent", "+100 ms started, after 100 ms in the queue", "+300 ms first output",
		"+400 ms asked the LLM, answered after 400 ms", "+1 s completed, after running 500 ms"}
	if diff := cmp.Diff(want, moments); diff != "" {
		t.Error(diff)
	}
	x = app.Execution{Status: app.StatusAwaitingLLM, CreatedAt: at(0), StartedAt: at(100)}
	if s = timelineOf(x, []app.LLMExchange{{AskedAt: at(500)}}, at(1000)); s.finished || s.parts[2].w != "500.0" ||
		s.moments[2].what != "asked the LLM, waits" {
		t.Errorf("while it waits: %+v", s)
	}
	if s = timelineOf(app.Execution{Status: app.StatusCancelled, CreatedAt: at(0), CompletedAt: at(0)}, nil,
		at(0)); len(s.moments) != 2 {
		t.Errorf("cancelled in the queue: %+v", s)
	}
}
