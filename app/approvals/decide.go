package approvals

import (
	"context"
	"fmt"
	"strings"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/store"
)

// all is no limit.
const all = -1

// Approve lets a script run: in one execution, or always under its profile. People only. With
// app.ApproveOnce the oldest waiting execution runs, else the next submitted. It can overturn a
// refusal. CodeConflict if somebody else decided first.
func (s *Service) Approve(ctx context.Context, by app.Actor, id string, scope app.ApprovalScope) (app.Approval, error) {
	if scope != app.ApproveOnce && scope != app.ApproveAlways {
		return app.Approval{}, app.Invalid("scope", "that is no scope of an approval", "Choose once or always.")
	}
	return s.decide(ctx, by, id, func(tx *store.Tx, a *app.Approval) (action, detail string, e Effect, err error) {
		if a.State != app.ApprovalOpen && a.State != app.ApprovalRefused {
			return "", "", e, alreadyDecidedError(*a)
		}
		before := a.State
		a.State, a.Scope, a.Reason = app.ApprovalApproved, scope, ""
		limit := all
		if scope == app.ApproveOnce {
			limit = 1
			if a.Waiting > 0 {
				a.State = app.ApprovalUsed
			}
		}
		if err := tx.Approvals.Set(ctx, *a, before); err != nil {
			return "", "", e, err
		}
		if e.released, err = tx.Approvals.Release(ctx, a.ID, limit); err != nil {
			return "", "", e, err
		}
		if a.Waiting > len(e.released) {
			err = tx.Approvals.Again(ctx, a.ID, app.NewID())
		}
		return "approval.approve", fmt.Sprintf("Approved the script %s %s.", short(a.Subject), scope), e, err
	})
}

// Refuse ends what waits for an approval, and is remembered. Agents get the reason. People only.
// CodeInvalidField without a reason; CodeConflict if somebody else decided first.
func (s *Service) Refuse(ctx context.Context, by app.Actor, id, reason string) (app.Approval, error) {
	reason, err := checkReason(reason)
	if err != nil {
		return app.Approval{}, err
	}
	return s.decide(ctx, by, id, func(tx *store.Tx, a *app.Approval) (action, detail string, e Effect, err error) {
		if a.State != app.ApprovalOpen {
			return "", "", e, alreadyDecidedError(*a)
		}
		a.State, a.Reason = app.ApprovalRefused, reason
		if err := tx.Approvals.Set(ctx, *a, app.ApprovalOpen); err != nil {
			return "", "", e, err
		}
		held, err := tx.Approvals.ListHeld(ctx, a.ID)
		if err != nil {
			return "", "", e, err
		}
		err = s.end(ctx, tx, &e, held, app.StatusCancelled,
			"a person refused this script, so it did not run: "+reason+" (change it as that says, and submit the changed one)")
		return "approval.refuse", fmt.Sprintf("Refused the script %s: %s", short(a.Subject), reason), e, err
	})
}

// Revoke takes an approval back, and cancels queued executions that depend on it. The script asks
// again; running ones go on. It also forgets a refusal. People only. CodeConflict if there is no
// decision now.
func (s *Service) Revoke(ctx context.Context, by app.Actor, id string) (app.Approval, error) {
	return s.decide(ctx, by, id, func(tx *store.Tx, a *app.Approval) (action, detail string, e Effect, err error) {
		held, err := tx.Approvals.ListHeld(ctx, a.ID)
		if err != nil {
			return "", "", e, err
		}
		counts := a.State == app.ApprovalApproved || a.State == app.ApprovalRefused ||
			a.State == app.ApprovalUsed && len(held) > 0
		if !counts {
			return "", "", e, alreadyDecidedError(*a)
		}
		before := a.State
		a.State = app.ApprovalRevoked
		if err := tx.Approvals.Set(ctx, *a, before); err != nil {
			return "", "", e, err
		}
		err = s.end(ctx, tx, &e, held, app.StatusCancelled,
			"the approval of this script was revoked before it started, so it did not run; submit it again to ask anew")
		return "approval.revoke", fmt.Sprintf("Revoked what was decided about the script %s.", short(a.Subject)), e, err
	})
}

func checkReason(reason string) (string, error) {
	reason = strings.TrimSpace(reason)
	if reason == "" {
		return "", app.Invalid("reason", "the reason is empty", "Say what the agent should do instead.")
	}
	return reason, app.CheckText("reason", reason, app.MaxReason)
}

func alreadyDecidedError(a app.Approval) error {
	return app.E(app.CodeConflict, "nothing is to be decided here: this approval is "+string(a.State)+" now",
		"Look at the list of approvals again.")
}

// decide changes an approval and audits that, in one transaction.
func (s *Service) decide(
	ctx context.Context, by app.Actor, id string,
	change func(tx *store.Tx, a *app.Approval) (action, detail string, e Effect, err error),
) (a app.Approval, err error) {
	if err := by.PeopleOnly(); err != nil {
		return a, err
	}
	var e Effect
	err = s.store.Write(ctx, func(tx *store.Tx) (err error) {
		if a, err = tx.Approvals.ByID(ctx, id); err != nil {
			return err
		}
		a.DecidedBy, a.DecidedAt = by, s.now()
		action, detail, effect, err := change(tx, &a)
		if err != nil {
			return err
		}
		e = effect
		return tx.Audit(ctx, app.NewEvent(a.DecidedAt, by, action, a.ProfileHandle, detail))
	})
	if err != nil {
		return app.Approval{}, err
	}
	s.Announce(e)
	return a, nil
}

// end ends executions that were not claimed yet.
func (s *Service) end(
	ctx context.Context, tx *store.Tx, e *Effect, list []store.Execution, status app.Status, message string,
) error {
	for _, x := range list {
		f := store.Finish{Status: status, Error: clean(message), At: s.now()}
		if _, err := tx.Executions.Finish(ctx, x.Handle, f); err != nil {
			return err
		}
		e.ended = append(e.ended, ended{x.Execution, f})
	}
	return nil
}

// ApplyRule applies a profile's rule to its unclaimed executions. Announce must follow the commit.
func (s *Service) ApplyRule(ctx context.Context, tx *store.Tx, profileHandle string, may app.MayRun) (e Effect,
	err error) {
	list, err := tx.Approvals.ListUnapproved(ctx, profileHandle, may)
	if err != nil {
		return e, err
	}
	err = s.end(ctx, tx, &e, list, app.StatusCancelled,
		"a person changed what this profile may run before the script started, so it did not run; "+
			"GET /profiles/{id} says in may_run what it may run now")
	if err != nil || may != app.MayRunAny {
		return e, err
	}
	open, err := tx.Approvals.List(ctx, profileHandle, all, app.ApprovalOpen)
	if err != nil {
		return e, err
	}
	for _, a := range open {
		a.State = app.ApprovalWithdrawn
		if err := tx.Approvals.Set(ctx, a, app.ApprovalOpen); err != nil {
			return e, err
		}
		released, err := tx.Approvals.Release(ctx, a.ID, all)
		if err != nil {
			return e, err
		}
		e.released = append(e.released, released...)
	}
	return e, nil
}
