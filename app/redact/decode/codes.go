package decode

import (
	"github.com/computclaw/airlock/app/redact/charset"
	"github.com/computclaw/airlock/app/redact/derived"
)

// Code is an encoding that writes a group of bytes with a group of characters.
type Code struct {
	Name   string
	Nth    int       // of codes
	Digit  [256]int8 // of each character, or -1
	Bits   int       // of a character; 0 for base 85
	group  derived.Scale
	least  int    // characters of the shortest run that is looked at
	sifted bool   // runs are read in parts
	scarce bool   // runs that are long and have hardly a sign are no such code
	rolls  *rolls // of base 85
}

// Codes are the encodings of runs.
var Codes = numbered([]*Code{
	{Name: "base64", Digit: charset.DigitTable(charset.Standard64, charset.Standard64[:62]+"-_"), Bits: 6,
		group: derived.Scale{Chars: 4, Bytes: 3, Grouped: false}, least: 11, sifted: true},
	{Name: "hex", Digit: charset.HexDigit, Bits: 4, group: derived.Scale{Chars: 2, Bytes: 1, Grouped: false}, least: 16},
	{Name: "base32", Digit: charset.DigitTable("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"), Bits: 5,
		group: derived.Scale{Chars: 8, Bytes: 5, Grouped: false}, least: 13},
	{Name: "base85", Digit: charset.DigitTable(charset.AlphabetB85),
		group: derived.Scale{Chars: 5, Bytes: 4, Grouped: true}, least: 10, sifted: true, scarce: true},
	{Name: "ascii85", Digit: charset.DigitTable(charset.AlphabetA85),
		group: derived.Scale{Chars: 5, Bytes: 4, Grouped: true}, least: 10, sifted: true, scarce: true},
})

func numbered(list []*Code) []*Code {
	for i, c := range list {
		c.Nth = i
		if c.Bits == 0 {
			c.rolls = newRolls(&c.Digit)
		}
	}
	return list
}

// Bit is the set of the code alone.
func (c *Code) Bit() CodeSet { return 1 << c.Nth }

// Parts of codes, by their order.
var (
	ExactCodes   = Codes[:3]  // of so many bits a character: all but base 85, which is the dearest to read
	RareCodes    = Codes[2:]  // all but base64 and hex
	GroupedCodes = Codes[1:2] // that people write in groups with a sign between them, as keys and fingerprints are
)

// Read reads runs of a code, at every alignment that they may have, and keeps what is text.
// Compressed data is expanded.
func (c *Code) Read(text []byte, runs []derived.Window, d *Decoder) *derived.Builder {
	b := derived.Builder{}
	for _, w := range runs {
		if c.scarce {
			d.parts = c.plausible85(d.parts[:0], text[w.From:w.To])
			c.runs(&b, text, w.From, d.parts, d)
		} else {
			c.run(&b, text, w.From, w.To, d)
		}
	}
	return &b
}

// runs reads parts of a run that begins at an offset.
func (c *Code) runs(b *derived.Builder, text []byte, at int, parts []derived.Window, d *Decoder) {
	for _, p := range parts {
		c.run(b, text, at+p.From, at+p.To, d)
	}
}

// widen adds a part of a run to an ordered list, or makes the last one longer. What would be left
// at an end of the run, if it is no longer than rest, belongs to the part.
func widen(parts []derived.Window, w derived.Window, size, rest int) []derived.Window {
	if w.From <= rest {
		w.From = 0
	}
	if w.To >= size-rest {
		w.To = size
	}
	if n := len(parts); n > 0 && w.From <= parts[n-1].To {
		parts[n-1].To = max(parts[n-1].To, w.To)
		return parts
	}
	return append(parts, w)
}

// runOf returns the next run of at least so many digits; from and to are equal if there is none. It
// looks at few bytes of what is no run.
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

// endOfRun returns the offset of the first byte of at least from that is no digit, or the length of
// the text.
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
func (c *Code) run(b *derived.Builder, text []byte, from, to int, d *Decoder) {
	if c.sifted {
		c.sift(b, text[from:to], from, d)
		return
	}
	if (to-from)*c.Bits/8 < d.MinText && !c.mayPack(text[from:to]) {
		return // too short for text
	}
	for shift := range int(c.group.Chars) {
		d.scratch = c.unpack(d.scratch[:0], text[from+shift:to])
		d.Inflate(b, d.scratch, from+shift, to, c.group)
		b.AddReadable(d.scratch, d.MinText, from+shift, to, c.group)
	}
}

// mayPack reports whether there are two bytes in a run, at any alignment, with which compressed
// data may begin, and enough behind them.
func (c *Code) mayPack(run []byte) bool {
	last := len(run)*c.Bits - 8*minPacked // the last bit that so many bytes can begin with
	var acc uint32
	have := -16 // the bit with which the last two bytes begin
	for _, ch := range run {
		if have >= last {
			break
		}
		acc = acc<<c.Bits | uint32(c.Digit[ch])
		have += c.Bits
		for bit := range c.Bits {
			if two := acc >> bit; heads[two>>11&31]>>(two&31)&1 != 0 && packs(byte(two>>8), byte(two)) {
				return true
			}
		}
	}
	return false
}

// heads has a bit for the last five bits of two bytes with which compressed data may begin, by
// their first five.
var heads = func() (t [32]uint32) {
	for two := range 1 << 16 {
		if packs(byte(two>>8), byte(two)) {
			t[two>>11] |= 1 << (two & 31)
		}
	}
	return t
}()

// sift reads those parts of a run that a sieve leaves.
func (c *Code) sift(b *derived.Builder, run []byte, at int, d *Decoder) {
	s := &d.sieve
	s.look(c, run, d.MinText)
	if !s.touched {
		return
	}
	for _, p := range s.heads {
		d.expand(b, c.unpacker(run[p.group:], p.nth), at+p.group, at+len(run), p.nth, c.group)
	}
	for _, parts := range s.parts {
		for _, w := range parts {
			d.scratch = c.unpack(d.scratch[:0], run[w.From:w.To])
			b.AddReadable(d.scratch, d.MinText, at+w.From, at+w.To, c.group)
			if c.Bits == 0 {
				c.endings(b, run, w, at, d)
			}
		}
	}
}
