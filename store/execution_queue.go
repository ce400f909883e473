package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/redact"
)

// NewExecution is what is put into the queue.
type NewExecution struct {
	Handle        string
	Lookup        []byte
	SealedID      []byte
	ProfileHandle string
	Timeout       time.Duration
	Script        []byte // sealed
	Inputs        []byte // sealed; nil if none
	Shown         Shown
	Label         redact.Clean // empty if there is none
	Files         []InputFile
	FilesUntil    time.Time // until when they stay at least
	Approval      string    // id of the approval that it waits for, or runs by; "" if it needs none
	Waits         bool      // for the approval
	Skill         string    // name@number; "" for a script
	SkillDigest   string
	RerunOf       string // handle; "" if it is no re-run
	Live          bool   // of a re-run
	Trace         string // trace id; "" if there is none
	By            app.Actor
	At            time.Time
	ClaimedBy     string          // the server run that claims it with the same commit; "" if it waits
	Dispatch      *Dispatch       // what it is bound to with the same commit; nil if that comes later
	Key           *IdempotencyKey // remembered with it; nil if there is none
}

// Count counts pending executions: of all profiles, and of one.
func (tx Queue) Count(ctx context.Context, profileHandle string) (all, own int, err error) {
	err = tx.row(ctx, countQueue, profileHandle).Scan(&all, &own)
	return all, own, wrapError("count the queue", err)
}

const countQueue = `SELECT count(*) AS total, coalesce(sum(profile_handle = ?), 0) AS own
	FROM executions INDEXED BY executions_pending WHERE status = 'pending'`

// Placements returns where pending executions may run, by profile handle.
func (tx Queue) Placements(ctx context.Context) (map[string]app.Placement, error) {
	rows, err := selectAll[profileRow](ctx, tx.conn, "places of the queue", `SELECT handle, backend, min_tier, image, fresh
		FROM profiles WHERE handle IN (SELECT profile_handle FROM executions INDEXED BY executions_pending
			WHERE status = 'pending')`)
	if err != nil {
		return nil, err
	}
	places := make(map[string]app.Placement, len(rows))
	for _, r := range rows {
		places[r.Handle] = r.Placement()
	}
	return places, nil
}

// Add stores an execution under its profile's present state, counts the use, and returns it as
// pending. It does so even if it is claimed already. CodeProfileRevoked if the profile was revoked
// or deleted meanwhile.
func (tx Queue) Add(ctx context.Context, n NewExecution) (x Execution, err error) {
	profile, err := tx.use(ctx, n.ProfileHandle, n.At)
	if err != nil {
		return x, err
	}
	row := executionRow{
		Handle: n.Handle, SealedID: n.SealedID, ProfileHandle: n.ProfileHandle, ProfileDescription: profile.Description,
		Policy: profile.Policy,
		Status: string(app.StatusPending), Approval: n.Approval,
		Skill: n.Skill, SkillDigest: n.SkillDigest, TimeoutMs: n.Timeout.Milliseconds(),
		Injected: "[]", RerunOf: n.RerunOf,
		Live: n.Live, Trace: n.Trace, Label: n.Label.String(),
		CreatedAt: toMillis(n.At), Manifest: "{}",
	}
	if n.Waits {
		row.Status = string(app.StatusAwaitingApproval)
	}
	status, claimed, d := row.Status, int64(0), Dispatch{Policy: row.Policy}
	if n.ClaimedBy != "" {
		status, claimed = string(app.StatusRunning), row.CreatedAt
	}
	if n.Dispatch != nil {
		d = *n.Dispatch
	}
	row.ID, err = tx.insert(ctx, insertPending, row.Handle, n.Lookup, row.SealedID, profile.ID, row.ProfileHandle,
		row.ProfileDescription, d.Policy,
		status, n.ClaimedBy, claimed, row.TimeoutMs, listJSON(d.Injected), d.Backend, d.Isolation,
		d.Warm, toMillis(d.At),
		row.RerunOf, row.Live, row.Trace, row.Label, row.Approval, row.Skill, row.SkillDigest,
		toJSON(n.By), row.CreatedAt, row.Manifest)
	if err != nil {
		return x, wrapError("enqueue", err)
	}
	if err := tx.keepValues(ctx, n.Handle, d.Values); err != nil {
		return x, wrapError("enqueue", err)
	}
	if _, err := tx.insert(ctx,
		"INSERT INTO execution_scripts (execution_id, script, inputs, clean, clean_inputs) VALUES (?, ?, ?, ?, ?)",
		row.ID, n.Script, n.Inputs, n.Shown.Script.String(), n.Shown.Inputs.String()); err != nil {
		return x, wrapError("enqueue", err)
	}
	if err := tx.keepFiles(ctx, row.ID, n.Files, n.At, n.FilesUntil); err != nil {
		return x, err
	}
	if n.Key != nil {
		since := n.At.Add(-app.IdempotencyLife)
		if err := tx.Remember(ctx, n.ProfileHandle, n.Handle, n.Key.Key, n.Key.Body, n.At, since); err != nil {
			return x, err
		}
	}
	return row.execution()
}

