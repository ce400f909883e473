package redact

import (
	"strings"
	"testing"
)

// TestHeldBackIsLookedAtSeldom writes byte by byte what a rule waits for. To look at all of it
// for each byte would keep the server busy for as long as a script likes.
func TestHeldBackIsLookedAtSeldom(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"one line": strings.Repeat("k", maxPending),
		"lines": strings.Repeat("\n", maxPending), "more than is held back": strings.Repeat("k", 4*maxPending)} {
		looked, shown := 0, 0
		r := New(nil, Options{Ahead: func(text string) ([]Match, int) {
			looked += len(text)
			return nil, 0
		}})
		s := r.Stream(func(c Clean) { shown += c.Len() })
		for _, b := range []byte(text) {
			_, _ = s.Write([]byte{b})
		}
		_ = s.Close()
		if shown != len(text) || looked > 4*growthBeforeLook*len(text) {
			t.Errorf("%s: %d bytes were shown of %d, and %d looked at", name, shown, len(text), looked)
		}
	}
}

// TestEndOfLineIsLookedAtOnce: what waits for the end of its line is shown with it, however long
// the line.
func TestEndOfLineIsLookedAtOnce(t *testing.T) {
	t.Parallel()
	r := New(nil,
		Options{Ahead: func(text string) ([]Match, int) { return nil, strings.LastIndexByte(text, '\n') + 1 }})
	var live strings.Builder
	s := r.Stream(func(c Clean) { live.WriteString(c.String()) })
	line := strings.Repeat("k", 2000)
	for range 3 {
		_, _ = s.Write([]byte(line))
		before := live.Len()
		if _, _ = s.Write([]byte("\n")); live.Len() != before+len(line)+1 {
			t.Fatalf("%d of %d bytes are shown", live.Len()-before, len(line)+1)
		}
	}
}
