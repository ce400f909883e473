package settingsview

import (
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/layout"
	"github.com/computclaw/airlock/views/paths"
)

// roleChoices are the roles as people choose them.
func roleChoices() []components.Choice {
	return components.Choices(
		string(app.RoleOwner), "Owner: everything",
		string(app.RoleOperator), "Operator: all but people and exports",
		string(app.RoleViewer), "Viewer: reads only",
	)
}

// roleWords are the roles in one word each.
func roleWords() []components.Choice {
	return components.Choices(string(app.RoleOwner), "Owner", string(app.RoleOperator), "Operator",
		string(app.RoleViewer), "Viewer")
}

// InvitedPage shows an invitation, once.
type InvitedPage struct {
	layout.Shell
	Token   string
	Expires time.Time
	Role    app.Role
}

// InvitationText returns the text for an invited person.
func InvitationText(base, token string) string {
	return "Open " + base + paths.Token + " and log in with this token. " +
		"It works once; then you choose a name and a password.\n" + token
}
