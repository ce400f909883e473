package settingsview

import (
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/layout"
	"github.com/computclaw/airlock/views/paths"
)

// PersonRow is somebody who may log in.
type PersonRow struct {
	ID            string
	Name          string
	PasswordSetAt time.Time
	CreatedAt     time.Time
	LastLoginAt   time.Time // zero: never
	LastLoginFrom string
	Passkeys      int
}

// InvitationRow is an invitation that nobody has used.
type InvitationRow struct {
	ID        string
	By        app.Actor
	CreatedAt time.Time
	ExpiresAt time.Time
}

// InvitedPage shows an invitation, once.
type InvitedPage struct {
	layout.Shell
	Token   string
	Expires time.Time
}

// InvitationText is what a person hands to somebody who is to join.
func InvitationText(base, token string) string {
	return "Open " + base + paths.Token + " and log in with this token. " +
		"It works once; then you choose a name and a password.\n" + token
}
