package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/computclaw/airlock/app"
)

// Profile is a stored profile. Its ID is empty, since only a sealed form is kept.
type Profile struct {
	app.Profile
	Row       int64
	Lookup    []byte
	SealedID  []byte
	ClaimedAt time.Time // when a person first worked on it
}

type profileRow struct {
	ID          int64  `gorm:"primaryKey" json:"-"`
	Lookup      []byte `json:"-"`
	SealedID    []byte `json:"-"`
	Handle      string `json:"handle"`
	Description string `json:"description"`
	PairingCode string `json:"pairing_code"`
	CreatedBy   string `json:"-"`
	CreatedFrom string `json:"created_from"`
	ClaimedAt   int64  `json:"claimed_at"`
	Locked      bool   `json:"locked"`
	LockedAt    int64  `json:"locked_at"`
	Revoked     bool   `json:"revoked"`
	RevokedAt   int64  `json:"revoked_at"`
	ExpiresAt   int64  `json:"expires_at"`
	Backend     string `json:"backend"`
	MinTier     string `json:"min_tier"`
	Image       string `json:"image"`
	Policy      int    `json:"policy"`
	Executions  int64  `json:"executions"`
	LastUsedAt  int64  `json:"last_used_at"`
	CreatedAt   int64  `gorm:"autoCreateTime:false" json:"created_at"`
	UpdatedAt   int64  `gorm:"autoUpdateTime:false" json:"updated_at"`
	// UpdatedAt as the revocation set it, to detect later changes.
	RevisionRevoked int64  `json:"-"`
	MayRun          string `json:"may_run"`
	Fresh           bool   `json:"fresh"`
}

func (profileRow) TableName() string { return "profiles" }

type profileKeyRow struct {
	ProfileID    int64   `gorm:"primaryKey;autoIncrement:false" json:"-"`
	Name         string  `gorm:"primaryKey" json:"name"`
	Position     int     `json:"-"`
	Description  string  `json:"description"`
	Mode         string  `json:"-"`
	Hosts        string  `json:"-"`
	CredentialID *string `json:"-"`
	CreatedAt    int64   `gorm:"autoCreateTime:false" json:"created_at"`
}

func (profileKeyRow) TableName() string { return "profile_keys" }

type profileHostRow struct {
	ProfileID  int64  `gorm:"primaryKey;autoIncrement:false" json:"-"`
	Entry      string `gorm:"primaryKey" json:"-"`
	Position   int    `json:"-"`
	Host       string `json:"-"`
	Allowed    bool   `json:"allowed"`
	AskedBy    string `json:"-"`
	Execution  string `json:"execution"`
	Line       int    `json:"line"`
	CreatedAt  int64  `gorm:"autoCreateTime:false" json:"created_at"`
	DeclinedAt int64  `json:"-"` // 0 unless a person declined the request
}

func (profileHostRow) TableName() string { return "profile_hosts" }

// ByLookup finds a profile by the keyed hash of its id.
func (tx Profiles) ByLookup(ctx context.Context, lookup []byte) (Profile, error) {
	return tx.find(ctx, "lookup = ?", lookup)
}

// ByHandle finds a profile by its handle.
func (tx Profiles) ByHandle(ctx context.Context, handle string) (Profile, error) {
	return tx.find(ctx, "handle = ?", handle)
}

func (tx Profiles) find(ctx context.Context, where string, arg any) (Profile, error) {
	row, err := selectOne(ctx, tx.conn, asIs[profileRow], "profile", "SELECT * FROM profiles WHERE "+where, arg)
	if err != nil {
		return Profile{}, err
	}
	list, err := tx.fill(ctx, []profileRow{row}, "profile_id = ?", row.ID)
	if err != nil {
		return Profile{}, err
	}
	return list[0], nil
}

// ToRun reads what an execution needs of a profile, by its handle.
//
// Keys have only Name, CredentialID and ValueExists, and there are no hosts: it is read several
// times per execution.
func (tx Profiles) ToRun(ctx context.Context, handle string) (Profile, error) {
	return tx.findToRun(ctx, "handle = ?", handle)
}

