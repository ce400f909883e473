package executionview

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/app"
)

// TestInOrder loses nothing, whatever the turns claim.
func TestInOrder(t *testing.T) {
	t.Parallel()
	for _, turns := range [][]int{{2, 1, 2, 3}, {1}, {99, 99}, {-5, 2}, {0, 0, 0, 4}, {4, 4, 4, 4, 4}} {
		p := ExecutionPage{Output: app.Output{Stdout: "aabb", Stderr: "EFFF", Turns: turns}}
		var out, errs strings.Builder
		for _, s := range inOrder(p) {
			if s.stderr {
				errs.WriteString(s.text)
			} else {
				out.WriteString(s.text)
			}
		}
		if out.String() != p.Output.Stdout || errs.String() != p.Output.Stderr {
			t.Errorf("%v: %q and %q", turns, out.String(), errs.String())
		}
	}
	want := []outputPart{{false, "aa"}, {true, "E"}, {false, "bb"}, {true, "FFF"}}
	if diff := cmp.Diff(want, inOrder(ExecutionPage{Output: app.Output{Stdout: "aabb", Stderr: "EFFF", Turns: []int{2, 1, 2, 3}}}),
		cmp.AllowUnexported(outputPart{})); diff != "" {
		t.Error(diff)
	}
	if inOrder(ExecutionPage{Output: app.Output{Stdout: "a", Turns: []int{1}}}) != nil ||
		inOrder(ExecutionPage{Output: app.Output{Stdout: "a", Stderr: "b"}}) != nil {
		t.Error("there is no order to show")
	}
}
