package skills

import (
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/shares"
)

// Patience is how long callers wait for a turn to hold a skill's files.
const Patience = 20 * time.Second

// NewTurns returns two turns to hold a skill's files in memory, one a name. Each holds up to two
// bundles of bundle.MaxUnpacked. Eight callers may wait, each with up to bundle.MaxPacked.
func NewTurns() *shares.Turns {
	return shares.NewTurns(2, shares.New(8), app.E(app.CodeRateLimited,
		"too many skills are being sent and read at once", "Wait 5 s, then try again."))
}
