package profiles

import (
	"strconv"
	"strings"
	"time"
)

// ParseExpiry reads a day (its end, UTC), a time, "never" (zero), or a span such as 30d or 12h.
func ParseExpiry(text string, now time.Time) (at time.Time, ok bool) {
	if text == "never" {
		return time.Time{}, true
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at, true
	}
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		return day.AddDate(0, 0, 1), true
	}
	if days, found := strings.CutSuffix(text, "d"); found {
		n, err := strconv.Atoi(days)
		return now.AddDate(0, 0, n), err == nil && n > 0 && n <= 36500
	}
	d, err := time.ParseDuration(text)
	return now.Add(d), err == nil && d > 0
}
