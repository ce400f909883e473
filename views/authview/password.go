package authview

import (
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/layout"
)

// PasswordPage asks for the password before something irreversible.
type PasswordPage struct {
	layout.Shell
	Name    string
	Next    string
	Problem string
	// Passkeys is the passkey form, or nil if none works here.
	Passkeys *components.PasskeyForm
}
