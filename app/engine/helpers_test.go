package engine_test

import (
	"testing"

	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/app/engine/enginetest"
)

// world is a whole engine with this package's helpers.
type world struct{ *enginetest.World }

func newWorld(t testing.TB, change ...func(*engine.Config)) *world {
	t.Helper()
	return &world{enginetest.New(t, change...)}
}

// newUnstarted is newWorld before its engine starts.
func newUnstarted(t testing.TB) *world {
	t.Helper()
	return &world{enginetest.NewUnstarted(t)}
}
