package decode

import (
	"math"

	"github.com/computclaw/airlock/app/redact/derived"
)

// maxBeside and maxEnding are how many characters beside a text in base 85 are taken for its own at
// most, and how much of it is read again without them.
const (
	maxBeside = 32
	maxEnding = 8000
)

// endings reads the end of a run once more for each place where it may have ended: base 85 has most
// signs of ordinary text among its digits, so a run goes on into what stands beside it, and the
// last group is misread with digits that are none of its own.
func (c *Code) endings(b *derived.Builder, run []byte, w derived.Window, at int, d *Decoder) {
	var last [derived.MinStretch + 3]byte
	first := max(len(run)-maxBeside-4-w.From, minBefore85)
	for group := w.From + (first+4)/5*5; group+2 <= min(len(run), w.To); group += 5 {
		if !isText(c.unpack85(last[:0], run[group-minBefore85:group])) {
			continue
		}
		for end := group + 2; end < min(group+5, len(run), w.To+1); end++ {
			if !isText(c.unpack85(last[:0], run[group:end])) {
				continue
			}
			from := max(w.From, group-maxEnding)
			d.scratch = c.unpack85(d.scratch[:0], run[from:end])
			b.AddReadable(d.scratch, d.MinText, at+from, at+end, c.group)
		}
	}
}

// minBefore85 is how many characters stand before the last group: those of derived.MinStretch bytes.
const minBefore85 = derived.MinStretch / 4 * 5

// isText reports whether bytes may be the end of a text.
func isText(data []byte) bool {
	for _, c := range data {
		if textClass(c) == 0 {
			return false
		}
	}
	return true
}

// unpack85 appends the bytes of base 85 in groups of five; a group that is too large is no text.
func (c *Code) unpack85(out, run []byte) []byte {
	for ; len(run) >= 5; run = run[5:] {
		n := uint64(c.Digit[run[0]])*(85*85*85*85) + uint64(c.Digit[run[1]])*(85*85*85) +
			uint64(c.Digit[run[2]])*(85*85) + uint64(c.Digit[run[3]])*85 + uint64(c.Digit[run[4]])
		if n > math.MaxUint32 {
			n = math.MaxUint32
		}
		out = append(out, byte(n>>24), byte(n>>16), byte(n>>8), byte(n))
	}
	if len(run) > 1 {
		var n uint64
		for i := range 5 {
			d := uint64(84)
			if i < len(run) {
				d = uint64(c.Digit[run[i]])
			}
			n = n*85 + d
		}
		n = min(n, math.MaxUint32)
		out = append(out, []byte{byte(n >> 24), byte(n >> 16), byte(n >> 8)}[:len(run)-1]...)
	}
	return out
}
