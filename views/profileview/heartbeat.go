package profileview

import (
	"strconv"
	"strings"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/format"
)

// Beat is one execution in a heartbeat.
type Beat struct {
	Handle    string // "" if it was removed since
	Status    app.Status
	CreatedAt time.Time
	RunTime   time.Duration
}

func beatWords(b Beat, now time.Time) string {
	words := format.Status(b.Status) + ", " + format.Ago(b.CreatedAt, now)
	if b.Status.Terminal() {
		words += ", ran " + format.Span(b.RunTime)
	}
	return words
}

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
			parts = append(parts, strconv.Itoa(int(counts[s]))+" "+format.LowerFirst(format.Status(s)))
		}
	}
	return "Last " + format.Count(int64(len(beats)), "execution") + ": " + strings.Join(parts, ", ")
}
