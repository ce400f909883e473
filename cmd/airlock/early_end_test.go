package main

import (
	"net/http"
	"testing"
	"time"
)

// TestEndIsToldBeforeTheBoxIsGone: docker takes some time to take a container down, and nobody
// waits for that who only wants to know how a script ended.
func TestEndIsToldBeforeTheBoxIsGone(t *testing.T) {
	if !inNamespaces(t) {
		return
	}
	newWorld(t)
	engine, settings := dockerSettings(t)
	in := startInstance(t, append(settings, "AIRLOCK_SANDBOX=docker", "AIRLOCK_POOL=0", "AIRLOCK_WORKERS=1")...)
	in.allReady("docker")
	profile := in.placed("docker")
	const tries = 10
	early := 0
	for range tries {
		var x agentView
		if code := in.call(http.MethodPost, "/execute?wait=50",
			map[string]any{"profile_id": profile, "script": "set_result(1)"}, &x); code != http.StatusOK ||
			x.Status != "completed" {
			t.Fatalf("%d: %s %s", code, x.Status, x.Error)
		}
		early += len(engine.Containers(t, "airlock.instance"))
		eventually(t, 30*time.Second, "the container is gone",
			func() bool { return len(engine.Containers(t, "airlock.instance")) == 0 })
	}
	t.Logf("%d of %d ends were told before their container was gone", early, tries)
	if early < tries/2 { // a busy host may let a container go first now and then
		t.Errorf("only %d of %d ends were told before their container was gone", early, tries)
	}
}
