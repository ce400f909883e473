package store

import (
	"context"
	"fmt"
	"time"

	"github.com/computclaw/airlock/app"
)

// Profile is a profile as stored: its ID is empty, since only a sealed form is kept.
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
	// UpdatedAt as the revocation made it, so that it can be told whether anything changed since.
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

// ToRun finds a profile by its handle as far as it matters to an execution: its keys have only
// Name, CredentialID and ValueExists, and there are no hosts. It is read several times per
// execution, and the rest takes most of the time.
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
