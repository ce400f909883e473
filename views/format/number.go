package format

import "strconv"

// gap separates number and unit without a line break.
const gap = "\u00a0"

// Decimal formats a drawing's length with one decimal.
func Decimal(f float64) string { return strconv.FormatFloat(f, 'f', 1, 64) }

// Number formats a count: 1,204,441.
func Number(n int64) string {
	text := strconv.FormatInt(n, 10)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// Percent formats a fraction of 1 without the sign: 0, 0.4, 12.
func Percent(share float64) string {
	p := share * 100
	switch {
	case p == 0:
		return "0"
	case p < 0.1:
		return "<0.1"
	case p < 9.95:
		return strconv.FormatFloat(p, 'f', 1, 64)
	}
	return strconv.FormatFloat(p, 'f', 0, 64)
}

// Bytes formats a size: 840 B, 1.2 KiB, 48 MiB.
func Bytes(n int64) string {
	if n < 1024 {
		return strconv.FormatInt(n, 10) + gap + "B"
	}
	size, unit := float64(n)/1024, 0
	for size >= 1024 && unit < 3 {
		size /= 1024
		unit++
	}
	digits := 0
	if size < 10 {
		digits = 1
	}
	return strconv.FormatFloat(size, 'f', digits, 64) + gap + []string{"KiB", "MiB", "GiB", "TiB"}[unit]
}

// Count formats a number with its noun: 1 key, 2 keys, 1,284 executions.
func Count(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return Number(n) + " " + noun + "s"
}
