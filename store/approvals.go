package store

import (
	"context"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/redact"
)

type approvalRow struct {
	ID            string `gorm:"primaryKey" json:"id"`
	Kind          string `json:"kind"`
	Subject       string `json:"subject"`
	Shown         string `json:"shown"`
	ProfileHandle string `json:"profile"`
	Execution     string `json:"execution"`
	State         string `json:"state"`
	Scope         string `json:"scope"`
	Reason        string `json:"reason"`
	AskedAt       int64  `json:"asked_at"`
	DecidedBy     string `json:"-"`
	DecidedAt     int64  `json:"decided_at"`
}

func (approvalRow) TableName() string { return "approvals" }

// countedApproval is an approval with how many executions wait for it.
type countedApproval struct {
	Row     approvalRow `gorm:"embedded"`
	Waiting int
}

const (
	selectWaiting = `(SELECT count(*) FROM executions x
		WHERE x.approval = a.id AND x.status = 'awaiting_approval') AS waiting FROM approvals a WHERE `
	selectApprovals = "SELECT a.*, " + selectWaiting
	// lists need no script, which may have a megabyte
	listApprovals = `SELECT a.id, a.kind, a.subject, a.profile_handle, a.execution, a.state, a.scope, a.reason, a.asked_at,
		a.decided_by, a.decided_at, ` + selectWaiting
)

// Current is what holds for a thing and a profile now.
type Current struct {
	MayRun   app.MayRun
	Approval app.Approval // open, approved or refused; its ID is "" if there is none. Shown is left out
}

// Current returns the present approval of a thing for a profile. CodeNotFound if there is no such
// profile.
func (tx Approvals) Current(ctx context.Context, profileHandle string, kind app.ApprovalKind, subject string) (
	now Current, err error) {
	a := app.Approval{Kind: kind, Subject: subject, ProfileHandle: profileHandle}
	err = tx.row(ctx, `SELECT p.may_run, coalesce(a.id, ''), coalesce(a.state, ''), coalesce(a.scope, ''),
			coalesce(a.reason, '')
		FROM profiles p LEFT JOIN approvals a ON a.profile_handle = p.handle AND a.kind = ? AND a.subject = ?
			AND a.state IN ('open', 'approved', 'refused')
		WHERE p.handle = ?`, string(kind), subject, profileHandle).
		Scan(&now.MayRun, &a.ID, &a.State, &a.Scope, &a.Reason)
	now.Approval = a
	return now, notFound(err, "profile")
}

// Add stores an approval, with the script as people may see it.
func (tx Approvals) Add(ctx context.Context, a app.Approval, shown redact.Clean) error {
	return insertRow(ctx, tx.conn, "approval", approvalRow{
		ID: a.ID, Kind: string(a.Kind), Subject: a.Subject, Shown: shown.String(), ProfileHandle: a.ProfileHandle,
		Execution: a.Execution, State: string(a.State), Scope: string(a.Scope), Reason: a.Reason,
		AskedAt: toMillis(a.AskedAt), DecidedBy: toJSON(a.DecidedBy), DecidedAt: toMillis(a.DecidedAt),
	})
}

// Again copies an approval under another id, as an open question.
func (tx Approvals) Again(ctx context.Context, id, as string) error {
	if err := tx.run(ctx, "ask again", `INSERT INTO approvals (id, kind, subject, shown, profile_handle, execution,
			state, asked_at)
		SELECT ?, kind, subject, shown, profile_handle, (SELECT handle FROM executions
			WHERE approval = approvals.id AND status = 'awaiting_approval' ORDER BY id LIMIT 1), 'open', asked_at
		FROM approvals WHERE id = ?`, as, id); err != nil {
		return err
	}
	return tx.run(ctx, "ask again",
		"UPDATE executions SET approval = ? WHERE approval = ? AND status = 'awaiting_approval'", as, id)
}

// Set stores state, scope, reason and decision of an approval. CodeConflict if its state is no
// longer before.
func (tx Approvals) Set(ctx context.Context, a app.Approval, before app.ApprovalState) error {
	return tx.change(ctx, "approval", `
		UPDATE approvals SET state = ?, scope = ?, reason = ?, decided_by = ?, decided_at = ?
		WHERE id = ? AND state = ?`, string(a.State), string(a.Scope), a.Reason, toJSON(a.DecidedBy),
		toMillis(a.DecidedAt), a.ID, string(before))
}

// Forget revokes an approval, so that its script is asked for anew.
func (tx Approvals) Forget(ctx context.Context, id string) error {
	return tx.run(ctx, "forget an approval",
		"UPDATE approvals SET state = 'revoked' WHERE id = ? AND state = 'approved'", id)
}

// Use marks an approval for one execution as used.
func (tx Approvals) Use(ctx context.Context, id string) error {
	return tx.change(ctx, "approval",
		"UPDATE approvals SET state = 'used' WHERE id = ? AND state = 'approved' AND scope = 'once'", id)
}

