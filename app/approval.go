package app

import (
	"fmt"
	"time"
)

// MayRun says which code a profile may run. A person chooses it.
type MayRun string

// The rules for code, from the most permissive.
const (
	MayRunAny             MayRun = "any"              // whatever the agent sends
	MayRunApprovedScripts MayRun = "approved_scripts" // scripts and skills that a person approved
	MayRunApprovedSkills  MayRun = "approved_skills"  // only skills that a person approved
)

// ParseMayRun returns the rule of that name.
func ParseMayRun(s string) (MayRun, error) {
	switch m := MayRun(s); m {
	case MayRunAny, MayRunApprovedScripts, MayRunApprovedSkills:
		return m, nil
	}
	return "", Invalid("may_run", fmt.Sprintf("may_run %q is not known", Clip(s, 40)),
		"Choose any, approved_scripts or approved_skills.")
}

// Sentence tells people what a profile may run.
func (m MayRun) Sentence() string {
	switch m {
	case MayRunApprovedScripts:
		return "Runs only scripts and skills that a person approved."
	case MayRunApprovedSkills:
		return "Runs only skills that a person approved, no scripts."
	}
	return "Runs any script that its agent sends."
}

// ApprovalKind is the subject of an approval.
type ApprovalKind string

// ApprovalScript approves one script, by the sha256 of its bytes.
const ApprovalScript ApprovalKind = "script"

// ApprovalState is the state of an approval.
type ApprovalState string

// The states. At most one approval per subject is open, approved or refused; the others are
// history.
const (
	ApprovalOpen      ApprovalState = "open"      // a person is asked
	ApprovalApproved  ApprovalState = "approved"  // it may run
	ApprovalUsed      ApprovalState = "used"      // it was approved once, and ran
	ApprovalRefused   ApprovalState = "refused"   // it may not run, and agents are told so at once
	ApprovalRevoked   ApprovalState = "revoked"   // it may not run until it is approved anew
	ApprovalWithdrawn ApprovalState = "withdrawn" // nobody waited when a person decided
)

// ApprovalScope is how far an approval reaches.
type ApprovalScope string

// The scopes.
const (
	ApproveOnce   ApprovalScope = "once"   // one execution
	ApproveAlways ApprovalScope = "always" // all executions of the profile, until it is revoked
)

// Approval is a person's answer, or the question, about one exact thing.
type Approval struct {
	ID            string
	Kind          ApprovalKind
	Subject       string // what it covers exactly: of a script its sha256, hex
	Shown         string // the script, redacted
	ProfileHandle string
	Execution     string // handle of the execution that asked first
	State         ApprovalState
	Scope         ApprovalScope // "" until it is approved
	Reason        string        // of a refusal or revocation, for the agent
	AskedAt       time.Time
	DecidedBy     Actor
	DecidedAt     time.Time // zero: not decided
	Waiting       int       // executions that wait for it
}

// MaxReason is the longest reason of a decision, in bytes.
const MaxReason = 1000
