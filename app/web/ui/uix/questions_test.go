package uix

import (
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/store"
)

// TestUnansweredQuestionNeedsSomebody, also of a deleted profile, and leads to the question.
func TestUnansweredQuestionNeedsSomebody(t *testing.T) {
	t.Parallel()
	asked := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	waiting := []store.Unanswered{{Handle: "x1", ProfileHandle: "p", AskedAt: asked}, {Handle: "x2", ProfileHandle: "gone"}}
	needs := questionNeeds(waiting, []app.Profile{{Handle: "p", Description: "Revenue report\nFor May"}})
	if len(needs) != 2 {
		t.Fatalf("%+v", needs)
	}
	if n := needs[0]; n.URL != "/ui/executions/x1#answer" || !n.At.Equal(asked) ||
		n.Detail != "Revenue report asked the LLM, and no agent has answered. Start the agent, or answer yourself." {
		t.Errorf("%+v", n)
	}
}
