package profileview

import (
	"net/url"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/format"
	"github.com/computclaw/airlock/views/layout"
	"github.com/computclaw/airlock/views/paths"
)

// ListRow is one profile in the list.
type ListRow struct {
	Profile app.Profile
	State   app.State
	Beats   []Beat
}

// grants counts what it opens.
func (r ListRow) grants() string {
	hosts := app.AllowedHosts(r.Profile.Hosts)
	return format.Count(int64(len(r.Profile.Keys)), "key") + ", " + format.Count(int64(len(hosts)), "host")
}

// ends returns the words before the end's time; "" without one or after revocation.
func (r ListRow) ends() string {
	switch {
	case r.Profile.ExpiresAt.IsZero() || r.State == app.StateRevoked:
		return ""
	case r.State == app.StateExpired:
		return "ended "
	}
	return "ends "
}

// ListPage lists who may do what.
type ListPage struct {
	layout.Shell
	Profiles []ListRow
	State    app.State // filter; "" for all
	Text     string    // filter
	Total    int       // without filters
}

// url is the list's with its filters.
func (p ListPage) url() string {
	query := url.Values{}
	if p.Text != "" {
		query.Set("q", p.Text)
	}
	if p.State != "" {
		query.Set("state", string(p.State))
	}
	if len(query) == 0 {
		return paths.Profiles
	}
	return paths.Profiles + "?" + query.Encode()
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
