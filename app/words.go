package app

import (
	"strconv"
	"strings"
	"time"
)

// Count returns a number with its noun: 1 key, 2 keys.
func Count[N int | int64](n N, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.FormatInt(int64(n), 10) + " " + noun
}

// Enumerate joins words as in a sentence: a, b and c.
func Enumerate(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

// FormatDay returns a time in UTC, such as 4 March 2026, 05:06 UTC.
func FormatDay(at time.Time) string { return at.UTC().Format("2 January 2006, 15:04 UTC") }
