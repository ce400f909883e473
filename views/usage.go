package views

import (
	"math"
	"strconv"
	"time"

	"github.com/computclaw/airlock/app"
)

// Usage is what ended in a period.
type Usage struct {
	Period   Period
	Bars     []UsageBar
	Figures  []Figure
	Profiles []ProfileUsage
	Runs     int64
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

// UsageBar counts the ends of one stretch of time.
type UsageBar struct {
	Start  time.Time
	Counts map[app.Status]int64
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
	Unit   string
	Change string // against the period before, in words
	Trend  string // "up", "down" or "" for none
	Worse  bool   // the change is a bad one
	Aside  bool   // not of the first that a person looks at
}

// foremost are the figures that the overview shows.
func foremost(all []Figure) (list []Figure) {
	for _, f := range all {
		if !f.Aside {
			list = append(list, f)
		}
	}
	return list
}

// ProfileUsage is one row of the table of profiles.
type ProfileUsage struct {
	Name    string
	URL     string // of its executions
	Runs    int64
	Failed  int64
	Average time.Duration
	P95     time.Duration
}

// stacked are the statuses of a bar from its foot up: what is well at the foot, what is wrong on top.
func stacked() []app.Status {
	return []app.Status{app.StatusCompleted, app.StatusCancelled, app.StatusTimeout, app.StatusError}
}

// The chart's drawing units.
const (
	chartHeight = 120
	chartStep   = 12 // one bar and the gap behind it
	chartGap    = 2
)

// block is one coloured part of a bar.
type block struct {
	class      string
	x, y, w, h string
}

// column is one bar of the chart.
type column struct {
	title  string
	x      string
	blocks []block
}

func columns(u Usage) []column {
	var most int64 = 1
	for _, b := range u.Bars {
		most = max(most, b.Total())
	}
	all := make([]column, len(u.Bars))
	for i, b := range u.Bars {
		c := column{title: barTitle(b, u.Period), x: itoa(i * chartStep)}
		foot := float64(chartHeight)
		for _, s := range stacked() {
			n := b.Counts[s]
			if n == 0 {
				continue
			}
			h := math.Max(float64(n)/float64(most)*(chartHeight-12), 2) // one of thousands is still seen
			foot -= h
			c.blocks = append(c.blocks, block{string(s), itoa(i*chartStep + chartGap/2), number(math.Max(foot, 0)), itoa(chartStep - chartGap), number(h)})
		}
		all[i] = c
	}
	return all
}

func chartBox(u Usage) string {
	return "0 0 " + itoa(max(len(u.Bars), 1)*chartStep) + " " + itoa(chartHeight)
}

func barTitle(b UsageBar, p Period) string {
	text := barTime(b, p) + ": " + Count(b.Total(), "run")
	for _, s := range stacked() {
		if n := b.Counts[s]; n > 0 {
			text += ", " + strconv.FormatInt(n, 10) + " " + lower(StatusWord(s))
		}
	}
	return text
}

func barTime(b UsageBar, p Period) string {
	if p.Bar >= 24*time.Hour {
		return b.Start.UTC().Format("2 Jan 2006")
	}
	return b.Start.UTC().Format("2 Jan, 15:04") + "–" + b.Start.Add(p.Bar).UTC().Format("15:04 UTC")
}

func lower(s string) string { return string(s[0]|0x20) + s[1:] }

// peak is the largest bar, for the scale.
func peak(u Usage) (n int64) {
	for _, b := range u.Bars {
		n = max(n, b.Total())
	}
	return n
}

func totals(u Usage) map[app.Status]int64 {
	all := map[app.Status]int64{}
	for _, b := range u.Bars {
		for s, n := range b.Counts {
			all[s] += n
		}
	}
	return all
}

// Number is a count as people read it: 1,204,441.
func Number(n int64) string {
	text := strconv.FormatInt(n, 10)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// Percent is a share as people read it: 0 %, 0.4 %, 12 %.
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

func rate(failed, runs int64) string {
	if runs == 0 {
		return "–"
	}
	return Percent(float64(failed)/float64(runs)) + " %"
}

// share is a width in thousandths of the largest.
func share(n, most int64) string {
	if most == 0 {
		return "0"
	}
	return number(1000 * float64(n) / float64(most))
}