// ToRunByLookup is ToRun by the keyed hash of the id.
func (tx Profiles) ToRunByLookup(ctx context.Context, lookup []byte) (Profile, error) {
	return tx.findToRun(ctx, "lookup = ?", lookup)
}

func (tx Profiles) findToRun(ctx context.Context, where string, arg any) (Profile, error) {
	r := profileRow{CreatedBy: "{}"}
	err := tx.row(ctx, `SELECT id, handle, lookup, sealed_id, description, claimed_at, created_at, locked, revoked,
			expires_at, policy, backend, min_tier, image, fresh, may_run
		FROM profiles WHERE `+where, arg).
		Scan(&r.ID, &r.Handle, &r.Lookup, &r.SealedID, &r.Description, &r.ClaimedAt, &r.CreatedAt, &r.Locked, &r.Revoked,
			&r.ExpiresAt, &r.Policy, &r.Backend, &r.MinTier, &r.Image, &r.Fresh, &r.MayRun)
	if err != nil {
		return Profile{}, notFound(err, "profile")
	}
	p, err := r.profile()
	if err != nil {
		return Profile{}, err
	}
	if p.Keys, err = tx.keysToRun(ctx, r.ID); err != nil {
		return Profile{}, fmt.Errorf("store: read keys: %w", err)
	}
	return p, nil
}

func (tx Profiles) keysToRun(ctx context.Context, profile int64) (keys []app.Key, err error) {
	err = tx.rows(ctx, func(scan func(to ...any) error) error {
		var k app.Key
		if err := scan(&k.Name, &k.CredentialID, &k.ValueExists); err != nil {
			return err
		}
		keys = append(keys, k)
		return nil
	}, `SELECT k.name, coalesce(k.credential_id, ''), coalesce(c.version > 0 OR c.source = 'vault', 0)
		FROM profile_keys k LEFT JOIN credentials c ON c.id = k.credential_id
		WHERE k.profile_id = ? ORDER BY k.position, k.name`, profile)
	return keys, err
}

// List lists all, newest first.
func (tx Profiles) List(ctx context.Context) ([]Profile, error) {
	rows, err := selectAll[profileRow](ctx, tx.conn, "read profiles", "SELECT * FROM profiles ORDER BY id DESC")
	if err != nil {
		return nil, err
	}
	return tx.fill(ctx, rows, "1 = 1")
}

// linkedKey is a key with what its credential says.
type linkedKey struct {
	Key             profileKeyRow `gorm:"embedded"` // gorm looks past unexported embedded types
	CredentialName  string
	CredentialMode  string
	CredentialHosts string
	GrantHosts      string
	HasValue        bool
}

const selectKeys = `SELECT k.*, coalesce(c.name, '') AS credential_name, coalesce(c.mode, '') AS credential_mode,
		coalesce(c.hosts, '[]') AS credential_hosts,
		coalesce((SELECT json_extract(g.value, '$.hosts')
			FROM profiles p JOIN policies l ON l.profile_handle = p.handle AND l.version = p.policy,
				json_each(l.body, '$.keys') g
			WHERE p.id = k.profile_id AND json_extract(g.value, '$.key') = k.name), '[]') AS grant_hosts,
		coalesce(c.version > 0 OR c.source = 'vault', 0) AS has_value
	FROM profile_keys k LEFT JOIN credentials c ON c.id = k.credential_id WHERE `

// fill adds keys and hosts to profiles with one query each.
func (tx Profiles) fill(ctx context.Context, rows []profileRow, where string, args ...any) ([]Profile, error) {
	keys, err := selectAll[linkedKey](ctx, tx.conn, "read keys",
		selectKeys+where+" ORDER BY k.position, k.name", args...)
	if err != nil {
		return nil, err
	}
	entries, err := selectAll[profileHostRow](ctx, tx.conn, "read hosts",
		"SELECT * FROM profile_hosts WHERE "+where+" ORDER BY position, entry", args...)
	if err != nil {
		return nil, err
	}
	list := make([]Profile, len(rows))
	at := make(map[int64]*Profile, len(rows))
	for i, row := range rows {
		if list[i], err = row.profile(); err != nil {
			return nil, err
		}
		at[row.ID] = &list[i]
	}
	for _, k := range keys {
		if p := at[k.Key.ProfileID]; p != nil {
			key, err := k.key()
			if err != nil {
				return nil, err
			}
			p.Keys = append(p.Keys, key)
		}
	}
	for _, e := range entries {
		if p := at[e.ProfileID]; p != nil {
			host, err := fromJSON[app.Host]("host", e.Host)
			if err != nil {
				return nil, err
			}
			if e.DeclinedAt > 0 {
				p.Declined = append(p.Declined, app.DeclinedHost{Host: host, At: fromMillis(e.DeclinedAt)})
				continue
			}
			p.Hosts = append(p.Hosts,
				app.HostRequest{Host: host, Allowed: e.Allowed, CreatedAt: fromMillis(e.CreatedAt), Execution: e.Execution,
					Line: e.Line})
		}
	}
	return list, nil
}

