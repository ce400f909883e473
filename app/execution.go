package app

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Status is the state of an execution.
type Status string

// The statuses.
const (
	StatusAwaitingApproval Status = "awaiting_approval" // a person has to approve its script first
	StatusPending          Status = "pending"
	StatusRunning          Status = "running"
	StatusAwaitingLLM      Status = "awaiting_llm"
	StatusCompleted        Status = "completed"
	StatusError            Status = "error"
	StatusTimeout          Status = "timeout"
	StatusCancelled        Status = "cancelled"
)

// Statuses lists all in the order of use.
func Statuses() []Status {
	return []Status{StatusAwaitingApproval, StatusPending, StatusRunning, StatusAwaitingLLM, StatusCompleted,
		StatusError, StatusTimeout, StatusCancelled}
}

// Terminal reports whether the status is final.
func (s Status) Terminal() bool {
	switch s {
	case StatusCompleted, StatusError, StatusTimeout, StatusCancelled:
		return true
	}
	return false
}

// IsQueued reports whether an execution with the status is unclaimed.
func (s Status) IsQueued() bool { return s == StatusPending || s == StatusAwaitingApproval }

// CanBecome reports whether s may change to next.
func (s Status) CanBecome(next Status) bool {
	switch s {
	case StatusAwaitingApproval:
		return next == StatusPending || next == StatusCancelled || next == StatusError || next == StatusTimeout
	case StatusPending:
		return next == StatusRunning || next == StatusCancelled || next == StatusError || next == StatusTimeout
	case StatusRunning:
		return next == StatusAwaitingLLM || next.Terminal()
	case StatusAwaitingLLM:
		return next == StatusRunning || (next.Terminal() && next != StatusCompleted)
	}
	return false
}

// ParseStatus accepts the statuses by name.
func ParseStatus(s string) (Status, error) {
	if slices.Contains(Statuses(), Status(s)) {
		return Status(s), nil
	}
	return "", Invalid("status", fmt.Sprintf("status %q is not known", Clip(s, 40)),
		"Use one of awaiting_approval, pending, running, awaiting_llm, completed, error, timeout, cancelled.")
}

// Phase says what an unfinished execution is doing.
type Phase string

// The phases, in order.
const (
	PhaseAwaitingApproval Phase = "awaiting_approval"
	PhaseQueued           Phase = "queued"
	PhaseStarting         Phase = "starting" // waits for its sandbox
	PhaseRunning          Phase = "running"
	PhaseAwaitingLLM      Phase = "awaiting_llm"
	PhaseFinishing        Phase = "finishing" // the script has ended; its output is being redacted and stored
)

// Execution is one run of one script under one profile. Texts are redacted.
type Execution struct {
	ID            string
	Handle        string // not secret: names the execution in logs and URLs of the UI
	ProfileID     string
	ProfileHandle string
	Profile       string // description of the profile when it ran; survives its deletion
	Policy        int    // version
	Status        Status
	Timeout       time.Duration
	Error         string // why it did not complete: one or more lines an agent can act on
	ErrorLine     int    // in the script; 0 if unknown
	Backend       string
	Isolation     string // tier
	Warm          bool
	Truncated     bool     // stdout or stderr was cut
	Redactions    int      // masked places, all channels
	Injected      []string // keys that were given to the script as real values
	CreatedAt     time.Time
	StartedAt     time.Time // zero until the script was sent
	FirstOutputAt time.Time // zero until it has ended, and if it printed nothing
	CompletedAt   time.Time
	RunTime       time.Duration // on the run clock, so far: waiting for the LLM excluded
	LLMTime       time.Duration
	PeakMemory    int64
	CPUTime       time.Duration
	Manifest      Manifest
	RerunOf       string       // handle of the execution that it repeats
	Live          bool         // of a re-run: questions that were not asked then are asked for real
	Approval      string       // id of the approval that it waits for, or runs by; "" if it needs none
	Skill         string       // name@number of the skill that it runs; "" for a script
	SkillDigest   string       // of the skill's files
	Label         string       // the agent's name for it, "" if it gave none
	Trace         string       // W3C trace id of the request that submitted it, "" if it had none
	Request       *LLMExchange // the question it waits for, in awaiting_llm
}

