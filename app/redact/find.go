package redact

import "math/bits"

// codeSet is a set of codes, a bit for each.
type codeSet uint8

// finder finds the runs of all codes in one pass.
type finder struct {
	found [8][]window // by code, in order
	from  [8]int      // by code: the first block of the run at hand
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
// of 3*blockSize-1 has two of them side by side, so runs are looked for only there. Where a run begins and ends is looked up in the blocks beside those.
func (f *finder) find(text []byte, wanted codeSet) {
	for i := range f.found {
		f.found[i] = f.found[i][:0]
	}
	var before, inside codeSet // codes that the last block is in; in whose run the last block is
	at := 0
	for ; at+blockSize <= len(text); at += blockSize {
		t := text[at : at+blockSize : at+blockSize]
		block := codeSet(digitsOf[t[0]]&digitsOf[t[1]]&digitsOf[t[2]]&digitsOf[t[3]]) & wanted
		if ended := inside &^ block; ended != 0 {
			f.end(text, at, ended)
		}
		inside &= block
		if begun := block & (before | inOne) &^ inside; begun != 0 {
			f.begin(at, begun, before)
			inside |= begun
		}
		before = block
	}
	f.end(text, at, inside)
}

// begin takes down the first block of runs. If the block before it is in the same run, the run was not begun there because it may have been too short.
func (f *finder) begin(at int, begun, before codeSet) {
	for ; begun != 0; begun &= begun - 1 {
		i := bits.TrailingZeros8(uint8(begun))
		f.from[i] = at
		if before>>i&1 != 0 {
			f.from[i] = at - blockSize
		}
	}
}

// end takes down the runs that have no digit in or before the block at an offset any more, but for its first bytes.
func (f *finder) end(text []byte, at int, ended codeSet) {
	for ; ended != 0; ended &= ended - 1 {
		i := bits.TrailingZeros8(uint8(ended))
		digit := &codes[i].digit
		from, to := f.from[i], at
		for from > 0 && digit[text[from-1]] >= 0 {
			from--
		}
		for to < len(text) && digit[text[to]] >= 0 {
			to++
		}
		if to-from >= codes[i].least {
			f.found[i] = append(roomFor(f.found[i], 1), window{from, to})
		}
	}
}
