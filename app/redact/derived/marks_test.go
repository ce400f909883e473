package derived

import (
	"strings"
	"testing"
)

// TestPlacesAreNearAMark: where a place of a filtered text came from is found from the mark before
// it, so marks must not be far apart, also before the first byte that was left out.
func TestPlacesAreNearAMark(t *testing.T) {
	t.Parallel()
	text := []byte(strings.Repeat("x", 20*markEvery) + " " + strings.Repeat("y z", 10*markEvery))
	b := Visible.Apply(text)
	for i := 1; i < len(b.Marks); i++ {
		if far := b.Marks[i].from - b.Marks[i-1].from; far > markEvery {
			t.Fatalf("mark %d is %d bytes behind the one before", i, far)
		}
	}
	if len(b.Marks) < len(text)/markEvery {
		t.Errorf("%d marks", len(b.Marks))
	}
}
