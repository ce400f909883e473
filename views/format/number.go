package format

import (
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
)

// gap separates number and unit without a line break.
const gap = "\u00a0"

// Decimal formats a drawing's length with one decimal.
func Decimal(f float64) string { return strconv.FormatFloat(f, 'f', 1, 64) }

// Number formats a count: 1,204,441.
func Number(n int64) string { return humanize.Comma(n) }

// Percent formats a fraction of 1 without the sign: 0, 0.4, 12.
func Percent(share float64) string { return humanize.FtoaWithDigits(share*100, 1) }

// Bytes formats a size: 840 B, 1.2 KiB, 48 MiB.
func Bytes(n int64) string { return strings.Replace(humanize.IBytes(uint64(max(n, 0))), " ", gap, 1) }

// Count formats a number with its noun: 1 key, 2 keys, 1,284 executions.
func Count(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return Number(n) + " " + noun + "s"
}
