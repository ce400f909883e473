package app

import "strconv"

// Count is a number with its noun: 1 key, 2 keys.
func Count[N int | int64](n N, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.FormatInt(int64(n), 10) + " " + noun
}
