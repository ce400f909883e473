package format

import (
	"strings"
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

func TestBytes(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{0: "0 B", 1023: "1023 B", 1536: "1.5 KiB", 48 << 20: "48 MiB",
		5 << 40: "5.0 TiB", 1 << 50: "1.0 PiB"} {
		if got := strings.ReplaceAll(Bytes(n), "\u00a0", " "); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}
