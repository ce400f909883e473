package executionview

import (
	"net/url"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/format"
	"github.com/computclaw/airlock/views/layout"
)

func statusChoices() []components.Choice {
	list := components.Choices("", "All statuses")
	for _, s := range app.Statuses() {
		list = append(list, components.Choice{Value: string(s), Word: format.Status(s)})
	}
	return list
}

// ListPage lists executions, newest first.
type ListPage struct {
	layout.Shell
	Executions  []app.Execution
	Summaries   map[string]components.Summary // by handle
	Count       string                        // of all that match, in words
	Query       url.Values                    // the conditions
	Profiles    []components.Choice
	Credentials []string
	Older       string // URL of the next page; "" if this is the last
	Here        string // URL of this page, for refreshing; "" for older pages, which stand still
	CSV, Lines  string // URLs of the downloads
	Unfinished  bool   // the search stopped before the oldest execution
	Problems    components.Problems
}

// isFolded reports whether a folded condition is set.
func (p ListPage) isFolded() bool {
	for _, name := range []string{"from", "to", "credential", "host", "label", "skill"} {
		if p.Query.Has(name) {
			return true
		}
	}
	return len(p.Problems) > 0
}
