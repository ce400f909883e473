package settingsview

import (
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/layout"
	"github.com/computclaw/airlock/views/paths"
)

// SettingsPage is one of the pages of the settings.
type SettingsPage struct {
	layout.Shell
	Address     string
	PersonID    string
	SessionID   string
	Role        app.Role
	People      []PersonRow
	Invitations []InvitationRow
	Sessions    []SessionRow
	Passkeys    []PasskeyRow // of the page's person
	// PasskeyOrigin is the address at which passkeys work; "" if they don't work at this one.
	PasskeyOrigin string
	Token         TokenRow
	Problems      components.Problems // of the form for the password
	Vault         *VaultState         // nil if none is configured
	Retention     RetentionState
	Rules         []RuleRow
	Here          string // which of the pages it is: paths.Settings, SettingsPeople, SettingsInstance or SettingsData
	Live          bool   // it replaces parts of a page that is open
}

// TokenRow is how the admin token stands.
type TokenRow struct {
	MadeAt  time.Time
	SpentAt time.Time
	From    string
	By      string
}

// rules reports whether the page's person is an owner.
func (p SettingsPage) rules() bool { return p.Role == app.RoleOwner }

// mine reports whether it is the session of this page.
func (p SettingsPage) mine(s SessionRow) bool { return s.ID == p.SessionID }

// othersOpen reports whether there is another session than this one.
func (p SettingsPage) othersOpen() bool { return len(p.Sessions) > 1 }

// parts are the pages of the settings.
func parts() []layout.Place {
	return []layout.Place{
		{URL: paths.Settings, Word: "Account"},
		{URL: paths.SettingsPeople, Word: "People"},
		{URL: paths.SettingsInstance, Word: "Instance"},
		{URL: paths.SettingsData, Word: "Data"},
	}
}
