package bubblewrap

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/sandboxtest"
)

func TestMain(m *testing.M) {
	sandboxtest.Main(m, Name, func(guest []byte) plugins.Sandbox { return New(WithGuest(guest)) })
}

func TestConformance(t *testing.T) {
	for _, how := range []string{limitsCgroup, limitsPolled} {
		t.Run(how, func(t *testing.T) {
			newSandbox := sandboxtest.Plugin(Name, map[string]string{"limits": how})
			sandboxtest.Run(t, newSandbox, sandboxtest.Options{Name: Name, Leftovers: cgroupsOf})
		})
	}
}

// cgroupsOf lists the boxes' cgroups that an instance still has.
func cgroupsOf(instance string) []string {
	var found []string
	_ = filepath.WalkDir("/sys/fs/cgroup", func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() && filepath.Base(filepath.Dir(path)) == groupPrefix+instance {
			found = append(found, path)
			return filepath.SkipDir
		}
		return nil
	})
	return found
}
