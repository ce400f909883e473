package profileview

import (
	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/profiles"
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/layout"
)

// LockPage is the last look before the lock.
type LockPage struct {
	layout.Shell
	Profile  app.Profile
	Granted  []profiles.KeyGrant
	Allowed  []app.Host
	Blocked  string // why it can't be locked now; "" if it can
	Problems components.Problems

	Unresolved []Unresolved // of its keys; doesn't prevent the lock
}

// grants describes the lock's grants, without what may run.
func (p LockPage) grants() []profiles.Sentence {
	p.Profile.MayRun = app.MayRunAny
	return profiles.DescribeGranted(p.Profile, p.Granted, p.Allowed)
}
