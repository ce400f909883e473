package executionview

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDiff(t *testing.T) {
	t.Parallel()
	rows, same, over := diffOf("a\nb\nc\n", "a\nB\nB2\nc\n")
	want := []diffRow{
		{left: diffCell{1, "a", false}, right: diffCell{1, "a", false}},
		{left: diffCell{2, "b", true}, right: diffCell{2, "B", true}},
		{right: diffCell{3, "B2", true}}, {left: diffCell{3, "c", false}, right: diffCell{4, "c", false}},
	}
	if diff := cmp.Diff(want, rows, cmp.AllowUnexported(diffRow{}, diffCell{})); diff != "" || same || over {
		t.Errorf("same %v, over %v: %s", same, over, diff)
	}
	if _, same, _ = diffOf("x", "x"); !same {
		t.Error("the same is not the same")
	}
	if rows, _, _ = diffOf("", "x"); len(rows) != 1 || rows[0].left.number != 0 || rows[0].right.text != "x" {
		t.Errorf("from nothing: %+v", rows)
	}
	rows, _, over = diffOf(strings.Repeat("a\n", 200000), strings.Repeat("b\n", 200000))
	if !over || len(rows) > diffRows {
		t.Errorf("%d rows, over %v", len(rows), over)
	}
}