// use counts a profile's use and returns what its executions keep of it.
func (tx Queue) use(ctx context.Context, handle string, at time.Time) (profile profileRow, err error) {
	err = tx.row(ctx, `UPDATE profiles SET executions = executions + 1, last_used_at = ? WHERE handle = ? AND revoked = 0
		RETURNING id, description, policy`, toMillis(at), handle).Scan(&profile.ID, &profile.Description, &profile.Policy)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return profile, app.ErrProfileRevoked()
	case err != nil:
		return profile, wrapError("enqueue", err)
	}
	return profile, nil
}

// NewestPolicy returns the policy version that an execution would be bound to now. It is 0 if the
// profile is revoked, deleted or expired.
func (tx Queue) NewestPolicy(ctx context.Context, profileHandle string, now time.Time) (version int, err error) {
	err = tx.row(ctx, `SELECT policy FROM profiles
		WHERE handle = ? AND revoked = 0 AND (expires_at = 0 OR expires_at > ?)`, profileHandle, toMillis(now)).Scan(&version)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return version, wrapError("newest policy", err)
}

const insertPending = `INSERT INTO executions (handle, lookup, sealed_id, profile_id, profile_handle,
		profile_description, policy, status, claimed_by, claimed_at, timeout_ms, injected, backend, isolation, warm,
		started_at, rerun_of, live, trace, label, approval, skill, skill_digest, submitted_by, created_at, manifest)
	VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

// Claim takes a pending execution for the server run named by. ok is false if there is none.
//
// Profiles take turns by handle: it takes the oldest execution of the next profile behind after,
// the handle of the last turn ("" at first). Profiles in without are skipped.
func (tx Queue) Claim(ctx context.Context, by, after string, at time.Time, without ...string) (x Execution, ok bool,
	err error) {
	left := listJSON(without)
	for _, after := range []string{after, ""} {
		var row executionRow
		err := tx.row(ctx, claimNext, by, toMillis(at), after, left).Scan(row.fields()...)
		if errors.Is(err, sql.ErrNoRows) {
			continue
		}
		if err != nil {
			return Execution{}, false, wrapError("claim", err)
		}
		x, err = row.execution()
		return x, err == nil, err
	}
	return Execution{}, false, nil
}

const claimNext = `UPDATE executions SET status = 'running', claimed_by = ?, claimed_at = ?
	WHERE id = (SELECT id FROM executions INDEXED BY executions_pending WHERE status = 'pending' AND profile_handle > ?
		AND profile_handle NOT IN (SELECT value FROM json_each(?)) ORDER BY profile_handle, id LIMIT 1)
		AND status = 'pending'
	RETURNING ` + executionFields

// ExecutionValue says which version of which credential a key had.
type ExecutionValue struct {
	Key          string
	CredentialID string
	Version      int
	Mode         app.Mode
}

// Shown is what was submitted as people may see it.
type Shown struct {
	Script redact.Clean
	Inputs redact.Clean // JSON; empty if there are none
}

// Dispatch is the bindings of an execution when its script is sent.
type Dispatch struct {
	Policy    int
	Backend   string
	Isolation string
	Warm      bool
	Injected  []string
	Values    []ExecutionValue
	Shown     *Shown // now that more values are known than when it was submitted; nil: as it was
	At        time.Time
}

// Dispatch records the bindings of a running execution before its script is sent. Access must be
// known even if nothing comes back. CodeConflict if it doesn't run.
func (tx Queue) Dispatch(ctx context.Context, handle string, d Dispatch) error {
	if err := tx.change(ctx, "execution",
		`UPDATE executions SET policy = ?, backend = ?, isolation = ?, warm = ?, injected = ?, started_at = ?
		WHERE handle = ? AND status = 'running'`,
		d.Policy, d.Backend, d.Isolation, d.Warm, listJSON(d.Injected), toMillis(d.At), handle); err != nil {
		return err
	}
	if d.Shown != nil {
		if err := tx.run(ctx, "dispatch",
			`UPDATE execution_scripts SET clean = ?, clean_inputs = ?
			WHERE execution_id = (SELECT id FROM executions WHERE handle = ?)`,
			d.Shown.Script.String(), d.Shown.Inputs.String(), handle); err != nil {
			return err
		}
	}
	return wrapError("dispatch", tx.keepValues(ctx, handle, d.Values))
}

// keepValues records an execution's values. If it is bound again before its script was sent, the
// newest count. Its keys stay the same.
func (tx Queue) keepValues(ctx context.Context, handle string, values []ExecutionValue) error {
	for _, v := range values {
		if _, err := tx.exec(ctx,
			`INSERT INTO execution_values (execution_id, key, credential_id, credential_name, version, mode)
			VALUES ((SELECT id FROM executions WHERE handle = ?), ?, ?,
				coalesce((SELECT name FROM credentials WHERE id = ?), ''), ?, ?)
			ON CONFLICT DO UPDATE SET credential_id = excluded.credential_id, credential_name = excluded.credential_name,
				version = excluded.version, mode = excluded.mode`,
			handle, v.Key, v.CredentialID, v.CredentialID, v.Version, string(v.Mode)); err != nil {
			return err
		}
	}
	return nil
}

// IdempotencyKey holds the hashes of a key and of its submission.
type IdempotencyKey struct{ Key, Body []byte }

// ByKey returns the execution that a profile submitted under an idempotency key since a
// time. It is "" if there is none. key and body are hashes. CodeIdempotencyReused if the body was
// another.
func (tx Queue) ByKey(ctx context.Context, profileHandle string, key, body []byte, since time.Time) (string, error) {
	var submitted []byte
	var handle string
	err := tx.row(ctx, `SELECT idempotency.body, executions.handle FROM idempotency
			JOIN profiles ON profiles.id = idempotency.profile_id
			JOIN executions ON executions.id = idempotency.execution_id
		WHERE profiles.handle = ? AND idempotency.key = ? AND idempotency.created_at >= ?`,
		profileHandle, key, toMillis(since)).Scan(&submitted, &handle)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	if err != nil {
		return "", wrapError("read idempotency key", err)
	}
	if !bytes.Equal(submitted, body) {
		return "", app.E(app.CodeIdempotencyReused, "the idempotency key was used for another request within 24 hours",
			"Use a new key for a new request.")
	}
	return handle, nil
}

// Remember ties an idempotency key to an execution and forgets keys older than since.
func (tx Queue) Remember(ctx context.Context, profileHandle, execution string, key, body []byte, at,
	since time.Time) error {
	if err := tx.run(ctx, "forget idempotency keys", "DELETE FROM idempotency WHERE created_at < ?",
		toMillis(since)); err != nil {
		return err
	}
	return tx.run(ctx, "remember idempotency key",
		`INSERT INTO idempotency (profile_id, key, body, execution_id, created_at)
		SELECT profiles.id, ?, ?, executions.id, ? FROM profiles, executions
		WHERE profiles.handle = ? AND executions.handle = ?`,
		key, body, toMillis(at), profileHandle, execution)
}
