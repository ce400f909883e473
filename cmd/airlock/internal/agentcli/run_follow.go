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

type needsPerson struct {
	refused   *app.Error
	link      string // of the profile; "" for an approval
	pairing   string // code
	approval  string // link of the approval; "" for a profile
	execution string // that waits for the approval
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
			return x, x.unapproved()
		}
		if x.Status == app.StatusAwaitingLLM && x.LLMRequest != nil {
			reply := j.answer(ctx, *x.LLMRequest)
			if ctx.Err() != nil { // which ended the command, not the question
				break
			}
			x, err = j.agent.respond(ctx, x.ID, reply)
			continue
		}
		x, err = j.agent.poll(ctx, x.ID, heldFor(x))
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

// unapproved explains a run that ends before its script, which nobody approved in time. The script
// keeps waiting.
func (x execution) unapproved() error {
	return needsPerson{approval: x.approvalLink(), execution: x.ID, refused: app.E("awaiting_approval",
		"a person has to approve this script; it did not run yet", "Have them open "+x.approvalLink()+". Once approved it "+
			"runs as execution "+x.ID+", without this command.")}
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
	for shown := false; ; {
		p, err := j.agent.readProfile(ctx, min(max(0, time.Until(deadline)), app.MaxPollWait, waitOnce(shown)))
		switch {
		case err != nil:
			return err
		case p.settled():
			return nil
		}
		if !shown {
			shown = true
			fmt.Fprintln(j.Err, "airlock: "+cli.Printable(refused.Message+". A person has to act: "+p.invitation()))
		}
		if !time.Now().Before(deadline) {
			return needsPerson{refused: refused, link: p.SetupURL, pairing: p.Pairing}
		}
	}
}

// waitOnce makes the first look at a profile, which a person sees, return at once.
func waitOnce(shown bool) time.Duration {
	if shown {
		return app.MaxPollWait
	}
	return 0
}

// heldFor returns how long to hold a poll open. The start of a script ends no poll, but must be
// told soon.
func heldFor(x execution) time.Duration {
	if x.Status.Queued() {
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
	switch {
	case words != j.reported:
		j.reported = words
	case time.Since(j.reportedAt) < reportInterval:
		return
	default:
		words += ", " + time.Since(j.started).Round(time.Second).String() + " so far"
	}
	j.reportedAt = time.Now()
	if x.Status == app.StatusAwaitingApproval { // the link is for a person, whoever wants no reports
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
