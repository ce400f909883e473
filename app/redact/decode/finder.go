package decode

import (
	"math/bits"

	"github.com/computclaw/airlock/app/redact/charset"
	"github.com/computclaw/airlock/app/redact/derived"
)

// CodeSet is a set of codes, a bit for each.
type CodeSet uint8

// RunFinder finds the runs of all codes in one pass.
type RunFinder struct {
	Found [5][]derived.Window // by code, in order
	from  [5]int              // by code: where the run at hand begins
}

// blockSize is how many bytes are looked at together.
const blockSize = 4

// digitsOf has the codes of which a byte is a digit.
var digitsOf = charset.ClassOf(func(b byte) (set uint8) {
	for _, c := range Codes {
		if c.Digit[b] >= 0 {
			set |= uint8(c.Bit())
		}
	}
	return set
})

// inOne are the codes whose shortest run needn't have two whole blocks side by side.
var inOne = func() (set CodeSet) {
	for _, c := range Codes {
		if c.least < 3*blockSize-1 {
			set |= c.Bit()
		}
	}
	return set
}()

// Find finds the runs of some codes that are as long as the shortest one that is looked at. Every
// run of 2*blockSize-1 bytes has a whole block, and every one of 3*blockSize-1 has two of them side
// by side, so runs are looked for only there. Where they begin and end is told by the bytes of the
// blocks beside those.
func (f *RunFinder) Find(text []byte, wanted CodeSet) {
	for i := range f.Found {
		f.Found[i] = f.Found[i][:0]
	}
	var before, inside CodeSet // codes that the last block is in; in whose run the last block is
	at := 0
	for ; at+blockSize <= len(text); at += blockSize {
		t := text[at : at+blockSize : at+blockSize]
		block := CodeSet(digitsOf[t[0]]&digitsOf[t[1]]&digitsOf[t[2]]&digitsOf[t[3]]) & wanted
		if ended := inside &^ block; ended != 0 {
			f.end(at, ended, digitsOf[t[0]], digitsOf[t[1]], digitsOf[t[2]])
		}
		inside &= block
		if begun := block & (before | inOne) &^ inside; begun != 0 {
			f.begin(text, at, begun&^before)
			f.begin(text, at-blockSize, begun&before) // it was not begun there, because it might have been too short
			inside |= begun
		}
		before = block
	}
	var last [blockSize - 1]byte // what is behind the last block, and no digits
	copy(last[:], text[at:])
	f.end(at, inside, digitsOf[last[0]], digitsOf[last[1]], digitsOf[last[2]])
}

// begin takes down where runs begin whose first block is at an offset.
func (f *RunFinder) begin(text []byte, at int, begun CodeSet) {
	if begun == 0 {
		return
	}
	var last [blockSize - 1]byte
	copy(last[max(len(last)-at, 0):], text[max(at-len(last), 0):at])
	a := digitsOf[last[2]]
	b := a & digitsOf[last[1]]
	c := b & digitsOf[last[0]]
	for ; begun != 0; begun &= begun - 1 {
		i := bits.TrailingZeros8(uint8(begun))
		f.from[i] = at - int(a>>i&1+b>>i&1+c>>i&1)
	}
}

// end takes down the runs whose last block ends at an offset; first, second and third say of which
// codes the bytes behind it are digits.
func (f *RunFinder) end(at int, ended CodeSet, first, second, third uint8) {
	second &= first
	third &= second
	for ; ended != 0; ended &= ended - 1 {
		i := bits.TrailingZeros8(uint8(ended))
		to := at + int(first>>i&1+second>>i&1+third>>i&1)
		if to-f.from[i] >= Codes[i].least {
			f.Found[i] = append(derived.Grow(f.Found[i], 1), derived.Window{From: f.from[i], To: to})
		}
	}
}
