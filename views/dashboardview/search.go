package dashboardview

import (
	"slices"
	"strings"

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

// Place is a page or global action, with search synonyms.
type Place struct {
	Found
	Words string
}

// Places returns the pages and actions that the page's person can find.
func Places(s layout.Shell) []Place {
	var all []Place
	words := map[layout.Section]string{
		layout.SectionInbox:      "requests todo approvals notifications",
		layout.SectionProfiles:   "agents tokens access grants",
		layout.SectionExecutions: "runs scripts jobs history logs",
		layout.SectionStatistics: "stats charts usage metrics latency p95",
		layout.SectionSandbox:    "backends isolation bubblewrap landlock docker ssh",
		layout.SectionAudit:      "log history who events chain",
		layout.SectionSettings:   "preferences options configuration account",
	}
	for _, p := range append(layout.MainPlaces(), layout.OtherPlaces()...) {
		all = append(all, Place{Found{p.Icon, p.Word, "Page", p.URL}, words[p.Section]})
	}
	all = append(all,
		Place{Found{"download", "Backups", "Settings, data", paths.SettingsBackups}, "restore s3 save copy"},
		Place{Found{"download", "Export & import", "Settings, data", paths.SettingsMove},
			"move migrate transfer host restore points instance key retire"},
		Place{Found{"person", "People", "Settings", paths.SettingsPeople}, "users members team accounts admin token"},
		Place{Found{"settings", "Instance", "Settings", paths.SettingsInstance}, "version address vault redaction rules"},
		Place{Found{"clock", "Retention", "Settings, data", paths.SettingsData}, "delete old database size disk cleanup"},
		Place{Found{"auto", "Theme", "Action", paths.Settings + "#appearance"}, "dark light mode appearance colours"},
		Place{Found{"settings", "Keyboard shortcuts", "Settings, account", paths.Settings + "#appearance"}, "keys"},
		Place{Found{"plus", "Create a profile", "Action", paths.ProfileNew}, "new agent"},
		Place{Found{"plus", "Add a credential", "Action", paths.CredentialNew}, "new secret key password"},
		Place{Found{"plus", "Paste a .env file", "Action", paths.CredentialPaste}, "import credentials dotenv"},
		Place{Found{"person", "Invite someone", "Action", paths.SettingsPeople}, "add user"},
		Place{Found{"clock", "Pause or resume all executions", "Action", paths.SettingsInstance + "#pause"},
			"stop maintenance"},
		Place{Found{"settings", "Change your password", "Settings, account", paths.Settings + "#password-card"}, ""},
		Place{Found{"out", "Sessions", "Settings, account", paths.Settings + "#sessions"}, "log out devices logged in"},
	)
	return slices.DeleteFunc(all, func(p Place) bool {
		page, _, _ := strings.Cut(p.URL, "#")
		return !s.CanOpen(page)
	})
}
