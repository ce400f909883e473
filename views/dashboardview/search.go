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
	Words string // other words that find it
}

// Places returns the pages and actions that the page's person can find.
func Places(s layout.Shell) []Found {
	var all []Found
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
		all = append(all, Found{p.Icon, p.Word, "Page", p.URL, words[p.Section]})
	}
	all = append(all,
		Found{"download", "Backups", "Settings, data", paths.SettingsBackups, "restore s3 save copy"},
		Found{"download", "Export & import", "Settings, data", paths.SettingsMove,
			"move migrate transfer host restore points instance key retire"},
		Found{"person", "People", "Settings", paths.SettingsPeople, "users members team accounts admin token"},
		Found{"settings", "Instance", "Settings", paths.SettingsInstance, "version address vault redaction rules"},
		Found{"clock", "Retention", "Settings, data", paths.SettingsData, "delete old database size disk cleanup"},
		Found{"auto", "Theme", "Action", paths.Settings + "#appearance", "dark light mode appearance colours"},
		Found{"settings", "Keyboard shortcuts", "Settings, account", paths.Settings + "#appearance", "keys"},
		Found{"plus", "Create a profile", "Action", paths.ProfileNew, "new agent"},
		Found{"plus", "Add a credential", "Action", paths.CredentialNew, "new secret key password"},
		Found{"plus", "Paste a .env file", "Action", paths.CredentialPaste, "import credentials dotenv"},
		Found{"person", "Invite someone", "Action", paths.SettingsPeople, "add user"},
		Found{"clock", "Pause or resume all executions", "Action", paths.SettingsInstance + "#pause",
			"stop maintenance"},
		Found{"settings", "Change your password", "Settings, account", paths.Settings + "#password-card", ""},
		Found{"out", "Sessions", "Settings, account", paths.Settings + "#sessions", "log out devices logged in"},
	)
	return slices.DeleteFunc(all, func(p Found) bool {
		page, _, _ := strings.Cut(p.URL, "#")
		return !s.CanOpen(page)
	})
}
