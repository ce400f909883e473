package redact

import (
	"io"
)

// code is an encoding that writes a group of bytes with a group of characters.
type code struct {
	name   string
	nth    int       // of codes
	digit  [256]int8 // of each character, or -1
	bits   int       // of a character; 0 for base 85
	group  scale
	least  int    // characters of the shortest run that is looked at
	sifted bool   // runs are read in parts
	scarce bool   // runs that are long and have hardly a sign are no such code
	rolls  *rolls // of base 85
}

const standard64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

// codes are the encodings of runs.
var codes = numbered([]*code{
	{name: "base64", digit: digitTable(standard64, standard64[:62]+"-_"), bits: 6, group: scale{4, 3, false}, least: 11, sifted: true},
	{name: "hex", digit: hexDigit, bits: 4, group: scale{2, 1, false}, least: 16},
	{name: "base32", digit: digitTable("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"), bits: 5, group: scale{8, 5, false}, least: 13},
	{name: "base85", digit: digitTable(alphabetB85), group: scale{5, 4, true}, least: 10, sifted: true, scarce: true},
	{name: "ascii85", digit: digitTable(alphabetA85), group: scale{5, 4, true}, least: 10, sifted: true, scarce: true},
})

func numbered(list []*code) []*code {
	for i, c := range list {
		c.nth = i
		if c.bits == 0 {
			c.rolls = newRolls(&c.digit)
		}
	}
	return list
}

// bit is the set of the code alone.
func (c *code) bit() codeSet { return 1 << c.nth }

// Parts of codes, by their order.
var (
	exact   = codes[:3]  // of so many bits a character: all but base 85, which is the dearest to read
	rare    = codes[2:]  // all but base64 and hex
	grouped = codes[1:2] // that people write in groups with a sign between them, as keys and fingerprints are
)

// decode reads runs of a code, at every alignment that they may have, and keeps what is text. Compressed data is expanded.
func (c *code) decode(text []byte, runs []window, d *decoder) *build {
	b := build{}
	for _, w := range runs {
		if c.scarce {
			d.parts = c.plausible85(d.parts[:0], text[w.from:w.to])
			c.runs(&b, text, w.from, d.parts, d)
		} else {
			c.run(&b, text, w.from, w.to, d)
		}
	}
	return &b
}

// runs reads parts of a run that begins at an offset.
func (c *code) runs(b *build, text []byte, at int, parts []window, d *decoder) {
	for _, p := range parts {
		c.run(b, text, at+p.from, at+p.to, d)
	}
}

// widen adds a part of a run to an ordered list, or makes the last one longer. What would be left at an end of the run, if it is no longer than rest, belongs to
// the part.
func widen(parts []window, w window, size, rest int) []window {
	if w.from <= rest {
		w.from = 0
	}
	if w.to >= size-rest {
		w.to = size
	}
	if n := len(parts); n > 0 && w.from <= parts[n-1].to {
		parts[n-1].to = max(parts[n-1].to, w.to)
		return parts
	}
	return append(parts, w)
}

// runOf returns the next run of at least so many digits; from and to are equal if there is none. It looks at few bytes of what is no run.
func runOf(text []byte, at int, digit *[256]int8, least int) (from, to int) {
	for probe := at + least - 1; probe < len(text); {
		if digit[text[probe]] < 0 {
			at = probe + 1
			probe += least
			continue
		}
		from = probe
		for from > at && digit[text[from-1]] >= 0 {
			from--
		}
		to = endOfRun(text, probe+1, digit)
		if to-from >= least {
			return from, to
		}
		at = to + 1
		probe = to + least
	}
	return len(text), len(text)
}

// endOfRun returns the offset of the first byte of at least from that is no digit, or the length of the text.
func endOfRun(text []byte, from int, digit *[256]int8) int {
	for ; from+8 <= len(text); from += 8 {
		t := text[from : from+8 : from+8]
		if digit[t[0]]|digit[t[1]]|digit[t[2]]|digit[t[3]]|digit[t[4]]|digit[t[5]]|digit[t[6]]|digit[t[7]] < 0 {
			break
		}
	}
	for from < len(text) && digit[text[from]] >= 0 {
		from++
	}
	return from
}

