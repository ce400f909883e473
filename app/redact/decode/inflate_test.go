package decode

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/computclaw/airlock/app/redact/derived"
)

// TestCompressedDataIsSeen: in runs that are sifted, and in those that are too short for text,
// every place with which compressed data may begin is seen.
func TestCompressedDataIsSeen(t *testing.T) {
	t.Parallel()
	heads := rapid.SampledFrom([]string{"\x78\x01", "\x78\x5e", "\x78\x9c", "\x78\xda", "\x1f\x8b\x08", "BZh91AY&SY",
		"\x78", "\x1f\x8b", "B", "BZ"})
	found := map[string]int{}
	rapid.Check(t, func(r *rapid.T) {
		for _, c := range Codes {
			var data []byte
			for range rapid.IntRange(1, 3).Draw(r, "heads") {
				data = append(data, rapid.SliceOfN(rapid.Byte(), 0, 9).Draw(r, "before")...)
				data = append(data, heads.Draw(r, "head")...)
			}
			data = append(data, rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(r, "after")...)
			run := encodeRun(c, data)
			run = run[rapid.IntRange(0, min(len(run), 7)).Draw(r, "first"):]
			if len(run) < c.least {
				continue
			}
			var s sieve
			if c.sifted {
				s.look(c, run, derived.MaxStretch)
			}
			for shift := range int(c.group.Chars) {
				whole := run[shift:]
				if c.sifted {
					whole = whole[:len(whole)/int(c.group.Chars)*int(c.group.Chars)]
				}
				out := c.unpack(nil, whole)
				for i := 0; i+6 < len(out); i++ {
					if !looksPacked(out[i:]) {
						continue
					}
					found[c.Name]++
					at := place{shift + i/int(c.group.Bytes)*int(c.group.Chars), i % int(c.group.Bytes)}
					if c.sifted && i+16 < len(out) && !slices.Contains(s.heads, at) || !c.sifted && !c.mayPack(run) {
						r.Fatalf("%s, %q: not at %v", c.Name, run, at)
					}
				}
			}
		}
	})
	for _, c := range Codes {
		if found[c.Name] == 0 {
			t.Errorf("%s: there was no compressed data in any run", c.Name)
		}
	}
}
