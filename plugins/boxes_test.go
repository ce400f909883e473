package plugins

import (
	"strings"
	"testing"
)

func TestBoxes(t *testing.T) {
	var b Boxes[int]
	if b.IsOpen("a") {
		t.Error("a box was open at once")
	}
	if err := b.Enter("a", 7); err != nil {
		t.Fatal(err)
	}
	if box, open := b.Get("a"); !open || box != 7 || !b.IsOpen("a") {
		t.Errorf("got %d, %v", box, open)
	}
	if err := b.Enter("a", 8); err == nil {
		t.Error("two boxes have the same id")
	}
	b.Leave("a")
	if err := b.Enter("a", 9); err != nil {
		t.Errorf("again: %v", err)
	}
	for _, id := range []string{"", "a/b", "..", "a b", "a\n", "ä", strings.Repeat("a", 129)} {
		if err := b.Enter(id, 0); err == nil || b.IsOpen(id) {
			t.Errorf("%q is an id", id)
		}
	}
}
