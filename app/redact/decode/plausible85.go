package decode

import (
	"math/bits"
	"strings"

	"github.com/computclaw/airlock/app/redact/charset"
	"github.com/computclaw/airlock/app/redact/derived"
)

// block85 is how many characters of a long run are judged together with as many before them, and
// read with as many beside them.
const block85 = 32

// plausible85 adds those parts of a run that may be base 85: they have the usual signs, or there is
// text in what they stand for. A long run is judged part by part, because it may be words or other
// bytes with such a part among them.
func (c *Code) plausible85(parts []derived.Window, run []byte) []derived.Window {
	if len(run) <= 2*block85 {
		if !unlikely85(run) || c.text85(run) {
			parts = append(parts, derived.Window{From: 0, To: len(run)})
		}
		return parts
	}
	before := 0
	for at := 0; at < len(run); at += block85 {
		to := min(at+block85, len(run))
		signs := 0
		for _, ch := range run[at:to] {
			signs += int(signs85[ch] & sign)
		}
		// Compressed data has few signs now and then, and no text shows in it. What does show may
		// end in the next block.
		if before+signs >= fewSigns || c.text85(run[at:min(to+reach85, len(run))]) {
			parts = widen(parts, derived.Window{From: at - 2*block85, To: to + 2*block85}, len(run), 2*block85)
		}
		before = signs
	}
	return parts
}

// fewSigns is how many signs two blocks of compressed data in base 85 have at least; 13 or more are
// usual.
const fewSigns = 3

// reach85 is how much further than the first digit two groups side by side reach.
const reach85 = 2*5 - 1

// text85 reports whether two groups side by side are ASCII text, in at most 64 digits.
func (c *Code) text85(run []byte) bool {
	var begun uint64 // a bit for each digit with which a group of text may begin, the first one lowest
	last := uint32(0)
	for _, ch := range run {
		d := uint32(c.Digit[ch])
		begun = begun>>1 | uint64(begins85[last+d])<<63
		last = d * 85
	}
	begun >>= 65 - uint(len(run)) // what was looked up last is whether a group begins with the digit before
	for both := begun & (begun >> 5); both != 0; both &= both - 1 {
		if i := bits.TrailingZeros64(both); i+10 <= len(run) && c.plain85(run[i:]) && c.plain85(run[i+5:]) {
			return true
		}
	}
	return false
}

// plain85 reports whether a group is ASCII text.
func (c *Code) plain85(run []byte) bool {
	digit := &c.Digit
	n := uint64(digit[run[0]])*(85*85*85*85) + uint64(digit[run[1]])*(85*85*85) + uint64(digit[run[2]])*(85*85) +
		uint64(digit[run[3]])*85 + uint64(digit[run[4]])
	return n&0xffffffff80808080 == 0 && derived.IsText[n>>24&0xff] && derived.IsText[n>>16&0xff] &&
		derived.IsText[n>>8&0xff] && derived.IsText[n&0xff]
}

// begins85 says with which two digits a group of ASCII text may begin.
var begins85 = func() *[85 * 85]uint8 {
	t := new([85 * 85]uint8)
	for two := range t {
		const rest = 85 * 85 * 85
		for high := two * rest >> 16; high <= (two*rest+rest-1)>>16 && high < 1<<16; high++ {
			a, b := high>>8, high&0xff
			if derived.IsText[a] && derived.IsText[b] {
				t[two] = 1
			}
		}
	}
	return t
}()

// shortest85 is the length, in characters, up to which the usual mixture is enough where there is
// no sign: words of that length hardly have it.
const shortest85 = 24

// unlikely85 says that a run has none of the signs that base 85 is full of and, if it is short, not
// the usual mixture either.
func unlikely85(run []byte) bool {
	var all uint8
	for _, c := range run {
		k := signs85[c]
		if all |= k; k == sign {
			return false
		}
	}
	return len(run) > shortest85 || all != lower|upper|figure
}

// Kinds of digits in base 85.
const (
	sign uint8 = 1 << iota
	lower
	upper
	figure
)

var signs85 = charset.ClassOf(func(c byte) uint8 {
	switch {
	case c >= 'a' && c <= 'z':
		return lower
	case c >= 'A' && c <= 'Z':
		return upper
	case c >= '0' && c <= '9':
		return figure
	case strings.IndexByte("!#$%&()*-;<=>?@^_`|~{}", c) >= 0:
		return sign
	}
	return 0
})
