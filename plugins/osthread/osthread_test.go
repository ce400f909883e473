package osthread_test

import (
	"os"
	"testing"

	"github.com/computclaw/airlock/plugins/osthread"
)

func TestReserve(t *testing.T) {
	const n = 40 // more than a test has by itself
	osthread.Reserve(n)
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	if len(threads) < n {
		t.Errorf("%d threads are kept, want %d", len(threads), n)
	}
}
