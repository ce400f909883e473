package app

import (
	"reflect"
	"time"
)

// Limits bound one execution. They come from the instance's configuration, never from a request.
type Limits struct {
	Memory int64   `json:"memory"` // bytes, all processes together
	CPU    float64 `json:"cpu"`    // cores
	Pids   int64   `json:"pids"`   // processes and threads
	Tmp    int64   `json:"tmp"`    // bytes in /tmp
	Files  int64   `json:"files"`  // open files per process
	Output int64   `json:"output"` // bytes kept of each of stdout and stderr
	Result int64   `json:"result"` // bytes of result JSON
}

// IsSame reports whether two executions had the same limits. A zero limit did not exist yet, and
// makes no difference.
func (l Limits) IsSame(o Limits) bool {
	a, b := reflect.ValueOf(l), reflect.ValueOf(o)
	for i := range a.NumField() {
		if x, y := a.Field(i), b.Field(i); !x.IsZero() && !y.IsZero() && !x.Equal(y) {
			return false
		}
	}
	return true
}

// LimitMet names a limit that an execution reached without ending.
type LimitMet string

// The limits whose reach the kernel's counters show, whatever the script did about the error.
const (
	LimitMetPids LimitMet = "pids"
	LimitMetTmp  LimitMet = "tmp" // full at the end
	LimitMetShm  LimitMet = "shm" // full at the end
)

// DefaultLimits are those of an instance that configures none.
func DefaultLimits() Limits {
	return Limits{Memory: 512 << 20, CPU: 1, Pids: 64, Tmp: 64 << 20, Files: 256, Output: 1 << 20, Result: 4 << 20}
}

// Sizes of what agents send, in bytes.
const (
	MaxScript   = 1 << 20
	MaxInputs   = 1 << 20
	MaxBody     = 4 << 20 // of any agent request
	MaxPrompt   = 1 << 20
	MaxResponse = 1 << 20  // an LLM answer
	MaxFailure  = 64 << 10 // why there is none
	MaxLLMCalls = 100      // per execution
	MaxKeys     = 100      // per profile
	MaxKeyHosts = 500      // of all keys of a profile together

	MaxIdempotencyKey = 200
	MaxLabel          = 100
)

// How many executions or events one page of a list has.
const (
	DefaultPage = 50
	MaxPage     = 100
)

// Timeouts bound how long executions run and wait.
type Timeouts struct {
	Default  time.Duration // of a script whose submission names none
	Max      time.Duration // that a submission may name
	Answer   time.Duration // a question waits for its answer
	Approval time.Duration // a script waits for a person's approval
}

// DefaultTimeouts returns what holds where an operator sets nothing.
func DefaultTimeouts() Timeouts {
	return Timeouts{Default: time.Minute, Max: 15 * time.Minute, Answer: 10 * time.Minute, Approval: 24 * time.Hour}
}

// Times.
const (
	UnansweredFor = time.Minute // after which people are told of a question that no agent answers
	MaxPollWait   = 50 * time.Second

	// IdempotencyLife is how long an idempotency key names its execution. Executions must stay as
	// long: else a repeated request would run again.
	IdempotencyLife = 24 * time.Hour
)
