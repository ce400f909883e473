package approvals

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/store"
)

// MaxWaiting bounds the executions of one profile that wait for an approval.
const MaxWaiting = 100

// CheckScripts returns CodeScriptNotAllowed if a profile may run no scripts.
func CheckScripts(may app.MayRun) error {
	if may != app.MayRunApprovedSkills {
		return nil
	}
	return app.E(app.CodeScriptNotAllowed, "this profile runs approved skills only; the script did not run",
		"Run one of the skills that GET /skills lists, or ask the person to allow scripts for this profile.")
}

// Script is a script that is about to be submitted.
type Script struct {
	ProfileHandle string
	Script        string
	Shown         redact.Clean // as people may see it
	Execution     string       // handle
	By            app.Actor
}

// Require returns the approval by which a script may run. It runs in the transaction that stores
// the execution. approval is "" if the profile needs none; waits reports that a person must decide
// first.
//
// An approval for one execution is used up. Errors: CodeScriptNotAllowed, CodeScriptRefused with
// the person's reason, CodeQueueFull if too many of the profile wait.
func (s *Service) Require(ctx context.Context, tx *store.Tx, script Script) (approval string, waits bool, err error) {
	sum := sha256.Sum256([]byte(script.Script))
	now, err := tx.Approvals.Current(ctx, script.ProfileHandle, app.ApprovalScript, hex.EncodeToString(sum[:]))
	if err != nil || now.MayRun == app.MayRunAny {
		return "", false, err
	}
	if now.MayRun != app.MayRunApprovedScripts { // a rule that isn't known lets nothing through
		return "", false, CheckScripts(app.MayRunApprovedSkills)
	}
	switch a := now.Approval; a.State {
	case app.ApprovalApproved:
		if a.Scope == app.ApproveOnce {
			err = tx.Approvals.Use(ctx, a.ID)
		}
		return a.ID, false, err
	case app.ApprovalRefused:
		return "", false, refusedError(a)
	}
	approval, err = s.ask(ctx, tx, now.Approval, script)
	return approval, true, err
}

// ask makes an execution wait for a new or open approval.
func (s *Service) ask(ctx context.Context, tx *store.Tx, a app.Approval, script Script) (id string, err error) {
	waiting, err := tx.Approvals.CountWaiting(ctx, script.ProfileHandle)
	switch {
	case err != nil:
		return "", err
	case waiting >= MaxWaiting:
		return "", app.E(app.CodeQueueFull,
			fmt.Sprintf("%d executions of this profile wait for a person's approval already", waiting),
			"Ask the person to decide in the Inbox of Airlock, or cancel some; then submit again.")
	case a.State == app.ApprovalOpen:
		return a.ID, nil
	case script.Shown.String() != script.Script: // nobody approves what they can't see
		return "", app.E(app.CodeScriptNotAllowed,
			"this script can't be shown to the person who has to approve it; it did not run",
			"Take secrets from settings: no text that is one, or looks like one, may stand in the script. If the "+
				"profile has keys in Vault, ask the person to test them once, so that Airlock can tell.")
	}
	a.ID, a.State, a.Execution, a.AskedAt = app.NewID(), app.ApprovalOpen, script.Execution, s.now()
	if err := tx.Approvals.Add(ctx, a, script.Shown); err != nil {
		return "", err
	}
	return a.ID, tx.Audit(ctx, app.NewEvent(a.AskedAt, script.By, "approval.ask", a.ProfileHandle,
		"Asked for an approval of the script "+short(a.Subject)+"."))
}

func refusedError(a app.Approval) error {
	return app.E(app.CodeScriptRefused, "a person refused this script; it did not run: "+a.Reason,
		"Change the script as the reason says, and submit that. Don't submit this one again.")
}

// short returns a digest's beginning, enough to tell scripts apart.
func short(digest string) string { return digest[:min(12, len(digest))] }
