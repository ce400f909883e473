package dashboardview

import (
	"strconv"
	"time"

	"github.com/computclaw/airlock/views/layout"
)

// Proof is a sandbox control and its proof on this host.
type Proof struct {
	Name          string
	Proved        bool
	NotApplicable bool
	Detail        string
	Fix           string // what an operator can do
}

// Limit is a limit with its enforcement.
type Limit struct {
	Name string
	How  string
}

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

// BoxBackend is a configured backend with its last proof.
type BoxBackend struct {
	Name     string
	Checking bool // first proof in progress or due
	Version  string
	Tier     string
	InUse    bool
	Default  bool
	Passed   bool
	Again    bool // tried again by itself
	Reason   string
	Proved   time.Time // zero: not yet
	Runtime  string
	Images   []string
	Proofs   []Proof
	Limits   []Limit
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
	for _, p := range b.Proofs {
		if p.Proved {
			proved++
		}
		if !p.NotApplicable {
			of++
		}
	}
	return proved, of
}

func (b BoxBackend) provedText() string {
	proved, of := b.ProvedCount()
	return strconv.Itoa(proved) + " of " + strconv.Itoa(of)
}

// standard returns the default backend, or the first tried.
func (b BoxState) standard() BoxBackend {
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

// ProvedAt returns the default backend's last proof, or zero.
func (b BoxState) ProvedAt() time.Time { return b.standard().Proved }

// needsAttention reports whether a person must act.
func (b BoxState) needsAttention() bool { return !b.Ready && !b.Checking }

// SandboxPage shows what holds a script.
type SandboxPage struct {
	layout.Shell
	Box BoxState
}
