package store

import (
	"cmp"
	"context"
	"slices"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/computclaw/airlock/app"
)

// Insert adds an unlocked profile without keys and hosts.
func (tx Profiles) Insert(ctx context.Context, p Profile) error {
	row := profileRow{
		Lookup: p.Lookup, SealedID: p.SealedID, Handle: p.Handle, Description: p.Description, PairingCode: p.PairingCode,
		CreatedBy: toJSON(p.CreatedBy), CreatedFrom: p.CreatedFrom, ClaimedAt: toMillis(p.ClaimedAt),
		ExpiresAt: toMillis(p.ExpiresAt),
		CreatedAt: toMillis(p.CreatedAt), UpdatedAt: toMillis(p.UpdatedAt),
		MayRun: string(cmp.Or(p.MayRun, app.MayRunAny)),
	}
	return insertRow(ctx, tx.conn, "profile", row)
}

// Update saves description, claim, lock, revocation, expiry, placement, policy number and MayRun of a
// profile that was last changed at seen, else CodeConflict. UpdatedAt becomes at, or one
// millisecond after seen if that is later, so that it tells any two states apart; it is returned.
func (tx Profiles) Update(ctx context.Context, p Profile, revokedAt, seen, at time.Time) (time.Time, error) {
	now := max(toMillis(at), toMillis(seen)+1)
	n, err := tx.exec(ctx, `UPDATE profiles SET description = ?, claimed_at = ?, locked = ?, locked_at = ?, revoked = ?,
			revoked_at = CASE WHEN NOT ? THEN 0 WHEN revoked = 0 THEN ? ELSE revoked_at END,
			revision_revoked = CASE WHEN NOT ? THEN 0 WHEN revoked = 0 THEN ? ELSE revision_revoked END,
			expires_at = ?, backend = ?, min_tier = ?, image = ?, fresh = ?, policy = ?, may_run = ?, updated_at = ?
		WHERE id = ? AND updated_at = ?`,
		p.Description, toMillis(p.ClaimedAt), p.Locked, toMillis(p.LockedAt), p.Revoked,
		p.Revoked, toMillis(revokedAt), p.Revoked, now,
		toMillis(p.ExpiresAt), p.Placement.Backend, p.Placement.MinTier, p.Placement.Image, p.Placement.Fresh, p.Policy,
		string(p.MayRun), now,
		p.Row, toMillis(seen))
	return fromMillis(now), changed(n, err, "profile")
}

// SetKeys makes exactly these keys, in this order, the profile's. It fails for a locked profile.
func (tx Profiles) SetKeys(ctx context.Context, row int64, keys []app.Key, at time.Time) error {
	names := []string{""}
	for i, k := range keys {
		names = append(names, k.Name)
		r := profileKeyRow{row, k.Name, i, k.Description, string(k.Mode), listJSON(k.Hosts), nil, toMillis(at)}
		if k.CredentialID != "" {
			r.CredentialID = &k.CredentialID
		}
		keep := clause.OnConflict{
			Columns:   []clause.Column{{Name: "profile_id"}, {Name: "name"}},
			DoUpdates: clause.AssignmentColumns([]string{"position", "description", "mode", "hosts", "credential_id"}),
		}
		if err := gorm.G[profileKeyRow](tx.db, keep).Create(ctx, &r); err != nil {
			return failed("set keys", err)
		}
	}
	return tx.run(ctx, "set keys", "DELETE FROM profile_keys WHERE profile_id = ? AND name NOT IN ?", row, names)
}

// ProposeHosts adds undecided entries after those that are there; entries that are there stay as
// they are.
func (tx Profiles) ProposeHosts(ctx context.Context, row int64, list []app.Host, by app.Actor, at time.Time) error {
	last, err := selectValue[int](ctx, tx.conn, "propose hosts",
		"SELECT coalesce(max(position), 0) FROM profile_hosts WHERE profile_id = ?", row)
	if err != nil {
		return err
	}
	for i, h := range list {
		r := profileHostRow{ProfileID: row, Entry: h.String(), Position: last + 1 + i, Host: toJSON(h), AskedBy: toJSON(by),
			CreatedAt: toMillis(at)}
		if err := gorm.G[profileHostRow](tx.db, clause.OnConflict{DoNothing: true}).Create(ctx, &r); err != nil {
			return failed("propose hosts", err)
		}
	}
	return nil
}

// RequestHost adds an undecided entry that a refused connection of an execution asks for. It
// reports false if the entry is there already.
func (tx Profiles) RequestHost(ctx context.Context, row int64, h app.Host, execution string, line int, by app.Actor,
	at time.Time) (bool, error) {
	n, err := tx.exec(ctx, `INSERT INTO profile_hosts
			(profile_id, entry, position, host, asked_by, execution, line, created_at)
		SELECT ?, ?, coalesce(max(position), 0) + 1, ?, ?, ?, ?, ? FROM profile_hosts WHERE profile_id = ?
		ON CONFLICT DO NOTHING`,
		row, h.String(), toJSON(h), toJSON(by), execution, line, toMillis(at), row)
	return n > 0, failed("request a host", err)
}

