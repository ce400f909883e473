package dashboardview

import (
	"github.com/computclaw/airlock/views/layout"
	"github.com/computclaw/airlock/views/paths"
)

// SearchPage lists what a search found.
type SearchPage struct {
	layout.Shell
	Text  string
	Token bool // a token was typed
	Found []Found
}

// Found is one result.
type Found struct {
	Icon  string
	Title string
	Note  string
	URL   string
}

// Places are the pages, and what can be begun from anywhere.
func Places() []Found {
	var all []Found
	for _, p := range append(layout.MainPlaces(), layout.OtherPlaces()...) {
		all = append(all, Found{p.Icon, p.Word, "Page", p.URL})
	}
	return append(all,
		Found{"plus", "Create a profile", "Action", paths.ProfileNew},
		Found{"plus", "Add a credential", "Action", paths.CredentialNew},
		Found{"plus", "Paste a .env file", "Action", paths.CredentialPaste},
		Found{"person", "Invite somebody", "Action, people", paths.Settings + "#people"},
		Found{"clock", "Pause or resume all executions", "Action", paths.Settings + "#pause"},
		Found{"settings", "Change your password", "Action", paths.Settings + "#password-card"},
		Found{"out", "Sessions", "Who is logged in", paths.Settings + "#sessions"},
	)
}
