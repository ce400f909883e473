package sandbox_test

import (
	"context"
	"testing"
	"time"

	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/app/engine/enginetest"
	"github.com/computclaw/airlock/app/sleep"
	"github.com/computclaw/airlock/plugins"
)

// Asking for packages explores unknown images one by one, without keeping a box.
func TestPackagesOfColdClassesAreFoundOut(t *testing.T) {
	t.Parallel()
	report := enginetest.Passes("a", plugins.TierFull)
	report.Images = map[string]string{"data:1": "sha256:1"}
	w, _ := yard(t, func(c *engine.Config) { c.Pool = -1 }, report)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for {
		list := w.Sandboxes.Packages()
		if len(list) != 2 || !list[0].Default || list[1].Image != "data:1" {
			t.Fatalf("%+v", list)
		}
		if list[0].Python != "" && list[1].Python != "" {
			break
		}
		if sleep.For(ctx, 5*time.Millisecond) != nil {
			t.Fatalf("never known: %+v", list)
		}
	}
}
