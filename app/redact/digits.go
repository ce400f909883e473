package redact

import (
	"math/big"
	"slices"
	"unicode/utf8"
)

// maxDigits bounds the length of a whole number that is read as one; beyond it, time grows too fast.
const maxDigits = 40000

// digits reads runs of digits: as whole numbers of many bytes, as groups of three decimal or octal digits, as bits.
func digits(text []byte, d *decoder) *build {
	b := build{}
	const least = 2 * minWhole
	for from, to := runOf(text, 0, &decimal, least); from < to; from, to = runOf(text, to, &decimal, least) {
		run := text[from:to]
		d.whole(&b, run, from, to)
		groups(&b, run, from, 3, 10, d.least)
		groups(&b, run, from, 3, 8, d.least)
		groups(&b, run, from, 8, 2, d.least)
	}
	return &b
}

var decimal = digitTable("0123456789")

// whole reads a run of digits as one number, highest byte first and lowest byte first.
func (d *decoder) whole(b *build, run []byte, from, to int) {
	if len(run) > maxDigits || d.budget < 0 {
		d.refuse(from, to)
		return
	}
	d.budget -= len(run) * len(run) / 4000
	n, ok := new(big.Int).SetString(string(run), 10)
	if !ok {
		return
	}
	data := n.Bytes()
	for range 2 {
		if legible(data) {
			b.add(data, from, to, whole)
			b.barrier()
		}
		d.inflate(b, data, from, to, together)
		slices.Reverse(data)
	}
}

// legible says whether there is text somewhere in the data.
func legible(data []byte) bool {
	for i := 0; i < len(data); {
		n := stretch(data[i:])
		if n >= minStretch && utf8.RuneCount(data[i:i+n]) >= minStretch {
			return true
		}
		i += max(n, 1)
	}
	return false
}

// groups reads a run as bytes of so many digits each, at every alignment.
func groups(b *build, run []byte, from, size, base, least int) {
	for shift := range size {
		out := make([]byte, 0, len(run)/size)
		start := shift
		flush := func(end int) {
			b.readable(out, least, from+start, from+end, scale{int32(size), 1, false})
			out, start = out[:0], end+size
		}
		at := shift
		for ; at+size <= len(run); at += size {
			n := groupOf(run[at:at+size], base)
			if n > 255 {
				flush(at)
				continue
			}
			out = append(out, byte(n))
		}
		flush(at)
	}
}

// groupOf returns the number that a few digits stand for; more than 255 if they are none of that base.
func groupOf(digits []byte, base int) (n int) {
	for _, c := range digits {
		d := int(decimal[c])
		if d >= base {
			return 256
		}
		n = n*base + d
	}
	return n
}
