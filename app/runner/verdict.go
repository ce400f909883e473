package runner

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/guest"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/app/runner/capture"
	"github.com/computclaw/airlock/app/runner/hints"
	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/store"
)

type verdict struct {
	status  app.Status
	message string
	line    int
}

func failure(format string, args ...any) verdict {
	return verdict{status: app.StatusError, message: fmt.Sprintf(format, args...)}
}

// judge decides how a sent script has ended. Causes beyond the script's influence come first.
func judge(e ending) verdict {
	switch {
	case e.stop != nil:
		return verdict{status: e.stop.Status, message: e.stop.Message}
	case e.exit.Reason == plugins.ReasonOOM:
		return failure("the script used more than %s of memory and was stopped; process data in smaller pieces "+
			"or ask the operator to raise AIRLOCK_LIMIT_MEMORY", app.FormatSize(e.limits.Memory))
	case e.exit.Reason == plugins.ReasonPids:
		return failure("the script started more than %d processes and threads and was stopped; use fewer "+
			"or ask the operator to raise AIRLOCK_LIMIT_PIDS", e.limits.Pids)
	case e.exit.Reason == plugins.ReasonTmp:
		return failure("the script's temporary files took more than %s, or the disk is nearly full, and it was stopped; "+
			"write less or ask the operator to raise AIRLOCK_LIMIT_TMP", app.FormatSize(e.limits.Tmp))
	case e.end == endProtocol:
		return failure("the script broke the channel between its sandbox and Airlock, so it was stopped; " +
			"leave descriptors that the script did not open alone")
	case e.end == endLost:
		return judgeLost(e.lost)
	case e.exited.Signal != 0 || e.exited.Code != 0:
		return judgeFailed(e)
	}
	return verdict{status: app.StatusCompleted}
}

// judgeLost words the end of a box lost before the script's end was certain. lost is nil if the
// backend saw the box end.
func judgeLost(lost error) verdict {
	switch {
	case errors.Is(lost, plugins.ErrCut):
		return failure("the sandbox was lost while the script ran: " +
			"the link to the machine or container engine that it ran on broke; submit it again if it is safe to run twice")
	case errors.Is(lost, plugins.ErrLost):
		return failure("the sandbox was lost while the script ran: its backend ended or was restarted; " +
			"submit it again if it is safe to run twice")
	case lost != nil:
		return failure("the sandbox failed while the script ran; the operator finds the reason in Airlock's log; " +
			"submit it again if it is safe to run twice")
	}
	return failure("the sandbox ended before the script did; submit it again if it is safe to run twice")
}

// judgeUnsent decides how an execution has ended whose script was not sent.
func (r *Run) judgeUnsent(err error) verdict {
	for _, stop := range []*Stop{stopOf(r.ctx), stopIn(err)} {
		if stop != nil {
			return verdict{status: stop.Status, message: stop.Message}
		}
	}
	r.runner.cfg.Log.Warn("could not start an execution", "execution", r.x.Handle, "error", err)
	return verdict{status: app.StatusError, message: wordUnsent(err)}
}

// wordUnsent returns an error's text for agents. Errors not made for them blame Airlock.
func wordUnsent(err error) string {
	var forAgents *app.Error
	switch {
	case errors.As(err, &forAgents):
		return forAgents.Message + ". " + forAgents.Hint
	case errors.Is(err, plugins.ErrCut):
		return "the script was not run: the machine or container engine that its sandbox runs on can't be reached now. " +
			"Submit it again in a minute, or ask the operator to look at Airlock's sandbox page"
	case errors.Is(err, errNoBox) || errors.Is(err, guest.ErrNotStarted):
		return "the script was not run: no sandbox became available after several attempts. " +
			"Submit it again; if that fails too, ask the operator to look in Airlock's log"
	}
	return "Airlock could not run the script; the operator finds the reason in its log. " +
		"It was not started, so it is safe to submit it again"
}

// judgeFailed words the end of a script that failed by itself.
func judgeFailed(e ending) verdict {
	v := verdict{status: app.StatusError}
	switch {
	case e.failed != nil && e.exited.Signal == 0:
		v.message, v.line = e.failed.Traceback, max(e.failed.Line, 0)
		if !strings.Contains(v.message, e.failed.Error) || v.message == "" {
			v.message = strings.TrimSpace(v.message + "\n" + e.failed.Error)
		}
	case e.exited.Signal != 0:
		v.message = fmt.Sprintf("the script was ended by signal %d (%s)", e.exited.Signal,
			syscall.Signal(e.exited.Signal)) + hints.AfterSignal(syscall.Signal(e.exited.Signal), e.limits)
	default:
		v.message = fmt.Sprintf("the script ended with exit code %d", e.exited.Code)
	}
	if e.failed != nil {
		v.message += hints.AfterError(e.failed.Error, e.said, e.sent.source(), e.limits, e.notes)
	}
	if e.exit.PidsHit && !strings.Contains(v.message, hints.PidsHint(e.limits)) {
		v.message += hints.PidsHint(e.limits)
	}
	return v
}

// source returns the script that was sent; "" if none was.
func (s sent) source() string {
	if s.binding == nil {
		return ""
	}
	return string(s.binding.source.Script)
}

// maxHints bounds how many denied hosts an error names.
const maxHints = 10

// withLostLease adds that Vault revoked a lease. Otherwise an agent sees only that its database
// refuses its user.
func (v verdict) withLostLease(lost bool) verdict {
	if lost && v.status == app.StatusError {
		v.message += "\nVault ended the lease of a value while the script ran, so that value may have stopped working; " +
			"submit again, or ask the operator to look at the lease's longest time in Vault"
	}
	return v
}

// withHints adds the next step for denied hosts. Otherwise an agent sees only a failed connection.
func (v verdict) withHints(denials []string) verdict {
	if v.status == app.StatusCompleted || v.status == app.StatusCancelled || len(denials) == 0 {
		return v
	}
	left := len(denials) - maxHints
	if left > 0 {
		denials = denials[:maxHints]
	}
	v.message = strings.TrimSpace(v.message + "\n" + strings.Join(denials, "\n"))
	if left > 0 {
		v.message += fmt.Sprintf("\nand %d more refused hosts.", left)
	}
	v.message += " What to do is in the execution's network list."
	return v
}

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
