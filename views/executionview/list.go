package executionview

import (
	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/layout"
)

// Rare reports whether one of the conditions is set that are folded away.
func (f Filter) Rare() bool {
	return f.From != "" || f.To != "" || f.Credential != "" || f.Host != ""
}

// Filter is what a person looks for, as it stands in the URL.
type Filter struct {
	Text       string
	Profile    string // handle
	Status     app.Status
	From, To   string // days, 2026-11-20
	Credential string // name
	Host       string
}

// ListPage lists executions, newest first.
type ListPage struct {
	layout.Shell
	Executions  []app.Execution
	Filter      Filter
	Profiles    []components.Choice
	Credentials []string
	Older       string // URL of the next page; "" if this is the last
	Here        string // URL of this page, for refreshing
	CSV, Lines  string // URLs of the downloads
	First       bool   // the newest page of a search that is right, which new executions appear on
	Unfinished  bool   // only so much was looked through
	Problems    components.Problems
}
