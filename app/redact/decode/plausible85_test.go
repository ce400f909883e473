package decode

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/computclaw/airlock/app/redact/derived"
)

// TestTextInBase85IsTold: two groups of ASCII text side by side are seen wherever they are.
func TestTextInBase85IsTold(t *testing.T) {
	t.Parallel()
	found := map[bool]int{}
	rapid.Check(t, func(r *rapid.T) {
		for _, c := range Codes {
			if !c.scarce {
				continue
			}
			run := encodeRun(c, rapid.SliceOfN(rapid.Byte(), 0, 12).Draw(r, "before"))
			run = append(run, encodeRun(c,
				[]byte(rapid.StringOfN(rapid.RuneFrom([]rune("\x00\t\n\r\x1b ~azAZ09")), 0, 16, -1).Draw(r,
					"text")))...)
			run = append(run, encodeRun(c, rapid.SliceOfN(rapid.Byte(), 0, 12).Draw(r, "behind"))...)
			run = run[min(len(run), rapid.IntRange(0, 6).Draw(r, "first")):]
			run = run[:min(len(run), 64)]
			plain := func(at int) bool {
				n := 0
				for _, ch := range run[at : at+5] {
					n = n*85 + int(c.Digit[ch])
				}
				if n > math.MaxUint32 {
					return false
				}
				for k := range 4 {
					if b := byte(n >> (8 * k)); b >= 0x80 || !derived.IsText[b] {
						return false
					}
				}
				return true
			}
			want := false
			for at := 0; at+10 <= len(run); at++ {
				want = want || plain(at) && plain(at+5)
			}
			if got := c.text85(run); got != want {
				r.Fatalf("%s in %q: %t", c.Name, run, got)
			}
			found[want]++
		}
	})
	if found[true] == 0 || found[false] == 0 {
		t.Errorf("%v", found)
	}
}

// TestGroupsOfDigits: a group of digits is read as the number that it is in its base.
func TestGroupsOfDigits(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{"065": 65, "255": 255, "256": 256, "999": 999} {
		if n := groupOf([]byte(text), 10); n != want {
			t.Errorf("%s: %d", text, n)
		}
	}
	for text, want := range map[string]int{"123": 83, "377": 255, "128": 256, "777": 511} {
		if n := groupOf([]byte(text), 8); n != want {
			t.Errorf("%s in base 8: %d", text, n)
		}
	}
	if n, bad := groupOf([]byte("01010011"), 2), groupOf([]byte("01010012"), 2); n != 83 || bad <= 255 {
		t.Errorf("in base 2: %d, %d", n, bad)
	}
}
