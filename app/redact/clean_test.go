package redact

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestEnds(t *testing.T) {
	t.Parallel()
	c := Clean{strings.Repeat("é", 50) + "ab" + strings.Repeat("ü", 50)}
	if got := c.Ends(c.Len()); got != c {
		t.Errorf("whole: %s", got)
	}
	for n := range c.Len() {
		got := c.Ends(n).String()
		if len(got) > n || !utf8.ValidString(got) {
			t.Errorf("%d: %q", n, got)
		}
		if n > 60 && (!strings.HasPrefix(got, "éé") || !strings.HasSuffix(got, "üü") ||
			!strings.Contains(got, fmt.Sprintf("\n… %d bytes …\n", c.Len()-n))) {
			t.Errorf("%d: %q", n, got)
		}
	}
}
