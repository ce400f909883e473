package content

import (
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/store"
)

// The worst output at the largest accepted limits fits a readable line.
func TestLimitsLeaveRoomForTheWorstOutput(t *testing.T) {
	limits := app.DefaultLimits()
	for ; CheckLimits(limits) == nil; limits.Output += 1 << 10 {
	}
	limits.Output -= 1 << 10
	if limits.Output < app.DefaultLimits().Output {
		t.Fatal("the defaults are refused")
	}
	stream, result := strings.Repeat("\x00", int(limits.Output)), strings.Repeat(`"`, 2*int(limits.Result))
	segments := "[0" + strings.Repeat(",9999999", 10_000) + "]"
	row := store.OutputRow{Stdout: stream, Stderr: stream, Result: &result}
	if err := NewWriter(io.Discard).Write(Record{Output: &Output{row, json.RawMessage(segments)}}); err != nil {
		t.Errorf("output %d, result %d: %v", limits.Output, limits.Result, err)
	}
	for _, l := range []app.Limits{{Output: 1 << 50, Result: 1 << 50}, {Output: 6 << 20, Result: 1 << 10},
		{Output: 1 << 10, Result: 16 << 20}} {
		if CheckLimits(l) == nil {
			t.Errorf("%v is taken", l)
		}
	}
}
