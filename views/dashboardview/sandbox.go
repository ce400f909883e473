package dashboardview

import (
	"strings"
	"time"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/views/layout"
)

// BoxState is how the sandboxes are now.
type BoxState struct {
	Ready    bool
	Checking bool   // scripts wait for the first proofs
	Backend  string // the default one
	Tier     string
	Reason   string // why none is ready and what to do
	Backends []BoxBackend
	Workers  int
	Running  int
	Opening  int // wait for a box without a run slot
	Waiting  int
	Queued   int
	Warm     int
}

// BoxBackend is a configured backend with its last proof. It has the fields of
// sandbox.BackendHealth.
type BoxBackend struct {
	Name     string
	Checking bool // first proof in progress or due
	InUse    bool
	Default  bool
	Passed   bool
	Reason   string
	Again    bool              // tried again by itself
	Proved   time.Time         // zero: not yet
	Images   map[string]string // to choose from
	Report   plugins.Report
	Warm     int
	Afresh   bool // its template is not ready
}

// State tells in one word whether scripts run in it.
func (b BoxBackend) State() string {
	switch {
	case b.Default:
		return "Default"
	case b.InUse:
		return "In use"
	case b.Checking:
		return "Being checked"
	case b.Passed:
		return "Not needed"
	case b.Proved.IsZero() && b.Reason == "":
		return "Not proved yet"
	}
	return "Not used"
}

// ProvedCount counts proved and provable controls.
func (b BoxBackend) ProvedCount() (proved, of int) {
	for _, c := range b.Report.Controls {
		if c.Proved {
			proved++
		}
		if !c.NotApplicable {
			of++
		}
	}
	return proved, of
}

// Standard returns the default backend, or the first tried.
func (b BoxState) Standard() BoxBackend {
	for _, one := range b.Backends {
		if one.Default {
			return one
		}
	}
	if len(b.Backends) > 0 {
		return b.Backends[0]
	}
	return BoxBackend{}
}

// plainName writes the name of a control or limit for people.
func plainName(name string) string { return strings.ReplaceAll(name, "_", " ") }

// needsAttention reports whether a person must act.
func (b BoxState) needsAttention() bool { return !b.Ready && !b.Checking }

// SandboxPage shows what holds a script.
type SandboxPage struct {
	layout.Shell
	Box BoxState
}
