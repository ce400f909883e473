package views

import (
	"strings"
	"time"

	"github.com/computclaw/airlock/app"
)

// Beat is one execution in a heartbeat.
type Beat struct {
	Handle string // "" if it was removed since
	Status app.Status
	At     time.Time
	Took   time.Duration
}

// beatWords says what a tick stands for.
func beatWords(b Beat, now time.Time) string {
	words := StatusWord(b.Status) + ", " + Ago(b.At, now)
	if b.Status.Terminal() {
		words += ", ran " + Span(b.Took)
	}
	return words
}

// beatsSum is a heartbeat in words.
func beatsSum(beats []Beat) string {
	if len(beats) == 0 {
		return "No executions yet"
	}
	counts := map[app.Status]int64{}
	for _, b := range beats {
		counts[b.Status]++
	}
	var parts []string
	for _, s := range app.Statuses() {
		if counts[s] > 0 {
			parts = append(parts, itoa(int(counts[s]))+" "+lowerFirst(StatusWord(s)))
		}
	}
	return "Last " + Count(int64(len(beats)), "execution") + ": " + strings.Join(parts, ", ")
}
