package conns

import (
	"math"
	"testing"
)

func TestMostOpenFollowsTheMachine(t *testing.T) {
	for _, c := range []struct {
		memory      int64
		descriptors uint64
		most        int
	}{
		{64 << 30, math.MaxUint64, 4096}, {-1, 1 << 20, 4096}, {64 << 30, 1024, 512},
		{512 << 20, 1 << 20, 2048}, {0, 1 << 20, 256}, {0, 0, 1},
	} {
		if most := MostOpen(c.memory, c.descriptors); most != c.most {
			t.Errorf("%d bytes and %d descriptors: %d connections", c.memory, c.descriptors, most)
		}
	}
}
