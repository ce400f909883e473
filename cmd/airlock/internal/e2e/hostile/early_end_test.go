package hostile_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
)

// TestEndIsToldBeforeTheBoxIsGone: docker takes some time to take a container down, and nobody
// waits for that who only wants to know how a script ended.
func TestEndIsToldBeforeTheBoxIsGone(t *testing.T) {
	if !e2e.InNamespaces(t) {
		return
	}
	e2e.NewWorld(t)
	engine, settings := e2e.DockerSettings(t)
	in := e2e.StartInstance(t, append(settings, "AIRLOCK_SANDBOX=docker", "AIRLOCK_POOL=0", "AIRLOCK_WORKERS=1")...)
	in.AllReady("docker")
	profile := in.Placed("docker")
	const tries = 10
	early := 0
	for range tries {
		var x e2e.Execution
		if code := in.Call(http.MethodPost, "/execute?wait=50",
			map[string]any{"profile_id": profile, "script": "set_result(1)"}, &x); code != http.StatusOK ||
			x.Status != "completed" {
			t.Fatalf("%d: %s %s", code, x.Status, x.Error)
		}
		early += len(engine.Containers(t, "airlock.instance"))
		e2e.Eventually(t, 30*time.Second, "the container is gone",
			func() bool { return len(engine.Containers(t, "airlock.instance")) == 0 })
	}
	t.Logf("%d of %d ends were told before their container was gone", early, tries)
	if early < tries/2 { // a busy host may let a container go first now and then
		t.Errorf("only %d of %d ends were told before their container was gone", early, tries)
	}
}
