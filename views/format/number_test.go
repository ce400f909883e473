package format

import (
	"testing"
)

func TestNumbers(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 1204441: "1,204,441", -1234: "-1,234"} {
		if got := Number(n); got != want {
			t.Errorf("%d: %q", n, got)
		}
	}
	for share, want := range map[float64]string{0: "0", 0.0004: "0", 0.031: "3.1", 0.5: "50", 1: "100"} {
		if got := Percent(share); got != want {
			t.Errorf("%v: %q, want %q", share, got, want)
		}
	}
}
