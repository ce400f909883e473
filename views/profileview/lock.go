package profileview

import (
	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/layout"
)

// LockPage is the last look before the lock.
type LockPage struct {
	layout.Shell
	Profile  app.Profile
	Granted  []KeyGrant
	Allowed  []app.Host
	Blocked  string // why it can't be locked now; "" if it can
	Problems components.Problems

	Unresolved []Unresolved // of its keys; that doesn't keep it from being locked
}
