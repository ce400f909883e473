package rlimit

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

const inChild = "AIRLOCK_RLIMIT_TEST"

// TestEveryLimitOfABoxIsSet runs itself, because a limit that was lowered can't be raised again.
func TestEveryLimitOfABoxIsSet(t *testing.T) {
	if os.Getenv(inChild) == "" {
		child := exec.Command("/proc/self/exe", "-test.run=^TestEveryLimitOfABoxIsSet$", "-test.v")
		child.Env = append(os.Environ(), inChild+"=1")
		if out, err := child.CombinedOutput(); err != nil || !strings.Contains(string(out), "PASS") {
			t.Errorf("%v: %s", err, out)
		}
		return
	}
	for _, l := range OfBox(50, 1<<20) {
		resource, err := l.Resource()
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Set(); err != nil {
			t.Error(err)
		}
		var now syscall.Rlimit
		if err := syscall.Getrlimit(resource, &now); err != nil || now.Cur != now.Max || now.Max > uint64(l.Value) {
			t.Errorf("%s is %+v, want %d: %v", l.Name, now, l.Value, err)
		}
		if err := (Limit{l.Name, l.Value + 1}).Set(); err != nil {
			t.Errorf("a limit above the hard one: %v", err)
		}
	}
	if err := (Limit{"moon", 1}).Set(); err == nil {
		t.Error("an unknown limit was set")
	}
}