// ByID returns an approval. CodeNotFound if there is none.
func (tx Approvals) ByID(ctx context.Context, id string) (app.Approval, error) {
	return selectOne(ctx, tx.conn, countedApproval.approval, "approval", selectApprovals+"a.id = ?", id)
}

// List lists approvals in the given states without Shown, oldest first. An empty profileHandle
// means all profiles.
func (tx Approvals) List(ctx context.Context, profileHandle string, limit int, states ...app.ApprovalState) (
	[]app.Approval, error) {
	return selectAs(ctx, tx.conn, countedApproval.approval, "list approvals",
		listApprovals+"a.state IN (SELECT value FROM json_each(?)) AND (? = '' OR a.profile_handle = ?) "+
			"ORDER BY a.asked_at, a.id LIMIT ?", listJSON(states), profileHandle, profileHandle, limit)
}

// LastApproved returns the newest other approved approval of the profile. ok is false if there is
// none.
func (tx Approvals) LastApproved(ctx context.Context, of app.Approval) (a app.Approval, ok bool, err error) {
	a, err = selectOne(ctx, tx.conn, countedApproval.approval, "approval", selectApprovals+
		"a.profile_handle = ? AND a.kind = ? AND a.id <> ? AND a.state IN ('approved', 'used') "+
		"ORDER BY a.decided_at DESC LIMIT 1", of.ProfileHandle, string(of.Kind), of.ID)
	if app.CodeOf(err) == app.CodeNotFound {
		return a, false, nil
	}
	return a, err == nil, err
}

// CountWaiting counts the executions of a profile that wait for an approval.
func (tx Approvals) CountWaiting(ctx context.Context, profileHandle string) (n int, err error) {
	err = tx.row(ctx, "SELECT count(*) FROM executions WHERE profile_handle = ? AND status = 'awaiting_approval'",
		profileHandle).Scan(&n)
	return n, wrapError("count executions that wait for an approval", err)
}

// Release queues at most limit executions that wait for an approval, oldest first. It returns their
// handles.
func (tx Approvals) Release(ctx context.Context, id string, limit int) ([]string, error) {
	return selectAll[string](ctx, tx.conn, "release executions", `UPDATE executions SET status = 'pending' WHERE id IN
		(SELECT id FROM executions WHERE approval = ? AND status = 'awaiting_approval' ORDER BY id LIMIT ?)
		RETURNING handle`, id, limit)
}

// ListHeld lists unclaimed executions that wait for an approval or run by it.
func (tx Approvals) ListHeld(ctx context.Context, id string) ([]Execution, error) {
	return tx.listUnclaimed(ctx, "approval = ? AND status IN ('awaiting_approval', 'pending')", id)
}

// ListUnapproved lists unclaimed executions of a profile that it may not run.
func (tx Approvals) ListUnapproved(ctx context.Context, profileHandle string, now app.MayRun) ([]Execution, error) {
	switch now {
	case app.MayRunAny:
		return nil, nil
	case app.MayRunApprovedScripts:
		return tx.listUnclaimed(ctx, `profile_handle = ? AND status = 'pending' AND skill = '' AND approval NOT IN
			(SELECT id FROM approvals WHERE state IN ('approved', 'used'))`, profileHandle)
	}
	return tx.listUnclaimed(ctx, "profile_handle = ? AND status IN ('awaiting_approval', 'pending') AND skill = ''",
		profileHandle)
}

// Overdue lists executions that have waited for an approval since before a time, oldest first.
func (tx Approvals) Overdue(ctx context.Context, before time.Time) ([]Execution, error) {
	return tx.listUnclaimed(ctx, "status = 'awaiting_approval' AND created_at < ?", toMillis(before))
}

func (tx Approvals) listUnclaimed(ctx context.Context, where string, args ...any) ([]Execution, error) {
	return Executions(tx).list(ctx, where+" ORDER BY id", args...)
}

func (r countedApproval) approval() (app.Approval, error) {
	by, err := fromJSON[app.Actor]("decided_by", r.Row.DecidedBy)
	return app.Approval{
		ID: r.Row.ID, Kind: app.ApprovalKind(r.Row.Kind), Subject: r.Row.Subject, Shown: r.Row.Shown,
		ProfileHandle: r.Row.ProfileHandle, Execution: r.Row.Execution, State: app.ApprovalState(r.Row.State),
		Scope: app.ApprovalScope(r.Row.Scope), Reason: r.Row.Reason, AskedAt: fromMillis(r.Row.AskedAt),
		DecidedBy: by, DecidedAt: fromMillis(r.Row.DecidedAt), Waiting: r.Waiting,
	}, err
}

// CountUndecided counts scripts that wait for an approval and skill versions that wait for review.
// Every page asks, so it reads indexes only.
func (tx *Tx) CountUndecided(ctx context.Context) (scripts, versions int, err error) {
	err = tx.row(ctx, `SELECT (SELECT count(*) FROM approvals WHERE state = 'open'),
		(SELECT count(*) FROM skill_versions WHERE state = 'quarantined' AND blob_id IS NOT NULL)`).Scan(&scripts, &versions)
	return scripts, versions, wrapError("count what is undecided", err)
}