// run reads a run at every alignment that it may have.
func (c *code) run(b *build, text []byte, from, to int, d *decoder) {
	if c.sifted {
		c.sift(b, text[from:to], from, d)
		return
	}
	if (to-from)*c.bits/8 < d.least && !c.mayPack(text[from:to]) {
		return // too short for text
	}
	for shift := range int(c.group.chars) {
		d.scratch = c.unpack(d.scratch[:0], text[from+shift:to])
		d.inflate(b, d.scratch, from+shift, to, c.group)
		b.readable(d.scratch, d.least, from+shift, to, c.group)
	}
}

// mayPack reports whether there are two bytes in a run, at any alignment, with which compressed data may begin, and enough behind them.
func (c *code) mayPack(run []byte) bool {
	last := len(run)*c.bits - 8*minPacked // the last bit that so many bytes can begin with
	var acc uint32
	have := -16 // the bit with which the last two bytes begin
	for _, ch := range run {
		if have >= last {
			break
		}
		acc = acc<<c.bits | uint32(c.digit[ch])
		have += c.bits
		for bit := range c.bits {
			if two := acc >> bit; heads[two>>11&31]>>(two&31)&1 != 0 && packs(byte(two>>8), byte(two)) {
				return true
			}
		}
	}
	return false
}

// heads has a bit for the last five bits of two bytes with which compressed data may begin, by their first five.
var heads = func() (t [32]uint32) {
	for two := range 1 << 16 {
		if packs(byte(two>>8), byte(two)) {
			t[two>>11] |= 1 << (two & 31)
		}
	}
	return t
}()

// sift reads those parts of a run that a sieve leaves.
func (c *code) sift(b *build, run []byte, at int, d *decoder) {
	s := &d.sieve
	s.look(c, run, d.least)
	if !s.touched {
		return
	}
	for _, p := range s.heads {
		d.expand(b, c.unpacker(run[p.group:], p.nth), at+p.group, at+len(run), p.nth, c.group)
	}
	for _, parts := range s.parts {
		for _, w := range parts {
			d.scratch = c.unpack(d.scratch[:0], run[w.from:w.to])
			b.readable(d.scratch, d.least, at+w.from, at+w.to, c.group)
			if c.bits == 0 {
				c.endings(b, run, w, at, d)
			}
		}
	}
}

// unpacker reads what a run stands for, for as long as somebody asks.
type unpacker struct {
	code *code
	run  []byte
	buf  [16]byte
	next []byte // in buf
}

// unpacker skips a few bytes.
func (c *code) unpacker(run []byte, skip int) *unpacker {
	u := &unpacker{code: c, run: run}
	for range skip {
		_, _ = u.ReadByte() // there are more: it looked like compressed data
	}
	return u
}

// ReadByte returns the next byte.
func (u *unpacker) ReadByte() (byte, error) {
	if len(u.next) == 0 {
		n := min(len(u.run), 4*int(u.code.group.chars))
		if u.next = u.code.unpack(u.buf[:0], u.run[:n]); len(u.next) == 0 {
			return 0, io.EOF
		}
		u.run = u.run[n:]
	}
	c := u.next[0]
	u.next = u.next[1:]
	return c, nil
}

// Read reads at least one byte.
func (u *unpacker) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if p[n], err = u.ReadByte(); err != nil {
			break
		}
		n++
	}
	if n > 0 {
		return n, nil
	}
	return n, err
}

// Len returns how many bytes are left, or a few more.
func (u *unpacker) Len() int {
	return len(u.next) + len(u.run)*int(u.code.group.bytes)/int(u.code.group.chars)
}

// unpack appends the bytes of characters that stand for a number of bits each. What is left at the end is thrown away.
func (c *code) unpack(out, run []byte) []byte {
	if c.bits == 0 {
		return c.unpack85(out, run)
	}
	digit := &c.digit
	if c.bits == 6 {
		for ; len(run) >= 4; run = run[4:] {
			n := uint32(digit[run[0]])<<18 | uint32(digit[run[1]])<<12 | uint32(digit[run[2]])<<6 | uint32(digit[run[3]])
			out = append(out, byte(n>>16), byte(n>>8), byte(n))
		}
	}
	var acc, have uint32
	for _, ch := range run {
		acc = acc<<c.bits | uint32(digit[ch])
		if have += uint32(c.bits); have >= 8 {
			have -= 8
			out = append(out, byte(acc>>have))
		}
	}
	return out
}