// CheckLabel accepts a label: one line, at most MaxLabel bytes; "" is none.
func CheckLabel(label string) error {
	if strings.ContainsAny(label, "\r\n\t") {
		return Invalid("label", "label has a line break or a tab", "Send one short line, such as \"orders, week 47\".")
	}
	return CheckText("label", label, MaxLabel)
}

// Output is an execution's output and result, kept outside its row.
type Output struct {
	Stdout string
	Stderr string
	Result json.RawMessage // nil if set_result was not called
	// how the two streams took turns: lengths in bytes, Stdout first; the rest follows. nil if
	// unknown
	Turns []int
}

// Manifest records a run's identity and the hash of its result, for comparison. Circumstances such
// as backend or times are the Execution's own fields.
type Manifest struct {
	Script     string `json:"script"`          // sha256, hex
	Skill      string `json:"skill,omitempty"` // digest of the skill's files; "" for a script
	Inputs     string `json:"inputs"`          // sha256, hex; "" if none
	Files      string `json:"files,omitempty"` // sha256 over sha256 and name of each, hex; "" if none
	LLM        string `json:"llm"`             // sha256 over the answers in order, hex; "" if none
	Runner     string `json:"runner"`          // sha256 of the runner
	Python     string `json:"python"`          // version
	Packages   string `json:"packages"`        // digest of the installed packages
	Runtime    string `json:"runtime"`         // image id or digest of the root
	Policy     string `json:"policy"`          // digest
	Limits     Limits `json:"limits"`          //
	ResultHash string `json:"result"`          // sha256 over the redacted result with sorted keys, hex; "" if none
	// LimitsMet are limits that the run reached without ending. They are no part of the identity.
	LimitsMet []LimitMet `json:"limits_met,omitempty"`
}

// Differs names the parts of the identity that differ, in field order.
func (m Manifest) Differs(o Manifest) []string {
	var names []string
	for _, part := range []struct {
		name string
		same bool
	}{
		{"script", m.Script == o.Script}, {"skill", m.Skill == o.Skill}, {"inputs", m.Inputs == o.Inputs},
		{"files", m.Files == o.Files},
		{"llm", m.LLM == o.LLM},
		{"runner", m.Runner == o.Runner},
		{"python", m.Python == o.Python}, {"packages", m.Packages == o.Packages}, {"runtime", m.Runtime == o.Runtime},
		{"policy", m.Policy == o.Policy}, {"limits", m.Limits.IsSame(o.Limits)},
	} {
		if !part.same {
			names = append(names, part.name)
		}
	}
	return names
}

// LLMExchange is one question of a script and its answer, redacted.
type LLMExchange struct {
	RequestID  string
	Ordinal    int // 1 for the first in the execution
	Prompt     string
	Model      string
	Response   string
	Failed     bool // the answer was an error
	AnsweredBy Actor
	AskedAt    time.Time
	AnsweredAt time.Time // zero while open
}

// Verdict is egress's decision about a connection.
type Verdict string

// The verdicts.
const (
	VerdictAllowed Verdict = "allowed"
	VerdictDenied  Verdict = "denied"
	VerdictFailed  Verdict = "failed" // allowed, but the host could not be reached
)

// Connection is one row of an execution's network ledger. Repeated denials of one host and port
// share a row.
type Connection struct {
	Host    string
	Port    int
	Verdict Verdict
	Rule    string // the entry that allowed it, or the rule that denied it
	Address string // dialled; "" if none was
	Line    int    // in the script that asked for it, as the guest claims; 0 if unknown
	// Of readable requests; empty for relayed connections.
	Method      string
	Path        string   // with the query; sealed values never appear in it
	Status      int      // of the response, or of Airlock's refusal
	Credentials []string // keys whose sealed value was put in
	BytesUp     int64
	BytesDown   int64
	StartedAt   time.Time
	Duration    time.Duration
	Count       int
}

// SentValue is a request with a credential's sealed value.
type SentValue struct {
	Execution string // handle
	Profile   string // description when it ran
	Connection
}

// MaxConnections bounds the ledger rows of an execution. One last row counts the rest.
const MaxConnections = 500
