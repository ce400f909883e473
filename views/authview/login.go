package authview

import (
	"github.com/a-h/templ"

	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/layout"
)

// LoginPage asks for name and password, or a token.
type LoginPage struct {
	layout.Shell
	Token   bool   // asks for a token
	First   bool   // nobody can log in with a name yet
	TokenAt string // where this platform shows the admin token; "" if unknown
	Name    string
	Next    string
	Said    string // what happened before
	Problem string
	// Passkeys is the passkey form, or nil.
	Passkeys *components.PasskeyForm
}

// nameAttributes ties the name to the password's message, which doesn't tell which is wrong.
func (p LoginPage) nameAttributes() templ.Attributes {
	a := components.DescribeField("password", false, p.Problem)
	a["autofocus"] = p.Name == ""
	return a
}

// tokenHint says where a token comes from.
func (p LoginPage) tokenHint() string {
	switch {
	case !p.First:
		return "It works once. Forgotten your password? On the host of Airlock, with the same AIRLOCK_DATA_DIR " +
			"as the server, airlock admin token prints a new one."
	case p.TokenAt != "":
		return p.TokenAt + " It works once: next you choose a name and a password."
	}
	return "Airlock printed the admin token at its first start, unless AIRLOCK_ADMIN_TOKEN sets it. " +
		"It works once: next you choose a name and a password."
}
