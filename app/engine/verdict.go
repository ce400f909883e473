package engine

import (
	"errors"
	"fmt"
	"strings"
	"syscall"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/wire"
)

// ending is everything that is known about how an execution's box ended. What the guest claims (failed) only ever words an
// error; whether there was one comes from the kernel (exit), from the wait status that PID 1 saw (exited), and from Airlock itself.
type ending struct {
	stop   *stop        // Airlock ended it
	lost   error        // the backend lost the box
	broken error        // the guest broke the protocol
	exit   plugins.Exit // of the box
	exited *wire.Exited // of the script; nil if the box ended first
	failed *wire.Failed // the script's own account
	result error        // why the result can't be kept
	limits app.Limits
}

// verdict is what an execution ends with. The message is not redacted yet.
type verdict struct {
	status  app.Status
	message string
	line    int
}

// judge decides. The order matters: the first cause that is beyond the script's influence counts.
func judge(e ending) verdict {
	switch {
	case e.stop != nil:
		return verdict{status: e.stop.status, message: e.stop.message}
	case e.exit.Reason == plugins.ReasonOOM:
		return failure("the script used more than %s of memory and was stopped; process data in smaller pieces or ask the operator to raise AIRLOCK_LIMIT_MEMORY", size(e.limits.Memory))
	case e.exit.Reason == plugins.ReasonPids:
		return failure("the script started more than %d processes and threads and was stopped; use fewer or ask the operator to raise AIRLOCK_LIMIT_PIDS", e.limits.Pids)
	case e.exit.Reason == plugins.ReasonTmp:
		return failure("the script's temporary files took more than %s, or the disk is nearly full, and it was stopped; write less or ask the operator to raise AIRLOCK_LIMIT_TMP", size(e.limits.Tmp))
	case e.broken != nil:
		return failure("the script broke the channel between its sandbox and Airlock, so it was stopped; leave descriptors that the script did not open alone")
	case errors.Is(e.lost, plugins.ErrCut):
		return failure("the sandbox was lost while the script ran: the link to the machine or container engine that it ran on broke; submit it again if it is safe to run twice")
	case e.lost != nil:
		return failure("the sandbox was lost while the script ran: its backend ended or was restarted; submit it again if it is safe to run twice")
	case e.exited == nil:
		return failure("the sandbox ended before the script did; submit it again if it is safe to run twice")
	case e.exited.Signal != 0 || e.exited.Code != 0:
		return died(e)
	case e.result != nil:
		return failure("the result can't be kept: %v", e.result)
	}
	return verdict{status: app.StatusCompleted}
}

func failure(format string, args ...any) verdict {
	return verdict{status: app.StatusError, message: fmt.Sprintf(format, args...)}
}

// died words the end of a script that failed by itself.
func died(e ending) verdict {
	v := verdict{status: app.StatusError}
	switch {
	case e.failed != nil && e.exited.Signal == 0:
		v.message, v.line = e.failed.Traceback, max(e.failed.Line, 0)
		if !strings.Contains(v.message, e.failed.Error) || v.message == "" {
			v.message = strings.TrimSpace(v.message + "\n" + e.failed.Error)
		}
	case e.exited.Signal != 0:
		v.message = fmt.Sprintf("the script was ended by signal %d (%s)", e.exited.Signal, syscall.Signal(e.exited.Signal))
	default:
		v.message = fmt.Sprintf("the script ended with exit code %d", e.exited.Code)
	}
	if e.failed != nil {
		v.message += nextStep(e.failed.Error, e.limits)
	}
	if e.exit.PidsHit {
		v.message += fmt.Sprintf("\nthe limit of %d processes and threads was reached (AIRLOCK_LIMIT_PIDS)", e.limits.Pids)
	}
	return v
}

// nextStep says what to do about an error that doesn't: one of the operating system, which only says that something is full, or that of a package which is
// not there. What the script says is a claim, and all it can get by one is this sentence.
func nextStep(text string, l app.Limits) string {
	const advice = "; use less or ask the operator to raise "
	switch {
	case strings.Contains(text, "[Errno 28]"), strings.Contains(text, "[Errno 27]"):
		return fmt.Sprintf("\nthe limit of /tmp is %s%sAIRLOCK_LIMIT_TMP", size(l.Tmp), advice)
	case strings.Contains(text, "[Errno 24]"), strings.Contains(text, "[Errno 23]"):
		return fmt.Sprintf("\nthe limit is %d open files per process%sAIRLOCK_LIMIT_FILES", l.Files, advice)
	case strings.Contains(text, "ResultError: result is") && strings.Contains(text, "the limit is"):
		return "\nthe operator can raise AIRLOCK_LIMIT_RESULT"
	case strings.HasPrefix(text, "ModuleNotFoundError: "):
		return "\nnothing can be installed from inside a script; GET /packages lists what it can import, and the operator can install more"
	}
	return ""
}

// maxHints bounds how many refused hosts an error names.
const maxHints = 10

// withHints adds what egress told about refused hosts: without it an agent sees a failed connection and not the next step.
func withHints(v verdict, hints []string) verdict {
	if v.status == app.StatusCompleted || v.status == app.StatusCancelled || len(hints) == 0 {
		return v
	}
	left := len(hints) - maxHints
	if left > 0 {
		hints = hints[:maxHints]
	}
	v.message = strings.TrimSpace(v.message + "\n" + strings.Join(hints, "\n"))
	if left > 0 {
		v.message += fmt.Sprintf("\nand %d more refused hosts; see the execution's network list", left)
	}
	return v
}
