package sandbox_test

import (
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/app/engine/enginetest"
	"github.com/computclaw/airlock/plugins"
)

// A compiled runner goes only to boxes of its image, and comes from a box without a script.
func TestCompiledRunnerStaysInItsImage(t *testing.T) {
	t.Parallel()
	images := enginetest.Passes("a", plugins.TierFull)
	images.Images = map[string]string{"compiled:1": "sha256:1", "compiled:2": "sha256:2"}
	w, _ := yard(t, func(c *engine.Config) { c.Pool = -1 }, images)
	for image := range images.Images {
		w.Require(app.Placement{Image: image})
		for deadline, first := time.Now().Add(20*time.Second), true; ; first = false {
			_, out := w.Finished("code", app.StatusCompleted)
			if out.Stdout == "code of "+image+"\n" {
				if first {
					t.Errorf("the first box of %s had code", image)
				}
				break
			}
			if out.Stdout != "\n" || time.Now().After(deadline) {
				t.Fatalf("a box of %s began with %q", image, out.Stdout)
			}
		}
	}
}