// MergeRequest makes an undecided entry ask for h instead, and undecides a declined one. Where it
// came from is forgotten if other is true. absorbed entries go away, unless a person allowed them.
func (tx Profiles) MergeRequest(
	ctx context.Context, row int64, entry string, h app.Host, absorbed []string, other bool,
) error {
	const doing = "merge requests for a host"
	if err := tx.RemoveRequests(ctx, row, absorbed); err != nil {
		return err
	}
	return tx.run(ctx, doing, `UPDATE profile_hosts SET entry = ?, host = ?, declined_at = 0,
			execution = iif(?, '', execution), line = iif(?, 0, line)
		WHERE profile_id = ? AND entry = ? AND allowed = 0`, h.String(), toJSON(h), other, other, row, entry)
}

// RemoveRequests removes entries that no person allowed.
func (tx Profiles) RemoveRequests(ctx context.Context, row int64, entries []string) error {
	return tx.run(ctx, "remove requests for hosts",
		"DELETE FROM profile_hosts WHERE profile_id = ? AND allowed = 0 AND entry IN ?",
		row, append(slices.Clone(entries), ""))
}

// declineHosts marks undecided entries as declined and forgets all but the latest app.MaxHosts
// declined ones. Entries that a person proposed go away.
func (tx Profiles) declineHosts(ctx context.Context, row int64, entries []string, at time.Time) error {
	const doing = "decline hosts"
	if err := tx.run(ctx, doing, `UPDATE profile_hosts SET declined_at = ?, host = json_remove(host, '$.private')
		WHERE profile_id = ? AND allowed = 0 AND declined_at = 0 AND entry IN ?`,
		toMillis(at), row, append(slices.Clone(entries), "")); err != nil {
		return err
	}
	return tx.run(ctx, doing, `DELETE FROM profile_hosts WHERE profile_id = ? AND declined_at > 0 AND (
			coalesce(json_extract(asked_by, '$.kind'), '') <> 'agent' OR entry NOT IN (
				SELECT entry FROM profile_hosts WHERE profile_id = ? AND declined_at > 0
				ORDER BY declined_at DESC, entry LIMIT ?))`, row, row, app.MaxHosts)
}

// DecideHosts makes exactly these entries the allowed ones. Dismissed entries are declined, see
// declineHosts. Entries that a person had added go away; what an agent asked for and is not allowed
// stays undecided, without what a person had ticked on it.
func (tx Profiles) DecideHosts(ctx context.Context, row int64, allowed []app.Host, dismissed []string, by app.Actor,
	at time.Time) error {
	entries := []string{""}
	for _, h := range allowed {
		entries = append(entries, h.String())
	}
	const doing = "decide hosts"
	if err := tx.run(ctx, doing, `DELETE FROM profile_hosts WHERE profile_id = ? AND allowed = 1 AND entry NOT IN ?
		AND coalesce(json_extract(asked_by, '$.kind'), '') <> 'agent'`, row, entries); err != nil {
		return err
	}
	if err := tx.run(ctx, doing, `UPDATE profile_hosts SET allowed = 0, host = json_remove(host, '$.private')
		WHERE profile_id = ? AND entry NOT IN ?`, row, entries); err != nil {
		return err
	}
	for i, h := range allowed {
		r := profileHostRow{ProfileID: row, Entry: h.String(), Position: i, Host: toJSON(h), Allowed: true,
			AskedBy: toJSON(by), CreatedAt: toMillis(at)}
		keep := clause.OnConflict{
			Columns:   []clause.Column{{Name: "profile_id"}, {Name: "entry"}},
			DoUpdates: clause.AssignmentColumns([]string{"host", "allowed", "position", "declined_at"}),
		}
		if err := gorm.G[profileHostRow](tx.db, keep).Create(ctx, &r); err != nil {
			return failed("decide hosts", err)
		}
	}
	return tx.declineHosts(ctx, row, dismissed, at)
}

// Delete removes a profile with its keys and hosts, and takes back what was approved for it. Its
// executions and policies stay.
func (tx Profiles) Delete(ctx context.Context, row int64) error {
	if err := tx.run(ctx, "forget approvals", "UPDATE approvals SET state = 'revoked' WHERE state = 'approved' "+
		"AND profile_handle = (SELECT handle FROM profiles WHERE id = ?)", row); err != nil {
		return err
	}
	return tx.change(ctx, "profile", "DELETE FROM profiles WHERE id = ?", row)
}

// unclaimed selects profiles that agents created and no person has worked on.
const unclaimed = "claimed_at = 0 AND revoked = 0 AND json_extract(created_by, '$.kind') = 'agent'"

// UnclaimedFrom returns the address that created each unclaimed profile.
func (tx Profiles) UnclaimedFrom(ctx context.Context) (addresses []string, err error) {
	return selectAll[string](ctx, tx.conn, "count profiles", "SELECT created_from FROM profiles WHERE "+unclaimed)
}

// DeleteUnclaimed removes those that were created at or before a time and returns their handles.
func (tx Profiles) DeleteUnclaimed(ctx context.Context, before time.Time) ([]string, error) {
	return selectAll[string](ctx, tx.conn, "delete unclaimed profiles",
		"DELETE FROM profiles WHERE "+unclaimed+" AND created_at <= ? RETURNING handle", toMillis(before))
}
