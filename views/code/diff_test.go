package code

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDiff(t *testing.T) {
	t.Parallel()
	rows, same, over := DiffOf("a\nb\nc\n", "a\nB\nB2\nc\n")
	want := []Row{
		{left: cell{1, "a", false}, right: cell{1, "a", false}},
		{left: cell{2, "b", true}, right: cell{2, "B", true}},
		{right: cell{3, "B2", true}}, {left: cell{3, "c", false}, right: cell{4, "c", false}},
	}
	if diff := cmp.Diff(want, rows, cmp.AllowUnexported(Row{}, cell{})); diff != "" || same || over {
		t.Errorf("same %v, over %v: %s", same, over, diff)
	}
	if _, same, _ = DiffOf("x", "x"); !same {
		t.Error("the same is not the same")
	}
	if rows, _, _ = DiffOf("", "x"); len(rows) != 1 || rows[0].left.number != 0 || rows[0].right.text != "x" {
		t.Errorf("from nothing: %+v", rows)
	}
	rows, _, over = DiffOf(strings.Repeat("a\n", 200000), strings.Repeat("b\n", 200000))
	if !over || len(rows) > diffRows {
		t.Errorf("%d rows, over %v", len(rows), over)
	}
}