// Placement is where its scripts may run.
func (r profileRow) Placement() app.Placement {
	return app.Placement{Backend: r.Backend, MinTier: r.MinTier, Image: r.Image, Fresh: r.Fresh}
}

func (r profileRow) profile() (Profile, error) {
	by, err := fromJSON[app.Actor]("created_by", r.CreatedBy)
	if err != nil {
		return Profile{}, err
	}
	return Profile{
		Row: r.ID, Lookup: r.Lookup, SealedID: r.SealedID, ClaimedAt: fromMillis(r.ClaimedAt),
		Profile: app.Profile{
			Handle: r.Handle, Description: r.Description, PairingCode: r.PairingCode, CreatedBy: by, CreatedFrom: r.CreatedFrom,
			Locked: r.Locked, Revoked: r.Revoked, ExpiresAt: fromMillis(r.ExpiresAt), Policy: r.Policy,
			Placement: r.Placement(),
			MayRun:    app.MayRun(r.MayRun),
			CreatedAt: fromMillis(r.CreatedAt), UpdatedAt: fromMillis(r.UpdatedAt), LockedAt: fromMillis(r.LockedAt),
			LastUsedAt: fromMillis(r.LastUsedAt), Executions: r.Executions,
			RevokedAt: fromMillis(r.RevokedAt), RevokedAs: fromMillis(r.RevisionRevoked),
		},
	}, nil
}

func (k linkedKey) key() (app.Key, error) {
	list, err := fromJSON[[]app.Host]("hosts", k.Key.Hosts)
	if err != nil {
		return app.Key{}, err
	}
	key := app.Key{Name: k.Key.Name, Description: k.Key.Description, Mode: app.Mode(k.Key.Mode), Hosts: list}
	if k.Key.CredentialID != nil {
		key.CredentialID = *k.Key.CredentialID
		key.Credential, key.CredentialMode, key.ValueExists = k.CredentialName, app.Mode(k.CredentialMode), k.HasValue
		if key.CredentialHosts, err = fromJSON[[]app.Host]("hosts", k.CredentialHosts); err != nil {
			return app.Key{}, err
		}
		if key.GrantHosts, err = fromJSON[[]app.Host]("hosts", k.GrantHosts); err != nil {
			return app.Key{}, err
		}
	}
	return key, nil
}

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

// Update saves a profile that was last changed at seen, else CodeConflict.
//
// It saves description, claim, lock, revocation, expiry, placement, policy number and MayRun. It
// returns the new UpdatedAt: at, or seen plus one millisecond if that is later, so that any two
// states differ.
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
	return fromMillis(now), checkChanged(n, err, "profile")
}

// SetKeys makes exactly these the profile's keys, in order. It fails for a locked profile.
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
			return wrapError("set keys", err)
		}
	}
	return tx.run(ctx, "set keys", "DELETE FROM profile_keys WHERE profile_id = ? AND name NOT IN ?", row, names)
}

// ProposeHosts appends undecided entries. Existing entries stay unchanged.
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
			return wrapError("propose hosts", err)
		}
	}
	return nil
}

