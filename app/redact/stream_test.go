package redact

import (
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/computclaw/airlock/app/multimatch"
)

// TestStreamIsLive writes byte by byte and checks after each what people can see already.
func TestStreamIsLive(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		secrets []string
		steps   [][2]string // written, and emitted because of it
	}{
		"nothing is held without cause": {[]string{long}, [][2]string{{"...", "..."}, {"x\n", "x\n"}}},
		"held while it may be one": {[]string{long},
			[][2]string{{"a s3c", "a "}, {"r3t", ""}, {"-x", "s3cr3t-x"}}},
		"only what may begin one": {[]string{"aabaabaac"},
			[][2]string{{"aabaab", ""}, {"aab", "aab"}, {"aac", ""}, {" ", "[REDACTED] "}}},
		"its end may begin it, turned": {[]string{long},
			[][2]string{{long[:23], ""}, {"9", ""}, {"\n", "[REDACTED...6789]\n"}}},
		"a longer one is possible": {[]string{"abcdefgh", "abcdefgh-long"},
			[][2]string{{"abcdefgh", ""}, {"-", ""}, {"x", "[REDACTED]-x"}}},
		"a word waits for its end": {[]string{"hunter2"},
			[][2]string{{"hunter2", ""}, {" ", "[REDACTED] "}, {"hunter2", ""}, {"3", "hunter23"}}},
		"half a character": {[]string{long},
			[][2]string{{"\xe2", ""}, {"\x82", ""}, {"\xac", "€"}, {"\xe2", ""}, {"x", "\uFFFDx"}}},
		"half a character, then one": {[]string{long},
			[][2]string{{"\xe2" + long[:4], ""}, {long[4:] + "\n", "\uFFFD[REDACTED...6789]\n"}}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var got string
			s := of(c.secrets...).Stream(func(c Clean) { got += c.String() })
			for i, step := range c.steps {
				got = ""
				if _, err := s.Write([]byte(step[0])); err != nil {
					t.Fatal(err)
				}
				if got != step[1] {
					t.Errorf("step %d, %q: emitted %q, want %q", i, step[0], got, step[1])
				}
			}
		})
	}
}

func TestStreamClose(t *testing.T) {
	t.Parallel()
	var got string
	s := of(long, "hunter2").Stream(func(c Clean) { got += c.String() })
	if _, err := s.Write([]byte("hunter2 s3cr3t-val\xe2")); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if got != "[REDACTED] s3cr3t-val\uFFFD" {
		t.Errorf("emitted %q", got)
	}
	if _, err := s.Write([]byte("x")); err != io.ErrClosedPipe {
		t.Errorf("Write after Close: %v", err)
	}
}

// TestStreamHoldsLittle feeds what could make a Stream keep ever more, and looks at what it keeps.
func TestStreamHoldsLittle(t *testing.T) {
	t.Parallel()
	cases := map[string]struct{ secret, flood string }{
		"overlapping itself": {strings.Repeat("a", 40), strings.Repeat("a", 100)},
		"almost":             {strings.Repeat("a", 40) + "b", strings.Repeat("a", 100)},
		"run without end":    {strings.Repeat("0123456789", 9), strings.Repeat("30313233343536373839", 9)},
		"ordinary":           {long, "an ordinary line of text\n"},
		"not UTF-8":          {long, "\xe2\x82\xff"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			r := of(c.secret)
			longest := 0
			for s := range r.machine.States() {
				longest = max(longest, min(r.machine.Len(multimatch.State(s)), 1000))
			}
			s := r.Stream(func(c Clean) {
				if !utf8.ValidString(c.String()) {
					t.Errorf("emitted %q", c)
				}
			})
			for range 2000 {
				if _, err := s.Write([]byte(c.flood)); err != nil {
					t.Fatal(err)
				}
				if held := len(s.buf); held > longest+headLen+utf8.UTFMax {
					t.Fatalf("%d bytes are held, the longest needle has %d", held, longest)
				}
			}
			if cap(s.buf) > 4*(longest+len(c.flood)) {
				t.Errorf("the buffer has %d bytes", cap(s.buf))
			}
			if len(s.regions) > 1 {
				t.Errorf("%d regions are kept", len(s.regions))
			}
		})
	}
}
