package conns

import (
	"math"
	"testing"
)

func TestBoundsFollowTheMachine(t *testing.T) {
	for _, c := range []struct {
		memory      int64
		descriptors uint64
		most        int
		held        int64
	}{
		{64 << 30, math.MaxUint64, 4096, 64 << 20}, {-1, 1 << 20, 4096, 64 << 20}, {64 << 30, 1024, 512, 64 << 20},
		{512 << 20, 1 << 20, 2048, 32 << 20}, {0, 1 << 20, 256, 8 << 20}, {0, 0, 1, 8 << 20},
	} {
		if most, held := Bounds(c.memory, c.descriptors); most != c.most || held != c.held {
			t.Errorf("%d bytes and %d descriptors: %d connections, %d bytes", c.memory, c.descriptors, most, held)
		}
	}
}
