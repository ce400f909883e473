package runner

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/app/runner/capture"
	"github.com/computclaw/airlock/store"
)

// Stop is the cause with which Airlock ends an execution, and cancels its context.
type Stop struct {
	Status  app.Status
	Message string
}

func (s *Stop) Error() string { return string(s.Status) + ": " + s.Message }

// EndedElsewhere returns the end of an execution that this Runner does not run.
func (s *Stop) EndedElsewhere(at time.Time) store.Finish {
	text, _ := redact.New(nil).Text(s.Message)
	return store.Finish{Status: s.Status, Error: text, At: at}
}

// stopOf returns why Airlock ended what ran under ctx, or nil.
func stopOf(ctx context.Context) *Stop { return stopIn(context.Cause(ctx)) }

// stopIn returns the Stop in err's chain, or nil.
func stopIn(err error) *Stop {
	var s *Stop
	if errors.As(err, &s) {
		return s
	}
	return nil
}

func stopTimeout(limit, most time.Duration) *Stop {
	hint := "do less in one execution or ask the operator to raise AIRLOCK_TIMEOUT_MAX"
	if limit < most {
		hint = fmt.Sprintf("submit it again with a larger \"timeout\" (seconds, at most %d) or do less in one execution",
			int(most/time.Second))
	}
	return &Stop{app.StatusTimeout, fmt.Sprintf("the script ran longer than its timeout of %s and was stopped; %s",
		seconds(limit), hint)}
}

func stopNoAnswer(request string, wait time.Duration) *Stop {
	return &Stop{app.StatusTimeout,
		fmt.Sprintf("no answer came to the question %s within %s, so the script was stopped; "+
			"answer with POST /executions/{id}/respond while the status is awaiting_llm, "+
			"or ask the operator to raise AIRLOCK_LLM_WAIT",
			request, seconds(wait))}
}

func stopFlood(stream string, limit int64) *Stop {
	return &Stop{app.StatusError, fmt.Sprintf("the script printed more than %s to %s and was stopped; "+
		"only the first %s are kept, so print less and return data with set_result, "+
		"or ask the operator to raise AIRLOCK_LIMIT_OUTPUT",
		app.FormatSize(limit*capture.FloodFactor), stream, app.FormatSize(limit))}
}

func stopDiverged(question int) *Stop {
	return &Stop{app.StatusError, fmt.Sprintf("the re-run went another way than the execution it repeats: "+
		"its question %d (prompt or model) was not asked then, so there is no answer to play back; "+
		"run it again with \"live\": true to be asked such questions", question)}
}

// StopCancelled is the end of an execution that somebody cancelled.
func StopCancelled(by app.Actor) *Stop {
	who := map[app.ActorKind]string{
		app.ActorAgent: "the agent", app.ActorPerson: "a person", app.ActorCommand: "the operator",
	}[by.Kind]
	if who == "" {
		who = "Airlock"
	}
	return &Stop{app.StatusCancelled, "cancelled by " + who}
}

// Reasons for StopProfile.
const (
	ProfileRevoked = "the profile was revoked"
	ProfileDeleted = "the profile was deleted"
)

// StopProfile is the end of a profile's executions.
func StopProfile(reason string) *Stop { return &Stop{app.StatusCancelled, "cancelled: " + reason} }

func stopInterrupted() *Stop {
	return &Stop{app.StatusError, "interrupted: Airlock was stopped while this ran; " +
		"submit it again if it is safe to run twice"}
}

// StopCrashed ends an execution that a dead process had claimed. Its start is recorded before its
// script is sent, so an unstarted one has certainly done nothing.
func StopCrashed(started bool) *Stop {
	if !started {
		return &Stop{app.StatusError, "interrupted: Airlock ended unexpectedly before the script was started, " +
			"so nothing of it ran; submit it again"}
	}
	return &Stop{app.StatusError, "interrupted: Airlock ended unexpectedly while this ran; " +
		"submit it again if it is safe to run twice"}
}

// seconds writes a time the way agents give it.
func seconds(d time.Duration) string { return fmt.Sprintf("%g s", d.Seconds()) }
