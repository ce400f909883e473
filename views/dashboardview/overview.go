package dashboardview

import (
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/layout"
)

func stepClass(step, now int) string {
	switch {
	case step < now:
		return "done"
	case step == now:
		return "now"
	}
	return "later"
}

// OverviewPage answers: what needs me, what happened, is it healthy.
type OverviewPage struct {
	layout.Shell
	Needs      []Need // all; the page shows the first of them
	Step       int    // of the first steps: 1 to 3, or 0 when they are done
	Usage      Usage  // of the last day
	Executions []app.Execution
	Summaries  map[string]components.Summary // of Executions, by handle
	Box        BoxState
	Checks     []Check
	Live       bool // it replaces parts of a page that is open
}

// Check says when something that trust rests on was last found good.
type Check struct {
	Word string
	At   time.Time // zero: never
	Bad  bool      // the last look found it wrong
	URL  string
}

// shownNeeds is how many the overview shows of the inbox.
const shownNeeds = 3
