package bubblewrap

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/computclaw/airlock/plugins/procfs"
)

// TestPolledCountsNothingOfTheHost: a box that is just being made is still the plugin's program in
// the host's file systems. What those hold is not the box's.
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
