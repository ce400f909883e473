package views

import "time"

// SettingsPage holds what belongs to this browser, to the person, and to who may log in.
type SettingsPage struct {
	Shell
	Address     string
	PersonID    string
	SessionID   string
	People      []PersonRow
	Invitations []InvitationRow
	Sessions    []SessionRow
	Token       TokenRow
	Problems    Problems    // of the form for the password
	Vault       *VaultState // nil if none is configured
	Retention   RetentionState
	Rules       []RuleRow
	Live        bool // it replaces parts of a page that is open
}

// RuleRow is one rule of redaction.
type RuleRow struct {
	Name  string
	About string
	Own   bool // an operator's, not built in
	Off   bool
}

// PersonRow is somebody who may log in.
type PersonRow struct {
	ID        string
	Name      string
	CreatedAt time.Time
	LastLogin time.Time
	From      string
}

// InvitationRow is an invitation that nobody has used.
type InvitationRow struct {
	ID        string
	By        string
	CreatedAt time.Time
	ExpiresAt time.Time
}

// SessionRow is one open session.
type SessionRow struct {
	ID        string
	PersonID  string
	Person    string
	Address   string
	Browser   string // as people call it
	CreatedAt time.Time
	SeenAt    time.Time
	ExpiresAt time.Time
}

// TokenRow is how the admin token stands.
type TokenRow struct {
	MadeAt  time.Time
	SpentAt time.Time
	From    string
	By      string
}

// InvitedPage shows an invitation, once.
type InvitedPage struct {
	Shell
	Token   string
	Expires time.Time
}

// InvitationText is what a person hands to somebody who is to join.
func InvitationText(base, token string) string {
	return "Open " + base + Token + " and log in with this token. It works once; then you choose a name and a password.\n" + token
}

func orAirlock(name string) string {
	if name == "" {
		return "airlock admin"
	}
	return name
}

// mine reports whether it is the session of this page.
func (p SettingsPage) mine(s SessionRow) bool { return s.ID == p.SessionID }

// othersOpen reports whether there is another session than this one.
func (p SettingsPage) othersOpen() bool { return len(p.Sessions) > 1 }

func keysChoice(off bool) string {
	if off {
		return "off"
	}
	return "on"
}

// settingsIndex are the parts of the settings.
func settingsIndex(p SettingsPage) []entry {
	list := []entry{{"appearance", "Appearance"}, {"pause", "Pause"}, {"password-card", "Password"}, {"sessions", "Sessions"}, {"people", "People"}, {"token-card", "Admin token"}}
	if p.Vault != nil {
		list = append(list, entry{"vault", "Vault"})
	}
	list = append(list, entry{"retention", "Retention"})
	if len(p.Rules) > 0 {
		list = append(list, entry{"redaction", "Redaction"})
	}
	return append(list, entry{"house", "Backups and moving"}, entry{"instance", "Instance"})
}
