package redact

import (
	"io"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/computclaw/airlock/app/match"
)

// TestStreamIsLive writes byte by byte and checks after each what people can see already.
func TestStreamIsLive(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		secrets []string
		steps   [][2]string // written, and emitted because of it
	}{
		"nothing is held without cause": {[]string{long}, [][2]string{{"...", "..."}, {"x\n", "x\n"}}},
		"the end of a line": {[]string{"sk_live_4eC39HqLyjWDarjtT1zdp7dc"},
			[][2]string{{"used 200\n", "used 200\n"}, {"done\n", "done\n"}, {"count: 5\r", "count: 5\r"}}},
		"held while it may be one": {[]string{long},
			[][2]string{{"a s3c", "a "}, {"r3t", ""}, {"; ", "s3cr3t; "}}},
		"only what may begin one": {[]string{"aabaabaac"},
			[][2]string{{"aabaab", ""}, {"aab", "aab"}, {"aac", ""}, {" ", "[REDACTED] "}}},
		"its end may begin it, turned": {[]string{long},
			[][2]string{{long[:23], ""}, {"9", ""}, {"\n", "[REDACTED...6789]\n"}}},
		"a longer one is possible": {[]string{"abcdefgh", "abcdefgh-long"},
			[][2]string{{"abcdefgh", ""}, {"-", ""}, {"; ", "[REDACTED]-; "}}},
		"a word waits for its end": {[]string{"hunter2"},
			[][2]string{{"hunter2", ""}, {" ", "[REDACTED] "}, {"hunter2", ""}, {"_; ", "hunter2_; "}}},
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

// TestStreamIsText: the cuts make no difference, whatever the bytes.
func TestStreamIsText(t *testing.T) {
	t.Parallel()
	redactor := of(long, "hunter2", "é€😀-secret", "line-one-of-it\nline-two-of-it")
	parts := rapid.SampledFrom([]string{long, long[:9], long[9:], "hunter2", "é€😀-secret", "line-two-of-it", "\xe2\x82",
		"\xac", "\xf0\x9f", "\x98\x80", "\xff", "\x00", " ", "x", "€", "😀"})
	rapid.Check(t, func(r *rapid.T) {
		text := strings.Join(rapid.SliceOf(parts).Draw(r, "text"), "")
		var hits tally
		want := redactor.render(text, redactor.merge(redactor.scan(text, all)), &hits)
		if got, n := stream(t, redactor, cut(r, text)...); got != want || n != hits.hits().Total() {
			r.Fatalf("Stream: %q, %d; the whole: %q, %v", got, n, want, hits)
		}
	})
}

func all(match.Match) bool { return true }
