package store

import (
	"context"
	"time"

	"github.com/computclaw/airlock/app"
)

type credentialRow struct {
	ID          string `gorm:"primaryKey" json:"id"`
	Name        string `json:"name"`
	Description string `json:"description"`
	Service     string `json:"service"`
	Mode        string `json:"-"`
	Hosts       string `json:"-"`
	Places      string `json:"-"`
	PlainHTTP   bool   `json:"plain_http"`
	Source      string `json:"-"`
	Reference   string `json:"reference"`
	Version     int    `json:"version"`
	KeyID       string `json:"-"`
	ValueSetAt  int64  `json:"value_set_at"`
	CheckedAt   int64  `json:"checked_at"`
	CheckError  string `json:"check_error"`
	Uses        int64  `json:"uses"`
	LastUsedAt  int64  `json:"last_used_at"`
	CreatedAt   int64  `gorm:"autoCreateTime:false" json:"created_at"`
	UpdatedAt   int64  `gorm:"autoUpdateTime:false" json:"updated_at"`
	Headers     string `json:"-"`
	CheckProved bool   `json:"-"` // a restored instance tests anew
}

func (credentialRow) TableName() string { return "credentials" }

// countProfiles counts the profiles that refer to a credential.
const countProfiles = `(SELECT count(DISTINCT profile_id) FROM profile_keys
	WHERE credential_id = credentials.id) AS profiles`

type countedCredential struct {
	Row      credentialRow `gorm:"embedded"`
	Profiles int
}

// List lists all by name; Profiles is filled.
func (tx Credentials) List(ctx context.Context) ([]app.Credential, error) {
	return selectAs(ctx, tx.conn, countedCredential.credential, "read credentials",
		"SELECT *, "+countProfiles+" FROM credentials ORDER BY name")
}

// ByName finds one by name; Profiles is filled.
func (tx Credentials) ByName(ctx context.Context, name string) (app.Credential, error) {
	return selectOne(ctx, tx.conn, countedCredential.credential, "credential",
		"SELECT *, "+countProfiles+" FROM credentials WHERE name = ?", name)
}

// ByID finds those that exist among ids.
func (tx Credentials) ByID(ctx context.Context, ids []string) (map[string]app.Credential, error) {
	list, err := selectAs(ctx, tx.conn, credentialRow.credential, "read credentials",
		"SELECT * FROM credentials WHERE id IN ?", ids)
	if err != nil {
		return nil, err
	}
	found := make(map[string]app.Credential, len(list))
	for _, c := range list {
		found[c.ID] = c
	}
	return found, nil
}

// Insert adds a credential without a value. A name that is taken is CodeConflict.
func (tx Credentials) Insert(ctx context.Context, c app.Credential) error {
	return insertRow(ctx, tx.conn, "credential", newCredentialRow(c))
}

// Update saves description, service, mode, hosts, places, headers, plain HTTP, source and reference
// of a credential that was last changed at seen, else CodeConflict. UpdatedAt becomes c's. Where
// hosts are taken away, its value stays known as one that belonged there.
func (tx Credentials) Update(ctx context.Context, c app.Credential, seen time.Time) error {
	return tx.overwrite(ctx, newCredentialRow(c), " AND updated_at = ?", toMillis(seen))
}

// Overwrite saves everything of a credential that an import may change: neither its name nor its
// value. Where hosts are taken away, its value stays known as one that belonged there.
func (tx Credentials) Overwrite(ctx context.Context, c CredentialRow) error {
	return tx.overwrite(ctx, c, "")
}

func (tx Credentials) overwrite(ctx context.Context, c credentialRow, and string, args ...any) error {
	next, err := fromJSON[[]app.Host]("hosts", c.Hosts)
	if err != nil {
		return err
	}
	if err := Values(tx).supersedeHosts(ctx, c.ID, next, fromMillis(c.UpdatedAt)); err != nil {
		return err
	}
	return tx.change(ctx, "credential", `UPDATE credentials SET description = ?, service = ?, mode = ?, hosts = ?,
		places = ?, headers = ?, plain_http = ?, source = ?, reference = ?, updated_at = ? WHERE id = ?`+and,
		append([]any{c.Description, c.Service, c.Mode, c.Hosts, c.Places, c.Headers, c.PlainHTTP, c.Source, c.Reference,
			c.UpdatedAt, c.ID}, args...)...)
}

