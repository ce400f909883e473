package redact

import "math/bits"

// codeSet is a set of codes, a bit for each.
type codeSet uint8

// finder finds the runs of all codes in one pass.
type finder struct {
	found [8][]window // by code, in order
}

// blockSize is how many bytes are looked at together.
const blockSize = 4

// digitsOf has the codes of which a byte is a digit.
var digitsOf = classOf(func(b byte) (set uint8) {
	for _, c := range codes {
		if c.digit[b] >= 0 {
			set |= uint8(c.bit())
		}
	}
	return set
})

// inOne are the codes whose shortest run needn't have two whole blocks side by side.
var inOne = func() (set codeSet) {
	for _, c := range codes {
		if c.least < 3*blockSize-1 {
			set |= c.bit()
		}
	}
	return set
}()

// find finds the runs of some codes that are as long as the shortest one that is looked at. Every run of 2*blockSize-1 bytes has a whole block, and every one
// of 3*blockSize-1 has two of them side by side, so runs are looked for only there.
func (f *finder) find(text []byte, wanted codeSet) {
	for i := range f.found {
		f.found[i] = f.found[i][:0]
	}
	var before, inside codeSet // codes that the last block is in; in whose run the last block is
	for at := 0; at+blockSize <= len(text); at += blockSize {
		t := text[at : at+blockSize : at+blockSize]
		block := codeSet(digitsOf[t[0]]&digitsOf[t[1]]&digitsOf[t[2]]&digitsOf[t[3]]) & wanted
		inside &= block
		if begun := block & (before | inOne) &^ inside; begun != 0 {
			f.begin(text, at, begun)
			inside |= begun
		}
		before = block
	}
}

// begin takes down the runs in which a block is.
func (f *finder) begin(text []byte, at int, begun codeSet) {
	for ; begun != 0; begun &= begun - 1 {
		i := bits.TrailingZeros8(uint8(begun))
		c := codes[i]
		from := at
		for from > 0 && c.digit[text[from-1]] >= 0 {
			from--
		}
		if to := endOfRun(text, at+blockSize, &c.digit); to-from >= c.least {
			f.found[i] = append(roomFor(f.found[i], 1), window{from, to})
		}
	}
}
