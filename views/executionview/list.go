package executionview

import (
	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/format"
	"github.com/computclaw/airlock/views/layout"
)

// Filter holds a search's conditions from the URL.
type Filter struct {
	Text       string
	Profile    string // handle
	Status     app.Status
	From, To   string // days, 2026-11-20
	Credential string // name
	Host       string
	Label      string // whole
	Skill      string // name, or name@number
}

// folded reports whether a folded condition is set.
func (f Filter) folded() bool {
	return f.From != "" || f.To != "" || f.Credential != "" || f.Host != "" || f.Label != "" ||
		f.Skill != ""
}

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
	Filter      Filter
	Profiles    []components.Choice
	Credentials []string
	Older       string // URL of the next page; "" if this is the last
	Here        string // URL of this page, for refreshing; "" for older pages, which stand still
	CSV, Lines  string // URLs of the downloads
	Unfinished  bool   // the search stopped before the oldest execution
	Problems    components.Problems
}
