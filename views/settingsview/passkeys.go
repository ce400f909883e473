package settingsview

import (
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/layout"
)

// NewPasskeyPage asks for a name and has the browser make a passkey.
type NewPasskeyPage struct {
	layout.Shell
	Name     string
	Form     components.PasskeyForm
	Problems components.Problems
}
