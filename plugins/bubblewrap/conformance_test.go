package bubblewrap

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/sandboxtest"
)

func TestMain(m *testing.M) {
	sandboxtest.Main(m, Name, func(guest []byte) plugins.Sandbox { return New(WithGuest(guest)) })
}

// TestConformance holds limits in both ways. Where a version 1 hierarchy can be written to, "auto" has to use it; other hosts
// have the second run only in another shape.
func TestConformance(t *testing.T) {
	how := limitsAuto
	if v1, _ := ownBases(t); v1["memory"] != "" && v1["memory"].writable() == nil {
		how = limitsCgroup
	}
	for _, how := range []string{how, limitsPolled} {
		t.Run(how, func(t *testing.T) {
			newSandbox := sandboxtest.Plugin(Name, map[string]string{"limits": how})
			sandboxtest.Run(t, newSandbox, sandboxtest.Options{Name: Name, Leftovers: cgroupsOf, Measures: true})
		})
	}
}

// cgroupsOf lists the boxes' cgroups that an instance still has.
func cgroupsOf(instance string) []string {
	var found []string
	_ = filepath.WalkDir("/sys/fs/cgroup", func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() && strings.HasPrefix(d.Name(), boxName(instance, "")) {
			found = append(found, path)
		}
		return nil
	})
	return found
}
