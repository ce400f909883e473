package settingsview

import (
	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/auth"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/app/redact/patterns"
	"github.com/computclaw/airlock/app/retention"
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/layout"
	"github.com/computclaw/airlock/views/paths"
)

// SettingsPage is a page of the settings.
type SettingsPage struct {
	layout.Shell
	Address     string
	PersonID    string
	SessionID   string
	People      []auth.Person
	Invitations []auth.Invitation
	Sessions    []auth.SessionInfo
	Passkeys    []app.Passkey // of the page's person
	// PasskeyOrigin is the address for passkeys, "" where they don't work.
	PasskeyOrigin string
	Token         auth.TokenState
	Problems      components.Problems      // of the form for the password
	Vault         *credentials.VaultStatus // nil if none is configured
	Retention     retention.Status
	Database      int64 // bytes
	Reusable      int64 // of these, bytes that are free
	Rules         []patterns.Entry
	Here          string // paths.Settings, SettingsPeople, SettingsInstance or SettingsData
	Live          bool   // replaces parts of an open page
}

func (p SettingsPage) mine(s auth.SessionInfo) bool { return s.ID == p.SessionID }

// othersOpen reports whether another session exists.
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
