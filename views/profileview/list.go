package profileview

import (
	"net/url"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/format"
	"github.com/computclaw/airlock/views/layout"
)

// ListRow is one profile in the list.
type ListRow struct {
	Profile app.Profile
	State   app.State
	Beats   []Beat
}

// ListPage lists who may do what.
type ListPage struct {
	layout.Shell
	Profiles []ListRow
	Query    url.Values // the filters
	Here     string     // URL of this page, for refreshing
	Total    int        // without filters
}

func stateChoices() []components.Choice {
	list := components.Choices("", "All")
	for _, s := range []app.State{app.StateUnlocked, app.StateLocked, app.StateExpired, app.StateRevoked} {
		list = append(list, components.Choice{Value: string(s), Word: format.State(s)})
	}
	return list
}

// NewPage is the form of a person's new profile.
type NewPage struct {
	layout.Shell
	Name     string
	Purpose  string
	Problems components.Problems
}
