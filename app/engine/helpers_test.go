package engine_test

import (
	"testing"

	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/app/engine/enginetest"
)

type world struct{ *enginetest.World }

func newWorld(t testing.TB, change ...func(*engine.Config)) *world {
	t.Helper()
	return &world{enginetest.New(t, change...)}
}

func newUnstarted(t testing.TB) *world {
	t.Helper()
	return &world{enginetest.NewUnstarted(t)}
}
