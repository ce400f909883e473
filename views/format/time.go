package format

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Clock formats a time of day, in UTC.
func Clock(at time.Time) string { return at.UTC().Format("15:04 UTC") }

// Ago formats a time's distance from now. The zero time is "never".
func Ago(at, now time.Time) string {
	if at.IsZero() {
		return "never"
	}
	d := now.Sub(at)
	past := d >= 0
	if !past {
		d = -d
	}
	if d < 5*time.Second {
		return "just now"
	}
	const day = 24 * time.Hour
	for _, u := range []struct {
		name   string
		length time.Duration
	}{
		{"year", 365 * day}, {"month", 30 * day}, {"day", day},
		{"hour", time.Hour}, {"minute", time.Minute}, {"second", time.Second},
	} {
		if d >= u.length {
			words := Count(int64(d/u.length), u.name)
			if past {
				return words + " ago"
			}
			return "in " + words
		}
	}
	return "just now"
}

// Exact formats a time in UTC, to the second.
func Exact(at time.Time) string { return at.UTC().Format("2 Jan 2006, 15:04:05 UTC") }

// Span formats a duration: 840 ms, 1.2 s, 2 min 5 s.
func Span(d time.Duration) string {
	switch {
	case d < 0:
		return "0" + gap + "ms"
	case d < time.Second:
		return strconv.FormatInt(d.Milliseconds(), 10) + gap + "ms"
	case d < 10*time.Second:
		return strings.TrimSuffix(strconv.FormatFloat(d.Seconds(), 'f', 1, 64), ".0") + gap + "s"
	case d < time.Minute:
		return strconv.FormatFloat(d.Seconds(), 'f', 0, 64) + gap + "s"
	}
	if d%time.Minute < time.Second {
		return fmt.Sprintf("%d%smin", int(d.Minutes()), gap)
	}
	return fmt.Sprintf("%d%smin %d%ss", int(d.Minutes()), gap, int(d.Seconds())%60, gap)
}
