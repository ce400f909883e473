package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/computclaw/airlock/app"
)

// stop is why Airlock itself ends an execution. It is the cause that the execution's context is cancelled with, so the first one counts.
type stop struct {
	status  app.Status
	message string
}

func (s *stop) Error() string { return string(s.status) + ": " + s.message }

// stopOf returns why Airlock ended what ran under ctx, or nil.
func stopOf(ctx context.Context) *stop { return stopIn(context.Cause(ctx)) }

// stopIn returns the stop in err's chain, or nil.
func stopIn(err error) *stop {
	var s *stop
	if errors.As(err, &s) {
		return s
	}
	return nil
}

func stopTimeout(limit, most time.Duration) *stop {
	hint := "do less in one execution or ask the operator to raise AIRLOCK_TIMEOUT_MAX"
	if limit < most {
		hint = fmt.Sprintf("submit it again with a larger \"timeout\" (seconds, at most %d) or do less in one execution", int(most/time.Second))
	}
	return &stop{app.StatusTimeout, fmt.Sprintf("the script ran longer than its timeout of %s and was stopped; %s", seconds(limit), hint)}
}

func stopNoAnswer(request string, wait time.Duration) *stop {
	return &stop{app.StatusTimeout, fmt.Sprintf("no answer came to the question %s within %s, so the script was stopped; "+
		"answer with POST /executions/{id}/respond while the status is awaiting_llm, or ask the operator to raise AIRLOCK_LLM_WAIT", request, seconds(wait))}
}

func stopFlood(stream string, limit int64) *stop {
	return &stop{app.StatusError, fmt.Sprintf("the script printed more than %s to %s and was stopped; only the first %s are kept, so print less "+
		"and return data with set_result, or ask the operator to raise AIRLOCK_LIMIT_OUTPUT", size(limit*floodFactor), stream, size(limit))}
}

func stopCancelled(by app.Actor) *stop {
	who := map[app.ActorKind]string{app.ActorAgent: "the agent", app.ActorPerson: "a person", app.ActorCommand: "the operator"}[by.Kind]
	if who == "" {
		who = "Airlock"
	}
	return &stop{app.StatusCancelled, "cancelled by " + who}
}

// Why a profile's executions end.
const (
	profileRevoked = "the profile was revoked"
	profileDeleted = "the profile was deleted"
)

func stopGone(reason string) *stop { return &stop{app.StatusCancelled, "cancelled: " + reason} }

const (
	interruptedByStop    = "interrupted: Airlock was stopped while this ran; submit it again if it is safe to run twice"
	interruptedByCrash   = "interrupted: Airlock ended unexpectedly while this ran; submit it again if it is safe to run twice"
	interruptedUnstarted = "interrupted: Airlock ended unexpectedly before the script was started, so nothing of it ran; submit it again"
)

func stopInterrupted() *stop { return &stop{app.StatusError, interruptedByStop} }

// size writes bytes the way limits are configured.
func size(n int64) string {
	for _, unit := range []struct {
		bytes int64
		name  string
	}{{1 << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}} {
		if n >= unit.bytes && n%unit.bytes == 0 {
			return fmt.Sprintf("%d %s", n/unit.bytes, unit.name)
		}
	}
	return fmt.Sprintf("%d bytes", n)
}

// seconds writes a time the way agents give it.
func seconds(d time.Duration) string {
	return fmt.Sprintf("%g s", d.Seconds())
}
