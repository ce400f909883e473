package executionview

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTraced links only existing lines and loses no character.
func TestTraced(t *testing.T) {
	t.Parallel()
	text := "Traceback\n  File \"script.py\", line 4, in <module>\n  File \"script.py\", line 99, in f\n  File " +
		"\"script.py\", line \n  File \"script.py\", line 00000000000000000001\n  File \"/usr/x.py\", line 2\nKeyError"
	var whole strings.Builder
	var lines []int
	for _, p := range traced(text, 7) {
		whole.WriteString(p.text)
		if p.line > 0 {
			lines = append(lines, p.line)
		}
	}
	if whole.String() != text {
		t.Errorf("it became %q", whole.String())
	}
	if diff := cmp.Diff([]int{4}, lines); diff != "" {
		t.Error(diff)
	}
}

func FuzzTraced(f *testing.F) {
	f.Add("File \"script.py\", line 4", 7)
	f.Fuzz(func(t *testing.T, text string, lines int) {
		var whole strings.Builder
		for _, p := range traced(text, lines) {
			whole.WriteString(p.text)
			if p.line > max(lines, 0) { // 0 is a piece that leads nowhere
				t.Errorf("line %d of %d", p.line, lines)
			}
		}
		if whole.String() != text {
			t.Errorf("%q became %q", text, whole.String())
		}
	})
}
