package credentialview

import (
	"net/url"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/testrequest"
	"github.com/computclaw/airlock/views/components"
)

// checkState describes the last test request.
type checkState struct {
	class string // of the state
	icon  string
	words string // a time may follow
	at    time.Time
	why   string // the failure
}

// lastCheck returns the last test's outcome. Tests older than value or settings don't count.
func lastCheck(c app.Credential) checkState {
	switch {
	case c.Mode != app.ModeSealed || !c.HasValue():
		return checkState{}
	case c.CheckedAt.IsZero():
		return checkState{words: "not tested"}
	case c.CheckedAt.Before(c.ValueSetAt) || c.CheckedAt.Before(c.UpdatedAt):
		return checkState{words: "not tested since it was changed"}
	case c.CheckError != "":
		return checkState{class: "error", icon: "error", words: "failed", at: c.CheckedAt, why: c.CheckError}
	}
	if !c.CheckProved {
		return checkState{words: "reached, not proved"}
	}
	return checkState{class: "ready", icon: "check", words: "works", at: c.CheckedAt}
}

// CheckForm is a test request's form and outcome.
type CheckForm struct {
	Targets   []string // host:port to choose from
	Wildcards []string // patterns for hosts to name
	Typed     url.Values
	Outcome   *testrequest.Result // nil if none was just sent
	Problems  components.Problems // why none was
}

// pathHint tells which path makes a test meaningful.
const pathHint = "One that answers only with a valid key, such as /v1/me. Airlock sends the request again without " +
	"the value and with a made-up one, and compares the answers."
