package bubblewrap

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/sandboxtest"
)

func TestMain(m *testing.M) {
	sandboxtest.Main(m, Name, func(guest []byte) plugins.Sandbox { return New(WithGuest(guest)) })
}

// TestConformance checks both ways of limits: "auto" must use control groups exactly where they
// exist.
func TestConformance(t *testing.T) {
	groups := sandboxtest.FindGroups(t)
	for how, enforced := range map[string]map[string]string{limitsAuto: groups.Enforced(),
		limitsPolled: sandboxtest.Groups{}.Enforced()} {
		t.Run(how, func(t *testing.T) {
			newSandbox := sandboxtest.Plugin(Name, map[string]string{"limits": how, "box": boxFresh})
			sandboxtest.Run(t, newSandbox,
				sandboxtest.Options{Name: Name, Leftovers: cgroupsOf, Enforced: enforced, Measures: true})
		})
	}
	t.Run(boxTemplate, func(t *testing.T) {
		needTemplates(t, groups)
		newSandbox := sandboxtest.Plugin(Name, map[string]string{"box": boxTemplate})
		sandboxtest.Run(t, newSandbox,
			sandboxtest.Options{Name: Name, Leftovers: cgroupsOfBoxes, Enforced: groups.Enforced(), Measures: true,
				Templates: true})
	})
	t.Run(limitsCgroup, func(t *testing.T) {
		sandbox, cfg := sandboxtest.Open(t, Name, map[string]string{"limits": limitsCgroup})
		r, err := sandbox.Check(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		if offered := groups.Version != 0; r.Ready != offered ||
			!offered && !strings.Contains(r.Reason, "no cgroup to hold limits with") {
			t.Errorf("ready %v on a host with %+v: %s", r.Ready, groups, r.Reason)
		}
	})
}

func needTemplates(t *testing.T, groups sandboxtest.Groups) {
	t.Helper()
	if os.Geteuid() != 0 || groups.Version == 0 {
		t.Skip("templates need root and control groups")
	}
}

func cgroupsOfBoxes(instance string) []string {
	return slices.DeleteFunc(cgroupsOf(instance), func(dir string) bool { return strings.Contains(dir, ".template-") })
}

func cgroupsOf(instance string) []string {
	var found []string
	_ = filepath.WalkDir("/sys/fs/cgroup", func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() && strings.HasPrefix(d.Name(), "airlock."+instance+".") {
			found = append(found, path)
		}
		return nil
	})
	return found
}
