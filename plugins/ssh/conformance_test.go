package ssh

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/plugins/sandboxtest"
	"github.com/computclaw/airlock/plugins/ssh/sshtest"
)

// TestConformance runs the suite over a real sshd. Where the tests can delegate a version 1 hierarchy to the remote user it holds limits
// there too; other hosts have polled limits only. How limits are held is bubblewrap's own business, so the least of the suite does for the second way.
func TestConformance(t *testing.T) {
	t.Run("polled", func(t *testing.T) {
		m := sshtest.New(t, sshtest.Options{})
		sandboxtest.Run(t, sandboxtest.Plugin(Name, m.Settings()), sandboxtest.Options{Name: Name, Leftovers: left, Essential: true, Measures: true})
	})
	t.Run("cgroup", func(t *testing.T) {
		dirs := delegated(t)
		how := "limits=cgroup"
		if dirs == nil {
			how = "limits=auto"
		}
		m := sshtest.New(t, sshtest.Options{Within: dirs})
		sandboxtest.Run(t, sandboxtest.Plugin(Name, m.Settings(how)), sandboxtest.Options{Name: Name, Leftovers: left, Measures: true})
	})
}

// delegated makes cgroups that the remote user owns, one in each hierarchy of version 1, or none where that's not possible.
func delegated(t *testing.T) (dirs []string) {
	t.Helper()
	if os.Getuid() != 0 {
		return nil
	}
	for _, controller := range []string{"memory", "pids", "cpu", "cpuacct"} {
		base := filepath.Join("/sys/fs/cgroup", controller)
		if _, err := os.Stat(filepath.Join(base, "cgroup.procs")); err != nil {
			return nil
		}
		dir, err := os.MkdirTemp(base, "airlock-test-ssh-")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			for range 100 {
				if os.Remove(dir) == nil {
					return
				}
				time.Sleep(50 * time.Millisecond)
			}
			t.Errorf("%s can't be removed", dir)
		})
		err = filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			return os.Chown(path, sshtest.TestUID, sshtest.TestUID)
		})
		if err != nil {
			t.Fatal(err)
		}
		dirs = append(dirs, dir)
	}
	return dirs
}

// left lists the boxes' cgroups that an instance still has. When the plugin was killed, the other side needs a moment to notice.
func left(instance string) []string {
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		var found []string
		_ = filepath.WalkDir("/sys/fs/cgroup", func(path string, d os.DirEntry, err error) error {
			if err == nil && d.IsDir() && strings.HasPrefix(d.Name(), "airlock."+instance+".") {
				found = append(found, path)
			}
			return nil
		})
		if len(found) == 0 || time.Now().After(deadline) {
			return found
		}
	}
}
