package views

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/computclaw/airlock/app"
)

// Ago says how long before (or after) now a time is, in words. The zero time is "never".
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
	for _, u := range []struct {
		name   string
		length time.Duration
	}{{"year", 365 * 24 * time.Hour}, {"month", 30 * 24 * time.Hour}, {"day", 24 * time.Hour}, {"hour", time.Hour}, {"minute", time.Minute}, {"second", time.Second}} {
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

// Exact is a time in UTC, to the second.
func Exact(at time.Time) string { return at.UTC().Format("2 Jan 2006, 15:04:05 UTC") }

// Day is a time in UTC, to the minute.
func Day(at time.Time) string { return at.UTC().Format("2 January 2006, 15:04 UTC") }

// gap stands between a number and its unit: a space at which no line breaks.
const gap = "\u00a0"

// Span is a duration as people read it: 840 ms, 1.2 s, 2 min 5 s.
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

// Bytes is a size as people read it: 840 B, 1.2 KiB, 48 MiB.
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

// Count is a number with its noun: 1 key, 2 keys, 1,284 executions.
func Count(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return Number(n) + " " + noun + "s"
}

// lowerFirst is a word in the middle of a sentence.
func lowerFirst(word string) string {
	if word == "" {
		return ""
	}
	return strings.ToLower(word[:1]) + word[1:]
}

// StatusWord is what people call a status.
func StatusWord(s app.Status) string {
	switch s {
	case app.StatusPending:
		return "Queued"
	case app.StatusRunning:
		return "Running"
	case app.StatusAwaitingLLM:
		return "Waiting for LLM"
	case app.StatusCompleted:
		return "Completed"
	case app.StatusError:
		return "Error"
	case app.StatusTimeout:
		return "Timeout"
	case app.StatusCancelled:
		return "Cancelled"
	}
	return string(s)
}

// StateWord is what people call a profile's state.
func StateWord(s app.State) string {
	switch s {
	case app.StateUnlocked:
		return "Being set up"
	case app.StateLocked:
		return "Locked"
	case app.StateRevoked:
		return "Revoked"
	case app.StateExpired:
		return "Expired"
	}
	return string(s)
}

// Title is a profile's description on one line, or words for one that has none.
func Title(description string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(description), "\n")
	if line == "" {
		return "Profile without a name"
	}
	return app.Clip(line, 80)
}

// Short is the beginning of a handle, enough to tell rows apart.
func Short(handle string) string {
	if len(handle) > 8 {
		return handle[:8]
	}
	return handle
}

// Actor is who did something, in words.
func Actor(a app.Actor) string {
	who := map[app.ActorKind]string{
		app.ActorAgent: "Agent", app.ActorPerson: "Person", app.ActorCommand: "airlock admin", app.ActorSystem: "Airlock",
	}[a.Kind]
	if who == "" {
		who = string(a.Kind)
	}
	switch {
	case a.Name != "" && a.Kind == app.ActorPerson:
		who = a.Name
	case a.Name != "":
		who += " " + Short(a.Name)
	}
	if a.Address != "" {
		who += " at " + a.Address
	}
	return who
}
