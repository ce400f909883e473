package authview

import (
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/layout"
)

// PasswordPage asks for the password again before something that can't be taken back.
type PasswordPage struct {
	layout.Shell
	Name    string
	Next    string
	Problem string
	// Passkeys is the form for a passkey; nil if the person has none, or none works at this address.
	Passkeys *components.PasskeyForm
}