// RequestHost adds an undecided entry for a refused connection. It returns false if the entry
// exists.
func (tx Profiles) RequestHost(ctx context.Context, row int64, h app.Host, execution string, line int, by app.Actor,
	at time.Time) (bool, error) {
	n, err := tx.exec(ctx, `INSERT INTO profile_hosts
			(profile_id, entry, position, host, asked_by, execution, line, created_at)
		SELECT ?, ?, coalesce(max(position), 0) + 1, ?, ?, ?, ?, ? FROM profile_hosts WHERE profile_id = ?
		ON CONFLICT DO NOTHING`,
		row, h.String(), toJSON(h), toJSON(by), execution, line, toMillis(at), row)
	return n > 0, wrapError("request a host", err)
}

// MergeRequest makes an undecided or declined entry an undecided one for h. Its origin is forgotten
// if other is true. absorbed entries are removed unless a person allowed them.
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

// declineHosts declines undecided entries and keeps only the latest app.MaxHosts. It removes
// entries that a person proposed.
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

// DecideHosts makes exactly these entries the allowed ones and declines the dismissed. See
// declineHosts. Entries that a person had added are removed. Other requests of agents stay
// undecided, without a person's ticks.
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
			return wrapError("decide hosts", err)
		}
	}
	return tx.declineHosts(ctx, row, dismissed, at)
}

// Delete removes a profile with its keys and hosts and revokes its approvals. Its executions and
// policies stay.
func (tx Profiles) Delete(ctx context.Context, row int64) error {
	if err := tx.run(ctx, "forget approvals", "UPDATE approvals SET state = 'revoked' WHERE state = 'approved' "+
		"AND profile_handle = (SELECT handle FROM profiles WHERE id = ?)", row); err != nil {
		return err
	}
	return tx.change(ctx, "profile", "DELETE FROM profiles WHERE id = ?", row)
}

// unclaimed selects profiles that agents created and no person has worked on.
const unclaimed = "claimed_at = 0 AND revoked = 0 AND json_extract(created_by, '$.kind') = 'agent'"

// ListUnclaimedAddresses returns the address that created each unclaimed profile.
func (tx Profiles) ListUnclaimedAddresses(ctx context.Context) (addresses []string, err error) {
	return selectAll[string](ctx, tx.conn, "count profiles", "SELECT created_from FROM profiles WHERE "+unclaimed)
}

// DeleteUnclaimed removes those created at or before a time and returns their handles.
func (tx Profiles) DeleteUnclaimed(ctx context.Context, before time.Time) ([]string, error) {
	return selectAll[string](ctx, tx.conn, "delete unclaimed profiles",
		"DELETE FROM profiles WHERE "+unclaimed+" AND created_at <= ? RETURNING handle", toMillis(before))
}

type policyRow struct {
	ProfileHandle string `gorm:"primaryKey"`
	Version       int    `gorm:"primaryKey;autoIncrement:false"`
	Body          string
	Digest        string
	CreatedBy     string
	CreatedAt     int64 `gorm:"autoCreateTime:false"`
}

func (policyRow) TableName() string { return "policies" }

// Insert adds a version. CodeConflict if it exists, since versions never change.
func (tx Policies) Insert(ctx context.Context, handle string, p app.Policy) error {
	return insertRow(ctx, tx.conn, "policy",
		policyRow{handle, p.Version, toJSON(p), p.Digest(), toJSON(p.CreatedBy), toMillis(p.CreatedAt)})
}

// Version returns a version of a profile's policy, even a deleted profile's. ProfileID is empty.
func (tx Policies) Version(ctx context.Context, handle string, version int) (app.Policy, error) {
	var row policyRow
	err := tx.row(ctx, `SELECT body, digest, created_by, created_at FROM policies
		WHERE profile_handle = ? AND version = ?`, handle, version).
		Scan(&row.Body, &row.Digest, &row.CreatedBy, &row.CreatedAt)
	if err != nil {
		return app.Policy{}, notFound(err, "policy")
	}
	p, err := fromJSON[app.Policy]("policy", row.Body)
	if err == nil && p.Digest() != row.Digest {
		err = fmt.Errorf("store: policy %s version %d is not as it was written", handle, version)
	}
	if err != nil {
		return app.Policy{}, err
	}
	p.CreatedAt = fromMillis(row.CreatedAt)
	if p.CreatedBy, err = fromJSON[app.Actor]("created_by", row.CreatedBy); err != nil {
		return app.Policy{}, err
	}
	return p, nil
}
