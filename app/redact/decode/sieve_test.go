package decode

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
	"unicode/utf16"

	"pgregory.net/rapid"

	"github.com/computclaw/airlock/app/redact/derived"
)

// unsifted reads all of a run at every alignment.
func unsifted(c *Code, run []byte, d *Decoder) *derived.Builder {
	b := derived.Builder{}
	for shift := range min(int(c.group.Chars), len(run)) {
		b.AddReadable(c.unpack(nil, run[shift:]), d.MinText, shift, len(run), c.group)
		if c.Bits == 0 {
			c.endings(&b, run, derived.Window{From: shift, To: len(run)}, 0, d)
		}
	}
	return &b
}

// TestSievesMissNothing: what a sieve leaves out of a run holds no text.
func TestSievesMissNothing(t *testing.T) {
	t.Parallel()
	found := map[string]int{}
	rapid.Check(t, func(r *rapid.T) {
		for _, c := range Codes {
			if !c.sifted {
				continue
			}
			wide := rapid.Bool().Draw(r, "wide")
			text := rapid.StringOfN(rapid.SampledFrom([]rune("abcXYZ019 \n~äß€")), 0, 24, -1).Draw(r, "text")
			run := drawRun(r, c)
			if wide {
				run = drawWide(r, c, text)
			}
			if len(run) < c.least {
				continue
			}
			d := &Decoder{MinText: rapid.IntRange(derived.MinStretch, derived.MaxStretch).Draw(r, "least"), Budget: 4 << 20}
			var got derived.Builder
			c.sift(&got, run, 0, d)
			pieces := piecesOf(&got)
			for _, p := range piecesOf(unsifted(c, run, d)) {
				if p.wide && (!wide || text == "" || !bytes.Contains(p.text, []byte(text))) {
					continue // it came about by chance, and what is beside it may be taken for a part of it
				}
				found[fmt.Sprint(c.Name, wide, p.wide)]++
				if !p.in(pieces) {
					r.Fatalf("%s, least %d, %q: %q is in none of %v", c.Name, d.MinText, run, p.text, pieces)
				}
			}
		}
	})
	for _, c := range Codes {
		if c.sifted && (found[fmt.Sprint(c.Name, false, false)] == 0 || found[fmt.Sprint(c.Name, true, true)] == 0) {
			t.Errorf("%s: there was no text in any run, or no UTF-16", c.Name)
		}
	}
}

// drawWide draws a run of a code that has UTF-16 in it.
func drawWide(r *rapid.T, c *Code, text string) []byte {
	data := rapid.SliceOfN(rapid.ByteRange(1, 255), 0, 20).Draw(r, "front")
	for _, u := range utf16.Encode([]rune(text)) {
		data = append(data, byte(u), byte(u>>8))
	}
	run := encodeRun(c, data)
	return run[rapid.IntRange(0, min(len(run), 6)).Draw(r, "first"):]
}

// drawRun draws a run of a code that has text in it, at any alignment, and other digits around it.
func drawRun(r *rapid.T, c *Code) []byte {
	var alphabet []byte
	for ch := range 256 {
		if c.Digit[ch] >= 0 {
			alphabet = append(alphabet, byte(ch))
		}
	}
	digits := rapid.SliceOfN(rapid.SampledFrom(alphabet), 0, 50)
	run := digits.Draw(r, "before")
	for range rapid.IntRange(1, 3).Draw(r, "texts") {
		data := rapid.SliceOfN(rapid.Byte(), 0, 6).Draw(r, "front")
		data = append(data, rapid.StringOfN(rapid.SampledFrom([]rune("abcXYZ019 \n\t\x00\x1b~äß€語😀ﬀ")), 0, 24,
			-1).Draw(r, "text")...)
		if rapid.Bool().Draw(r, "back") {
			data = append(data, rapid.SliceOfN(rapid.Byte(), 0, 6).Draw(r, "behind")...)
		}
		run = append(run, encodeRun(c, data)...)
		if rapid.Bool().Draw(r, "apart") {
			run = append(run, digits.Draw(r, "after")...)
		}
	}
	return run
}

// encodeRun writes bytes in a code, without padding.
func encodeRun(c *Code, data []byte) (out []byte) {
	var chars [128]byte
	for ch := 255; ch >= 0; ch-- {
		if d := c.Digit[ch]; d >= 0 {
			chars[d] = byte(ch)
		}
	}
	if c.Bits > 0 {
		acc, have := 0, 0
		for _, b := range append(data, 0)[:len(data)+1] {
			acc, have = acc<<8|int(b), have+8
			for ; have >= c.Bits && len(out)*c.Bits < 8*len(data); have -= c.Bits {
				out = append(out, chars[acc>>(have-c.Bits)&(1<<c.Bits-1)])
			}
			acc &= 1<<have - 1
		}
		return out
	}
	for ; len(data) > 0; data = data[min(4, len(data)):] {
		var n uint32
		for i := range 4 {
			n <<= 8
			if i < len(data) {
				n |= uint32(data[i])
			}
		}
		var group [5]byte
		for i := 4; i >= 0; i-- {
			group[i] = chars[n%85]
			n /= 85
		}
		out = append(out, group[:min(4, len(data))+1]...)
	}
	return out
}

// decodedPiece is a stretch of text that was found in a run, and where.
type decodedPiece struct {
	text     []byte
	from, to int
	wide     bool
}

// in reports whether a stretch is a part of another one, at the same place.
func (p decodedPiece) in(all []decodedPiece) bool {
	for _, o := range all {
		if o.from <= p.from && p.to <= o.to && bytes.Contains(o.text, p.text) {
			return true
		}
	}
	return false
}

// piecesOf cuts a build at its barriers.
func piecesOf(b *derived.Builder) (out []decodedPiece) {
	v := derived.View{Text: b.Text, Spans: b.Spans}
	at := 0
	for _, text := range bytes.Split(b.Text, []byte{derived.Barrier}) {
		if len(text) > 0 {
			from, to := v.Place(at, at+len(text))
			out = append(out, decodedPiece{text, from, to, wideAt(b, at)})
		}
		at += len(text) + 1
	}
	return out
}

// wideAt reports whether what is at an offset was read as UTF-16.
func wideAt(b *derived.Builder, at int) bool {
	i := slices.IndexFunc(b.Spans, func(s derived.Span) bool { return int(s.At+s.N) > at })
	return b.Spans[i].How == derived.Whole
}
