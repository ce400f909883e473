package dashboardview

import (
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/format"
	"github.com/computclaw/airlock/views/layout"
	"github.com/computclaw/airlock/views/paths"
)

// StatsPage shows who runs how much, and whether it works.
type StatsPage struct {
	layout.Shell
	Usage Usage
}

// Usage is what ended in a period.
type Usage struct {
	app.Usage
	Period Period
}

// Period is how far back a page looks.
type Period struct {
	Value string // in the URL
	Word  string // in a sentence: 24 hours
	Bars  int
	Width time.Duration // of a bar: one of the store's spans
}

// Periods are those that a person can choose.
func Periods() []Period {
	return []Period{
		{"24h", "24 hours", 24, time.Hour}, {"7d", "7 days", 28, 6 * time.Hour}, {"30d", "30 days", 30, 24 * time.Hour},
	}
}

// StatsURL shows a period.
func StatsURL(p Period) string { return paths.Stats + "?period=" + p.Value }

func errorRate(f app.Figures) string {
	if f.Runs == 0 {
		return "–"
	}
	return format.Percent(f.ErrorRate()) + "%"
}
