package settingsview

import (
	"time"

	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/layout"
)

// SettingsPage holds what belongs to this browser, to the person, and to who may log in.
type SettingsPage struct {
	layout.Shell
	Address     string
	PersonID    string
	SessionID   string
	People      []PersonRow
	Invitations []InvitationRow
	Sessions    []SessionRow
	Token       TokenRow
	Problems    components.Problems // of the form for the password
	Vault       *VaultState         // nil if none is configured
	Retention   RetentionState
	Rules       []RuleRow
	Live        bool // it replaces parts of a page that is open
}

// TokenRow is how the admin token stands.
type TokenRow struct {
	MadeAt  time.Time
	SpentAt time.Time
	From    string
	By      string
}

// mine reports whether it is the session of this page.
func (p SettingsPage) mine(s SessionRow) bool { return s.ID == p.SessionID }

// othersOpen reports whether there is another session than this one.
func (p SettingsPage) othersOpen() bool { return len(p.Sessions) > 1 }

// settingsIndex are the parts of the settings.
func settingsIndex(p SettingsPage) []components.IndexEntry {
	list := []components.IndexEntry{
		{ID: "appearance", Word: "Appearance"},
		{ID: "pause", Word: "Pause"},
		{ID: "password-card", Word: "Password"},
		{ID: "sessions", Word: "Sessions"},
		{ID: "people", Word: "People"},
		{ID: "token-card", Word: "Admin token"},
	}
	if p.Vault != nil {
		list = append(list, components.IndexEntry{ID: "vault", Word: "Vault"})
	}
	list = append(list, components.IndexEntry{ID: "retention", Word: "Retention"})
	if len(p.Rules) > 0 {
		list = append(list, components.IndexEntry{ID: "redaction", Word: "Redaction"})
	}
	return append(list,
		components.IndexEntry{ID: "house", Word: "Backups and moving"},
		components.IndexEntry{ID: "instance", Word: "Instance"})
}
