package plugins

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"time"
)

// Sandbox is the interface that a backend implements. Both calls block and obey only ctx. Both are
// safe for concurrent use, but one Check must have succeeded before the first Run.
type Sandbox interface {
	// Check takes the backend's configuration and reports what it can promise on this host. It
	// proves controls by trying to break them in a real box. A backend that can't work here returns
	// a Report that isn't Ready, with a Reason that a person can act on. An error means that the
	// call failed. Another call reconfigures. If ctx ends first it returns an error and changes
	// nothing. Check's own boxes are gone when it returns.
	Check(ctx context.Context, cfg Config) (Report, error)

	// Run opens one box, starts the guest in it (see GuestArgv), and relays stdio until the guest
	// ends. When it returns nothing of the box is left: no process, cgroup, mount, file or
	// container. An engine may remove its record of an ended container a moment later. When ctx
	// ends the box is killed and Exit.Reason is ReasonKilled with a nil error. An error means that
	// the box didn't open, was lost or could not be ended; the guest may or may not have run. With
	// an error a plugin's host gets no Exit.
	//
	// Run reads stdin no faster than the guest does, and blocks the guest when stdout is not
	// drained. End of file on stdin ends the guest. A Read of stdin may still wait when Run
	// returns; close the reader to end it.
	Run(ctx context.Context, spec Spec, stdin io.Reader, stdout io.Writer) (Exit, error)
}

// ErrLost means that the plugin process ended or broke the protocol during a call. The guest may or
// may not have run. The next call restarts the plugin.
var ErrLost = errors.New("sandbox plugin lost")

// ErrCut is an ErrLost whose connection to another machine or a container engine broke. The plugin
// itself still works.
var ErrCut error = cut{}

type cut struct{}

func (cut) Error() string { return "cut off from what the box ran on" }

func (cut) Is(target error) bool { return target == ErrLost }

// GuestArgv is the command of PID 1 in every box: airlock-init, put there by the backend. It speaks
// package wire on its stdin and stdout. The backend also provides a python3 on the guest's PATH
// (/usr/local/bin:/usr/bin:/bin), a /proc of the box's own, a writable /tmp as working directory,
// and a loopback interface with ports from 1 up. The guest starts with an empty environment.
//
// A backend of the restricted tier may add one argument, as package landlock/supervisor says. The guest
// then isn't PID 1, has another writable directory, and receives connections instead of binding
// ports.
var GuestArgv = []string{"/airlock-init"}

// Config is a host's configuration for Check. Plugins get no environment, so everything is in it.
type Config struct {
	// Instance labels everything the backend creates, so a restarted host sweeps only this
	// instance's leftovers. Letters, digits and dashes.
	Instance string
	// StateDir is a directory (0700) that belongs to this backend alone. It outlives restarts.
	StateDir string
	// Settings are the backend's own AIRLOCK_PLUGIN_<NAME>_* values, keyed by the lower-case rest
	// of the name.
	Settings map[string]string
	// Limits are those that most boxes will have; Check proves that they can be enforced.
	Limits Limits
}

// Limits bound one box. Zero means the backend's own default, never "no limit".
type Limits struct {
	Memory int64   // bytes, for all processes together, tmpfs included
	CPU    float64 // cores
	Pids   int64   // processes and threads
	Tmp    int64   // bytes in /tmp
	Files  int64   // open files per process
}

// Shm returns the size of a box's own /dev/shm in bytes. Its content counts as memory too, so half
// of that is left for the processes.
func (l Limits) Shm() int64 { return l.Memory / 2 }

// Spec describes one box.
type Spec struct {
	ID      string // unique per box; letters, digits and dashes
	Limits  Limits
	Runtime string // one of Report.Images; empty means the backend's default
	Fresh   bool   // don't fork the box from a template: see Report.Templates
	// Imports are modules that many scripts import, sorted, for later templates to load. They make
	// no visible difference to a script. Empty changes nothing.
	Imports []string
}

// Reason says why a box ended. It comes from the wait status and the kernel's counters, never from
// the guest.
type Reason string

// The reasons.
const (
	ReasonExit   Reason = "exit"   // the guest ended by itself; see Code and Signal
	ReasonOOM    Reason = "oom"    // the memory limit was exceeded
	ReasonPids   Reason = "pids"   // the process limit was exceeded and the box had to be killed
	ReasonTmp    Reason = "tmp"    // the box's files exceeded their limit and the box had to be killed
	ReasonKilled Reason = "killed" // ctx ended
)

// Exit is how a box ended.
type Exit struct {
	Code       int // exit code of the guest's PID 1; -1 if a signal ended it
	Signal     int // 0 if none
	Reason     Reason
	PeakMemory int64 // bytes; 0 if it could not be measured
	CPUTime    time.Duration
	PidsHit    bool   // the process limit refused at least one fork or thread
	Diagnostic string // last lines the guest's PID 1 wrote to stderr, at most 4 KiB, for operators and never for agents
}

// Tier grades a backend's isolation.
type Tier string

// The tiers. A backend that reaches neither Full nor Restricted refuses to run.
const (
	TierFull       Tier = "full"
	TierRestricted Tier = "restricted"
	TierNone       Tier = "none"
)

// Report is what Check found out.
type Report struct {
	Name    string
	Version string // of the backend and what it drives, for people
	Ready   bool
	Reason  string // why not ready, and what to do about it; empty if ready
	Tier    Tier
	// Controls lists each control that was tried on this host.
	Controls []Control
	// Enforced says how each limit ("memory", "cpu", "pids", "tmp", "files") is held: "cgroup",
	// "rlimit", "polled", "tmpfs", or "" if not.
	Enforced map[string]string
	// Runtime identifies the software in the box, for manifests: an image id or a digest of the
	// root, at most 1 KiB.
	Runtime string
	// Images maps the other allowed values of Spec.Runtime to identities as in Runtime. Nil if
	// there is no choice.
	Images map[string]string
	// Templates means that boxes are forked from a template, unless that fails or Spec.Fresh
	// forbids it. Boxes of one template share an address layout.
	Templates bool
	// Notes are sentences for agents on how scripts differ here from a box with namespaces. They
	// appear in the instance's manual and in errors. At most MaxNotes of MaxNote bytes; others are
	// dropped.
	Notes []string
}

// Bounds of Report.Notes.
const (
	MaxNotes = 8
	MaxNote  = 300
)

// PromisesAs reports whether boxes under both reports are equally strong, with the same software.
func (r Report) PromisesAs(other Report) bool {
	return r.Tier == other.Tier && r.Runtime == other.Runtime && maps.Equal(r.Images, other.Images)
}

// Keeps returns why boxes under r don't keep the promises of promised, or nil.
func (r Report) Keeps(promised Report) error {
	switch {
	case !r.Ready:
		return fmt.Errorf("not ready: %s", r.Reason)
	case !r.PromisesAs(promised):
		return errors.New("it does not promise what it did before; it has to be proved anew")
	}
	return nil
}

// Control is the outcome of one attempt to break out.
type Control struct {
	Name   string // such as "no network" or "environment is empty"
	Proved bool
	Detail string // what was tried; if not proved, what happened; if not applicable, why
	// Fix tells an operator how to get it proved: the exact command, flag or file. Empty if it is
	// proved or nothing helps.
	Fix string
	// NotApplicable says that there is nothing to prove on this host. Proved is false then.
	NotApplicable bool
}
