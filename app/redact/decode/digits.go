package decode

import (
	"math"
	"math/big"
	"slices"

	"github.com/computclaw/airlock/app/redact/charset"
	"github.com/computclaw/airlock/app/redact/derived"
)

// maxDigits bounds the length of a whole number that is read as one. What a column of numbers holds
// is one, too, without the ends of its lines.
const maxDigits = 2 << 20

// DigitRuns reads runs of digits: as whole numbers of many bytes, as groups of three decimal or
// octal digits, as bits.
func DigitRuns(text []byte, d *Decoder, a Alphabet) *derived.Builder {
	b := derived.Builder{}
	const least = 2 * derived.MinStretch
	for from, to := runOf(text, 0, &decimal, least); from < to; from, to = runOf(text, to, &decimal, least) {
		run := text[from:to]
		d.readNumber(&b, run, from, to, a)
		groups(&b, run, from, 3, 10, d.MinText)
		groups(&b, run, from, 3, 8, d.MinText)
		groups(&b, run, from, 8, 2, d.MinText)
	}
	return &b
}

var decimal = charset.DigitTable("0123456789")

// readNumber reads a run of digits as one number, highest byte first and lowest byte first.
func (d *Decoder) readNumber(b *derived.Builder, run []byte, from, to int, a Alphabet) {
	if len(run) > maxDigits || d.Budget < 0 {
		d.refuse(from, to)
		return
	}
	d.Budget -= int(float64(len(run)) * math.Sqrt(float64(len(run))) / 128)
	data := numberOf(run).Bytes()
	for range 2 {
		for _, part := range a.parts(data) {
			b.Add(data[part.From:part.To], from, to, derived.Whole)
			b.Barrier()
		}
		d.Inflate(b, data, from, to, derived.Indivisible)
		slices.Reverse(data)
	}
}

// numberOf reads digits. Those of a long run are read in halves, since big.Int takes four times as
// long for twice as many.
func numberOf(run []byte) *big.Int {
	const atOnce = 2000
	if len(run) <= atOnce {
		n, _ := new(big.Int).SetString(string(run), 10)
		return n
	}
	low := len(run) / 2
	shift := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(low)), nil)
	high := numberOf(run[:len(run)-low])
	return high.Add(high.Mul(high, shift), numberOf(run[len(run)-low:]))
}

// groups reads a run as bytes of so many digits each, at every alignment.
func groups(b *derived.Builder, run []byte, from, size, base, least int) {
	for shift := range size {
		out := make([]byte, 0, len(run)/size)
		start := shift
		flush := func(end int) {
			b.AddReadable(out, least, from+start, from+end, derived.Scale{Chars: int32(size), Bytes: 1, Grouped: false})
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

// groupOf returns the number that a few digits stand for; more than 255 if they are none of that
// base.
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
