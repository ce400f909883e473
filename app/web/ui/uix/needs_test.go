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

// TestRejectedCredentialNeedsSomebody until its value, its link or its profile changes.
func TestRejectedCredentialNeedsSomebody(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	locked := app.Profile{Handle: "p", Description: "Revenue report", Locked: true,
		Keys: []app.Key{{Name: "KEY", CredentialID: "c"}, {Name: "FREE"}}}
	revoked := app.Profile{Handle: "q", Revoked: true, Keys: locked.Keys}
	rejected := []store.Rejection{
		{ProfileHandle: "p", Key: "KEY"}, {ProfileHandle: "p", Key: "FREE"}, {ProfileHandle: "q", Key: "KEY"},
		{ProfileHandle: "gone", Key: "KEY"},
	}
	for i := range rejected {
		r := &rejected[i]
		r.Host, r.Status, r.Runs, r.At = "api.acme.test", 401, 3, now.Add(-time.Hour)
	}
	for _, c := range []struct {
		set  time.Time
		want int
	}{{now.Add(-2 * time.Hour), 1}, {now.Add(-time.Minute), 0}} {
		needs := rejectionNeeds(rejected, []app.Profile{locked, revoked},
			[]app.Credential{{ID: "c", Name: "ACME_TOKEN", ValueSetAt: c.set}}, now)
		if len(needs) != c.want {
			t.Fatalf("value set at %v: %+v", c.set, needs)
		}
		if c.want == 0 {
			continue
		}
		if n := needs[0]; n.Title != "ACME_TOKEN rejected by api.acme.test" ||
			n.Detail != "3 runs of Revenue report got HTTP 401." || n.URL != "/ui/credentials/ACME_TOKEN" {
			t.Errorf("%+v", n)
		}
	}
}
