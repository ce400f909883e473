package plugins

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBounded(t *testing.T) {
	least := Limits{Memory: 16 << 20, CPU: 0.01, Pids: 12, Tmp: 4 << 10, Files: 16}
	got, err := Limits{Pids: 100}.Bound(least)
	want := DefaultLimits()
	want.Pids = 100
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
	if _, err := least.Bound(least); err != nil {
		t.Errorf("the least itself: %v", err)
	}
	for _, l := range []Limits{
		{Memory: 1}, {Memory: -1}, {CPU: math.NaN()}, {CPU: -1}, {CPU: 0.001}, {CPU: math.Inf(1)}, {Pids: 3}, {Tmp: -1},
		{Tmp: 4095}, {Files: 3},
	} {
		if _, err := l.Bound(least); err == nil {
			t.Errorf("%+v: no error", l)
		}
	}
}
