package dashboardview

import (
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/format"
)

// Usage is what ended in a period.
type Usage struct {
	Period   Period
	Bars     []UsageBar
	Figures  []Figure
	Profiles []ProfileUsage
	Runs     int64
}

// from is where the first bar begins.
func (u Usage) from() time.Time {
	if len(u.Bars) == 0 {
		return time.Time{}
	}
	return u.Bars[0].Start
}

// to is where the last bar ends.
func (u Usage) to() time.Time {
	if len(u.Bars) == 0 {
		return time.Time{}
	}
	return u.Bars[len(u.Bars)-1].Start.Add(u.Period.Bar)
}

// Period is how far back a page looks.
type Period struct {
	Value string // in the URL
	Word  string // in a sentence: 24 hours
	Bar   time.Duration
}

// Periods are those that a person can choose.
func Periods() []Period {
	return []Period{{"24h", "24 hours", time.Hour}, {"7d", "7 days", 6 * time.Hour}, {"30d", "30 days", 24 * time.Hour}}
}

// UsageBar sums up the ends in a stretch of time.
type UsageBar struct {
	Start   time.Time
	Counts  map[app.Status]int64
	Average time.Duration // run time
	P95     time.Duration
}

// Total is the height of the bar.
func (b UsageBar) Total() (n int64) {
	for _, c := range b.Counts {
		n += c
	}
	return n
}

// Figure is one number and how it changed.
type Figure struct {
	Name   string
	Value  string
	Change string // against the period before, in words
	Trend  string // "up", "down" or "" for none
	Worse  bool   // the change is a bad one
	Aside  bool   // of secondary interest
}

func mainFigures(all []Figure) (list []Figure) {
	for _, f := range all {
		if !f.Aside {
			list = append(list, f)
		}
	}
	return list
}

// ProfileUsage is a row of the profiles' table.
type ProfileUsage struct {
	Name    string
	URL     string // of its executions
	Runs    int64
	Failed  int64
	Average time.Duration
	P95     time.Duration
}

func rate(failed, runs int64) string {
	if runs == 0 {
		return "–"
	}
	return format.Percent(float64(failed)/float64(runs)) + "%"
}
