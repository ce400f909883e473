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

// OverviewPage shows what needs a person, what happened, and health.
type OverviewPage struct {
	layout.Shell
	Needs      []Need // all; the page shows the first of them
	Step       int    // first step 1 to 3, or 0 when done
	Usage      Usage  // of the last day
	Executions []app.Execution
	Summaries  map[string]components.Summary // of Executions, by handle
	Box        BoxState
	Checks     []Check
	Live       bool // replaces parts of an open page
}

// Check tells when a basis of trust was last verified.
type Check struct {
	Word string
	At   time.Time // zero: never
	Bad  bool      // the last look found it wrong
	URL  string
}

// shownNeeds bounds the overview's part of the inbox.
const shownNeeds = 3
