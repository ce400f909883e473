package backends

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestAutoMeansThisHost: neither an engine's socket nor another machine is used unless somebody
// names it.
func TestAutoMeansThisHost(t *testing.T) {
	if diff := cmp.Diff([]string{"bubblewrap", "landlock"}, Automatic()); diff != "" {
		t.Error(diff)
	}
}

func TestEveryBackendIsFoundOnce(t *testing.T) {
	seen := map[string]bool{}
	for _, name := range Names() {
		b, ok := Find(name)
		if !ok || b.Name != name || b.New() == nil || seen[name] {
			t.Errorf("%s: found %t, seen before %t: %+v", name, ok, seen[name], b)
		}
		seen[name] = true
	}
	if _, ok := Find("none"); ok || slices.Contains(Names(), "auto") {
		t.Error("there is a backend none or auto")
	}
}
