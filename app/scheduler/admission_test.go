package scheduler_test

import (
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/app/engine/enginetest"
	"github.com/computclaw/airlock/app/executions"
	"github.com/computclaw/airlock/plugins"
)

func TestQueueFull(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *engine.Config) { c.Workers, c.Queue, c.QueuePerProfile = 1, 3, 2 })
	blocker := w.Send("hang")
	w.UntilStatus(blocker, app.StatusRunning)
	w.Send("result 1")
	w.Send("result 1")
	_, _, err := w.Submitter.Submit(t.Context(),
		executions.Submission{ProfileID: w.Profile.ID, Script: "result 1", By: enginetest.Agent})
	enginetest.WantCode(t, err, app.CodeQueueFull)
	w.Profile = w.NewProfile() // others are still served, up to the whole queue
	w.Send("result 1")
	_, _, err = w.Submitter.Submit(t.Context(), executions.Submission{ProfileID: w.Profile.ID, Script: "result 1",
		By: enginetest.Agent})
	enginetest.WantCode(t, err, app.CodeQueueFull)
	if h := w.Health(); h.Queued != 3 || h.Running != 1 {
		t.Errorf("health %+v", h)
	}
}

func TestNoSandbox(t *testing.T) {
	t.Parallel()
	notReady := plugins.Report{Name: "fake", Reason: "install bubblewrap"}
	weak := plugins.Report{Name: "fake", Ready: true, Tier: plugins.TierNone}
	long := strings.Repeat("a", 1<<10+1) // it would go into manifests, and backups with those could not be restored
	lengthy := plugins.Report{Name: "fake", Ready: true, Tier: plugins.TierFull, Runtime: long}
	illustrated := plugins.Report{Name: "fake", Ready: true, Tier: plugins.TierFull,
		Images: map[string]string{"small": long}}
	for want, report := range map[string]plugins.Report{
		"install bubblewrap": notReady, "too weak": weak, "the identity of its runtime is longer": lengthy,
		`the image "small" or its identity is longer`: illustrated,
	} {
		w := newWorld(t)
		w.Must(w.Close(t.Context()))
		w.Fake.SetReport(report)
		w.StartEngine()
		_, _, err := w.Submitter.Submit(t.Context(),
			executions.Submission{ProfileID: w.Profile.ID, Script: "result 1", By: enginetest.Agent})
		enginetest.WantCode(t, err, app.CodeSandboxUnavailable)
		if h := w.Health(); h.Ready || !strings.Contains(h.Reason, want) || !strings.Contains(err.Error(), want) {
			t.Errorf("health %+v, error %v", h, err)
		}
	}
}
