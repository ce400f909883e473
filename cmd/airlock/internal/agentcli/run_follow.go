package agentcli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/cmd/airlock/internal/cli"
)

// errCancelled: the user stopped the run before Airlock accepted it.
var errCancelled = errors.New("cancelled before the script was accepted")

// needsPerson is a refusal that only a person can lift.
type needsPerson struct {
	refused *app.Error
	more    map[string]string // what else --json shows
}

func (e needsPerson) Error() string { return e.refused.Error() }

// run submits the script and follows it to its end. If ctx ends, it cancels the execution and
// returns its end.
func (j *job) run(ctx context.Context) (execution, error) {
	deadline := time.Now().Add(j.patience)
	x, err := j.start(ctx, deadline)
	for err == nil && !x.Status.Terminal() && ctx.Err() == nil {
		j.tell(x)
		if x.Status == app.StatusAwaitingApproval && !time.Now().Before(deadline) {
			return x, x.unapprovedError()
		}
		if x.Status == app.StatusAwaitingLLM && x.LLMRequest != nil {
			reply := j.answer(ctx, *x.LLMRequest)
			if ctx.Err() != nil { // which ended the command, not the question
				break
			}
			x, err = j.agent.respond(ctx, x.ID, reply)
			continue
		}
		x, err = j.agent.poll(ctx, x.ID, holdTime(x))
	}
	switch {
	case ctx.Err() == nil:
		return x, err
	case x.ID == "":
		return x, errCancelled
	case x.Status.Terminal():
		return x, nil
	}
	j.say("cancelling")
	return j.agent.cancel(context.WithoutCancel(ctx), x.ID)
}

// unapprovedError explains a run that ends before its script, which nobody approved in time. The
// script keeps waiting.
func (x execution) unapprovedError() error {
	link := x.approvalLink()
	return needsPerson{app.E("awaiting_approval", "a person has to approve this script; it did not run yet",
		"Have them open "+link+". Once approved it runs as execution "+x.ID+", without this command."),
		map[string]string{"approval_url": link, "execution_id": x.ID}}
}

// approvalLink returns the address where a person approves the script.
func (x execution) approvalLink() string {
	for word := range strings.FieldsSeq(x.NextStep) {
		if strings.HasPrefix(word, "http://") || strings.HasPrefix(word, "https://") {
			return strings.TrimRight(word, ".,")
		}
	}
	return ""
}

// start submits. If a person must act first, it waits until the deadline and submits again.
func (j *job) start(ctx context.Context, deadline time.Time) (execution, error) {
	for {
		var x execution
		err := j.sendFiles(ctx)
		if err == nil {
			x, err = j.agent.submit(ctx, j.request)
		}
		var refused *app.Error
		if !errors.As(err, &refused) || refused.Code != app.CodeProfileUnlocked && refused.Code != app.CodeMissingValue {
			return x, err
		}
		if err := j.awaitPerson(ctx, refused, deadline); err != nil {
			return x, err
		}
	}
}

// awaitPerson returns nil when the script may run, or nobody can help the profile. The next
// submission tells which.
func (j *job) awaitPerson(ctx context.Context, refused *app.Error, deadline time.Time) error {
	wait := time.Duration(0) // the first look tells the person
	for {
		p, err := j.agent.readProfile(ctx, wait)
		if err != nil || p.isSettled() {
			return err
		}
		if wait == 0 {
			fmt.Fprintln(j.Err, "airlock: "+cli.Printable(refused.Message+". A person has to act: "+p.invitation()))
		}
		if wait = min(time.Until(deadline), app.MaxPollWait); wait <= 0 {
			return needsPerson{refused, map[string]string{"setup_url": p.SetupURL, "pairing_code": p.Pairing}}
		}
	}
}

// holdTime returns how long to hold a poll open. The start of a script ends no poll, but must be
// told soon.
func holdTime(x execution) time.Duration {
	if x.Status.IsQueued() {
		return 2 * time.Second
	}
	return app.MaxPollWait
}

// reportInterval is how often a run repeats its state, also to keep silent jobs alive.
const reportInterval = 45 * time.Second

// tell says how the execution stands.
func (j *job) tell(x execution) {
	words := map[app.Status]string{app.StatusAwaitingApproval: "waiting until a person approves the script: " +
		x.approvalLink(),
		app.StatusPending: "waiting for a free sandbox", app.StatusRunning: "running",
		app.StatusAwaitingLLM: "the script asks the LLM"}[x.Status]
	if x.Paused {
		words = "a person has paused all executions; it runs when they go on"
	}
	if words == j.reported && time.Since(j.reportedAt) < reportInterval {
		return
	}
	j.reported, j.reportedAt = words, time.Now()
	if x.Status == app.StatusAwaitingApproval { // the link is for a person, also without reports
		fmt.Fprintln(j.Err, "airlock: "+cli.Printable(words))
		return
	}
	j.say(words)
}

func (j *job) say(words string) {
	if !j.quiet {
		fmt.Fprintln(j.Err, "airlock: "+words)
	}
}
