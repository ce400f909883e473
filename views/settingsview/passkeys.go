package settingsview

import (
	"time"

	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/layout"
)

// PasskeyRow is one passkey of the page's person.
type PasskeyRow struct {
	ID        string // as addresses name it
	Name      string
	Host      string // the only one that it works for
	CreatedAt time.Time
	UsedAt    time.Time // zero: never
}

// NewPasskeyPage asks for a name and has the browser make a passkey.
type NewPasskeyPage struct {
	layout.Shell
	Name     string
	Form     components.PasskeyForm
	Problems components.Problems
}
