package app

import (
	"testing"
	"time"
)

func TestFormatDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		24 * time.Hour: "24 hours", time.Hour: "1 hour", 10 * time.Minute: "10 minutes", 90 * time.Second: "90 seconds",
		time.Second: "1 second", 1500 * time.Millisecond: "1.5 seconds",
	} {
		if got := FormatDuration(d); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
}
