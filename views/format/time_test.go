package format

import (
	"strings"
	"testing"
	"time"
)

func TestAgo(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	for d, want := range map[time.Duration]string{
		0: "just now", 4 * time.Second: "just now", 5 * time.Second: "5 seconds ago", time.Minute: "1 minute ago",
		119 * time.Second: "1 minute ago",
		3 * time.Hour:     "3 hours ago", 49 * time.Hour: "2 days ago", 65 * 24 * time.Hour: "2 months ago",
		800 * 24 * time.Hour: "2 years ago",
		-90 * time.Minute:    "in 1 hour", -2 * time.Second: "just now",
	} {
		if got := Ago(now.Add(-d), now); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
	if got := Ago(time.Time{}, now); got != "never" {
		t.Errorf("zero: %q", got)
	}
}

func TestSpan(t *testing.T) {
	t.Parallel()
	if got := Span(2300*time.Millisecond) + Bytes(1536); got != "2.3\u00a0s1.5\u00a0KiB" {
		t.Errorf("%q: a line can break between a number and its unit", got)
	}
	for d, want := range map[time.Duration]string{
		-time.Second: "0 ms", 0: "0 ms", 840 * time.Millisecond: "840 ms", 1240 * time.Millisecond: "1.2 s",
		2 * time.Second: "2 s", 42 * time.Second: "42 s",
		time.Minute: "1 min", 125 * time.Second: "2 min 5 s",
	} {
		if got := strings.ReplaceAll(Span(d), "\u00a0", " "); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}
