package app

import "testing"

func TestApproxSize(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 bytes", 1: "1 byte", 1023: "1023 bytes", 1 << 10: "1 KiB", 1<<30 + 1: "1 GiB", 1<<30 + 1<<27: "1.1 GiB",
	} {
		if got := ApproxSize(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}
