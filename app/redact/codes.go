package redact

import (
	"io"
	"math"
	"strings"
)

// code is an encoding that writes a group of bytes with a group of characters.
type code struct {
	name   string
	digit  [256]int8 // of each character, or -1
	bits   int       // of a character; 0 for base 85
	group  scale
	least  int  // characters of the shortest run that is looked at
	sifted bool // runs are read in parts
	scarce bool // runs that are long and have hardly a sign are no such code
	digits int  // in joined text one in so many characters is a digit at least, or the run is words; 0: any run counts
}

const standard64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

// codes are the encodings of runs.
var codes = []*code{
	{name: "base64", digit: digitTable(standard64, standard64[:62]+"-_"), bits: 6, group: scale{4, 3, false}, least: 11, sifted: true},
	{name: "hex", digit: hexDigit, bits: 4, group: scale{2, 1, false}, least: 16},
	{name: "base32", digit: digitTable("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"), bits: 5, group: scale{8, 5, false}, least: 13},
	{name: "base32", digit: digitTable("abcdefghijklmnopqrstuvwxyz234567"), bits: 5, group: scale{8, 5, false}, least: 13, digits: 24}, // as in host names
	{name: "base32", digit: digitTable("0123456789ABCDEFGHIJKLMNOPQRSTUV"), bits: 5, group: scale{8, 5, false}, least: 13},
	{name: "base32", digit: digitTable("0123456789abcdefghijklmnopqrstuv"), bits: 5, group: scale{8, 5, false}, least: 13, digits: 10},
	{name: "base85", digit: digitTable(alphabetB85), group: scale{5, 4, true}, least: 10, sifted: true, scarce: true},
	{name: "ascii85", digit: digitTable(alphabetA85), group: scale{5, 4, true}, least: 10, sifted: true, scarce: true},
}

// grouped are the codes that people write in groups with a sign between them, as keys and fingerprints are.
var grouped = codes[1:2]

// decode reads all runs of a code, at every alignment that they may have, and keeps what is text. Compressed data is expanded.
func (c *code) decode(text []byte, d *decoder) *build {
	b := build{}
	for from, to := runOf(text, 0, &c.digit, c.least); from < to; from, to = runOf(text, to, &c.digit, c.least) {
		if (!c.scarce || c.plausible85(text[from:to])) && (c.digits == 0 || !d.joined || c.figures(text[from:to])) {
			c.run(&b, text, from, to, d)
		}
	}
	return &b
}

// figures reports whether a run has as many digits as the code makes.
func (c *code) figures(run []byte) bool {
	n := 0
	for _, ch := range run {
		n += int(signs85[ch] & figure / figure)
	}
	return n*c.digits >= len(run)
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
	for shift := range int(c.group.chars) {
		d.scratch = c.unpack(d.scratch[:0], text[from+shift:to])
		d.inflate(b, d.scratch, from+shift, to, c.group)
		b.readable(d.scratch, d.least, from+shift, to, c.group)
	}
}

// sift reads those parts of a run that a sieve leaves.
func (c *code) sift(b *build, run []byte, at int, d *decoder) {
	s := &d.sieve
	s.look(c, run, d.least)
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

// maxBeside and maxEnding are how many characters beside a text in base 85 are taken for its own at most, and how much of it is read again
// without them.
const (
	maxBeside = 32
	maxEnding = 2000
)

// endings reads the end of a run once more for each place where it may have ended: base 85 has most signs of ordinary text among its digits, so a run goes on
// into what stands beside it, and the last group is misread with digits that are none of its own.
func (c *code) endings(b *build, run []byte, w window, at int, d *decoder) {
	var last [minStretch + 3]byte
	first := max(len(run)-maxBeside-4-w.from, minBefore85)
	for group := w.from + (first+4)/5*5; group+2 <= min(len(run), w.to); group += 5 {
		if !isText(c.unpack85(last[:0], run[group-minBefore85:group])) {
			continue
		}
		for end := group + 2; end < min(group+5, len(run), w.to+1); end++ {
			if !isText(c.unpack85(last[:0], run[group:end])) {
				continue
			}
			from := max(w.from, group-maxEnding)
			d.scratch = c.unpack85(d.scratch[:0], run[from:end])
			b.readable(d.scratch, d.least, at+from, at+end, c.group)
		}
	}
}

// minBefore85 is how many characters stand before the last group: those of minStretch bytes.
const minBefore85 = minStretch / 4 * 5

// isText reports whether bytes may be the end of a text.
func isText(data []byte) bool {
	for _, c := range data {
		if textClass(c) == 0 {
			return false
		}
	}
	return true
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

// unpack85 appends the bytes of base 85 in groups of five; a group that is too large is no text.
func (c *code) unpack85(out, run []byte) []byte {
	for ; len(run) >= 5; run = run[5:] {
		n := uint64(c.digit[run[0]])*(85*85*85*85) + uint64(c.digit[run[1]])*(85*85*85) + uint64(c.digit[run[2]])*(85*85) + uint64(c.digit[run[3]])*85 + uint64(c.digit[run[4]])
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
				d = uint64(c.digit[run[i]])
			}
			n = n*85 + d
		}
		n = min(n, math.MaxUint32)
		out = append(out, []byte{byte(n >> 24), byte(n >> 16), byte(n >> 8)}[:len(run)-1]...)
	}
	return out
}

// sample85 is how many characters of a long run are tried.
const sample85 = 32

// plausible85 reports whether a run may be base 85: it has the usual signs, or there is text in what it stands for; of a long run, in a sample of that.
func (c *code) plausible85(run []byte) bool {
	switch {
	case !unlikely85(run):
		return true
	case len(run) <= shortest85:
		return false
	case len(run) <= 3*sample85:
		return c.text85(run)
	}
	return c.text85(run[:sample85]) || c.text85(run[len(run)/2:len(run)/2+sample85])
}

// text85 reports whether two groups side by side are ASCII text.
func (c *code) text85(run []byte) bool {
	const gone = 85 * 85 * 85 * 85 * 85
	digit := &c.digit
	if len(run) < 5 {
		return false
	}
	var found uint8 // by its lowest bits: whether the groups that end here, one digit before, … are text
	var n, leaves uint64
	for _, d := range run[:4] {
		n = n*85 + uint64(digit[d])
	}
	for i, d := range run[4:] {
		n = n*85 + uint64(digit[d]) - leaves*gone
		leaves = uint64(digit[run[i]])
		found <<= 1
		if n&0xffffffff80808080 == 0 && textByte[n>>24&0xff] && textByte[n>>16&0xff] && textByte[n>>8&0xff] && textByte[n&0xff] {
			if found>>5&1 != 0 {
				return true
			}
			found |= 1
		}
	}
	return false
}

// shortest85 is the length, in characters, up to which a run must have the usual signs or mixture: words are as short.
const shortest85 = 24

// unlikely85 says that a run has too few of the signs that base 85 is full of, or, if it is short, neither one nor the usual mixture.
func unlikely85(run []byte) bool {
	signs := 0
	var all uint8
	for _, c := range run {
		k := signs85[c]
		signs += int(k & sign)
		all |= k
	}
	switch {
	case len(run) <= shortest85:
		return all&sign == 0 && all != lower|upper|figure
	case len(run) <= 64:
		return signs == 0
	case len(run) <= 128: // compressed data has few now and then, and no text shows in it
		return signs*20 < len(run)
	}
	return signs*12 < len(run)
}

// Kinds of digits in base 85.
const (
	sign uint8 = 1 << iota
	lower
	upper
	figure
)

var signs85 = classOf(func(c byte) uint8 {
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