// CountUse notes that an execution had the credentials.
func (tx Credentials) CountUse(ctx context.Context, ids []string, at time.Time) error {
	return tx.run(ctx, "count use", `UPDATE credentials SET uses = uses + 1, last_used_at = max(last_used_at, ?)
		WHERE id IN ?`, toMillis(at), ids)
}

// RecordCheck keeps the outcome of the last test request with a credential: why it failed, or else
// whether it proved the value.
func (tx Credentials) RecordCheck(ctx context.Context, id string, at time.Time, problem string, proved bool) error {
	return tx.change(ctx, "credential",
		"UPDATE credentials SET checked_at = ?, check_error = ?, check_proved = ? WHERE id = ?",
		toMillis(at), problem, proved, id)
}

// Delete removes a credential with all versions and unlinks it from every key.
func (tx Credentials) Delete(ctx context.Context, id string) error {
	return tx.change(ctx, "credential", "DELETE FROM credentials WHERE id = ?", id)
}

// Profiles returns the handles of the profiles that have a key linked to the credential.
func (tx Credentials) Profiles(ctx context.Context, credentialID string) ([]string, error) {
	return selectAll[string](ctx, tx.conn, "read profiles", `SELECT handle FROM profiles
		WHERE id IN (SELECT profile_id FROM profile_keys WHERE credential_id = ?) ORDER BY id`, credentialID)
}

// TouchProfiles moves UpdatedAt of those profiles on: what their pages show has changed.
func (tx Credentials) TouchProfiles(ctx context.Context, credentialID string, at time.Time) error {
	return tx.run(ctx, "touch profiles", `UPDATE profiles SET updated_at = max(updated_at + 1, ?)
		WHERE id IN (SELECT profile_id FROM profile_keys WHERE credential_id = ?)`, toMillis(at), credentialID)
}

func newCredentialRow(c app.Credential) credentialRow {
	return credentialRow{
		ID: c.ID, Name: c.Name, Description: c.Description, Service: c.Service, Mode: string(c.Mode),
		Hosts: listJSON(c.Hosts), Places: toJSON(c.Places), Headers: listJSON(c.Headers), PlainHTTP: c.PlainHTTP,
		Source: string(c.Source), Reference: c.Reference, CreatedAt: toMillis(c.CreatedAt),
		UpdatedAt: toMillis(c.UpdatedAt),
	}
}

func (r credentialRow) credential() (c app.Credential, err error) {
	hosts, err := fromJSON[[]app.Host]("hosts", r.Hosts)
	if err != nil {
		return c, err
	}
	places, err := fromJSON[[]app.Place]("places", r.Places)
	if err != nil {
		return c, err
	}
	headers, err := fromJSON[[]string]("headers", r.Headers)
	if err != nil {
		return c, err
	}
	return app.Credential{
		ID: r.ID, Name: r.Name, Description: r.Description, Service: r.Service, Mode: app.Mode(r.Mode), Hosts: hosts,
		Places: places, Headers: headers, PlainHTTP: r.PlainHTTP,
		Source: app.Source(r.Source), Reference: r.Reference, Version: r.Version, KeyID: r.KeyID,
		ValueSetAt: fromMillis(r.ValueSetAt), CreatedAt: fromMillis(r.CreatedAt), UpdatedAt: fromMillis(r.UpdatedAt),
		LastUsedAt: fromMillis(r.LastUsedAt), Uses: r.Uses, CheckedAt: fromMillis(r.CheckedAt), CheckError: r.CheckError,
		CheckProved: r.CheckProved,
	}, nil
}

func (r countedCredential) credential() (app.Credential, error) {
	c, err := r.Row.credential()
	c.Profiles = r.Profiles
	return c, err
}
