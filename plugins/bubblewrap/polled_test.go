package bubblewrap

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/computclaw/airlock/plugins/procfs"
)

func TestPolledCountsNothingOfTheHost(t *testing.T) {
	file := filepath.Join("/dev/shm", "airlock-"+t.Name())
	if err := os.WriteFile(file, make([]byte, 8<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Remove(file) })
	child := exec.Command("sleep", "60")
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = child.Process.Kill(); _ = child.Wait() })
	young := []procfs.Process{{PID: os.Getpid()}, {PID: child.Process.Pid}}
	if n := (&tree{}).files(young); n != 0 {
		t.Errorf("%d bytes of the host's file systems count", n)
	}
	if !isOurs(os.Getpid()) || isOurs(child.Process.Pid) {
		t.Error("the plugin's own program is not told from another one")
	}
}

func TestPace(t *testing.T) {
	p := pollInterval{least: 100 * time.Millisecond, most: time.Second}
	idle, busy := usage{cpu: 1}, usage{cpu: 2}
	for i, look := range []struct {
		u    usage
		want time.Duration
	}{
		{idle, 100 * time.Millisecond},
		{idle, 200 * time.Millisecond},
		{idle, 400 * time.Millisecond},
		{idle, 800 * time.Millisecond},
		{idle, time.Second},
		{idle, time.Second},
		{busy, 100 * time.Millisecond},
		{busy, 200 * time.Millisecond},
	} {
		if got := p.next(look.u); got != look.want {
			t.Errorf("look %d: %s until the next, want %s", i, got, look.want)
		}
	}
}
