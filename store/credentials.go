package store

import (
	"context"
	"crypto/sha256"
	"slices"
	"time"

	"gorm.io/gorm"

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

// Insert adds a credential without a value. CodeConflict if the name is taken.
func (tx Credentials) Insert(ctx context.Context, c app.Credential) error {
	return insertRow(ctx, tx.conn, "credential", newCredentialRow(c))
}

// Update saves a credential that was last changed at seen, else CodeConflict.
//
// It saves description, service, mode, hosts, places, headers, plain HTTP, source and reference,
// and sets UpdatedAt to c's. The value stays known for hosts that are removed.
func (tx Credentials) Update(ctx context.Context, c app.Credential, seen time.Time) error {
	return tx.overwrite(ctx, newCredentialRow(c), " AND updated_at = ?", toMillis(seen))
}

// Overwrite saves what an import may change of a credential: all but name and value. The value
// stays known for hosts that are removed.
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

// RecordCheck keeps the outcome of a credential's last test request. Without a problem it says
// whether the value was proved.
func (tx Credentials) RecordCheck(ctx context.Context, id string, at time.Time, problem string, proved bool) error {
	return tx.change(ctx, "credential",
		"UPDATE credentials SET checked_at = ?, check_error = ?, check_proved = ? WHERE id = ?",
		toMillis(at), problem, proved, id)
}

// Delete removes a credential with all versions and unlinks it from every key.
func (tx Credentials) Delete(ctx context.Context, id string) error {
	return tx.change(ctx, "credential", "DELETE FROM credentials WHERE id = ?", id)
}

// Profiles returns the handles of profiles with a key linked to the credential.
func (tx Credentials) Profiles(ctx context.Context, credentialID string) ([]string, error) {
	return selectAll[string](ctx, tx.conn, "read profiles", `SELECT handle FROM profiles
		WHERE id IN (SELECT profile_id FROM profile_keys WHERE credential_id = ?) ORDER BY id`, credentialID)
}

// TouchProfiles advances UpdatedAt of those profiles, whose pages changed.
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

// Value is one sealed version of a credential's value.
type Value struct {
	CredentialID string
	Version      int
	Sealed       []byte
	KeyID        string
	By           app.Actor
	At           time.Time
}

type credentialVersionRow struct {
	CredentialID string `gorm:"primaryKey"`
	Version      int    `gorm:"primaryKey;autoIncrement:false"`
	Value        []byte
	KeyID        string
	CreatedBy    string
	CreatedAt    int64 `gorm:"autoCreateTime:false"`
}

func (credentialVersionRow) TableName() string { return "credential_versions" }

// Insert adds the next version and erases the value before it. Another version number is
// CodeConflict.
func (tx Values) Insert(ctx context.Context, v Value) error {
	if err := tx.change(ctx, "credential",
		"UPDATE credentials SET version = ?, key_id = ?, value_set_at = ? WHERE id = ? AND version = ?",
		v.Version, v.KeyID, toMillis(v.At), v.CredentialID, v.Version-1); err != nil {
		return err
	}
	if err := tx.Erase(ctx, v.CredentialID, v.At); err != nil {
		return err
	}
	return insertRow(ctx, tx.conn, "credential",
		credentialVersionRow{v.CredentialID, v.Version, v.Sealed, v.KeyID, toJSON(v.By), toMillis(v.At)})
}

// Erase erases a credential's current value, if any, and keeps it as superseded. It is for
// credentials whose value now comes from elsewhere.
func (tx Values) Erase(ctx context.Context, id string, at time.Time) error {
	if err := tx.supersede(ctx, id, at); err != nil {
		return err
	}
	return tx.run(ctx, "erase value",
		"UPDATE credential_versions SET value = NULL WHERE credential_id = ? AND value IS NOT NULL", id)
}

// Current returns the current sealed values of those credentials that have one.
func (tx Values) Current(ctx context.Context, ids []string) (map[string]Value, error) {
	list, err := selectAs(ctx, tx.conn, credentialVersionRow.value, "read values",
		"SELECT * FROM credential_versions WHERE credential_id IN ? AND value IS NOT NULL", ids)
	if err != nil {
		return nil, err
	}
	values := make(map[string]Value, len(list))
	for _, v := range list {
		values[v.CredentialID] = v
	}
	return values, nil
}

func (r credentialVersionRow) value() (Value, error) {
	by, err := fromJSON[app.Actor]("created_by", r.CreatedBy)
	return Value{r.CredentialID, r.Version, r.Value, r.KeyID, by, fromMillis(r.CreatedAt)}, err
}

// maxSuperseded bounds the kept values of one credential, since every answer is searched for them.
// Changes of hosts don't count.
const maxSuperseded = 100

type supersededValueRow struct {
	ID           int64 `gorm:"primaryKey"`
	CredentialID string
	Version      int
	Value        []byte
	Mode         string
	Hosts        string
	SupersededAt int64
}

func (supersededValueRow) TableName() string { return "superseded_values" }

type valueChangesRow struct {
	ID int64 `gorm:"primaryKey"`
	N  int64
}

func (valueChangesRow) TableName() string { return "value_changes" }

// supersede keeps a credential's current value, if any, with its present mode and hosts.
//
// A value has one row per mode, with all hosts it ever belonged to. A credential without hosts
// keeps the value for the hosts that it may get. Plain values are no secrets.
func (tx Values) supersede(ctx context.Context, id string, at time.Time) error {
	const doing = "keep a superseded value"
	if err := tx.run(ctx, doing, insertSuperseded, toMillis(at), id); err != nil {
		return err
	}
	if err := tx.run(ctx, doing, `DELETE FROM superseded_values AS old WHERE credential_id = ?
		AND EXISTS (SELECT 1 FROM superseded_values s WHERE s.credential_id = old.credential_id
			AND s.version = old.version AND s.mode = old.mode AND s.id > old.id)`, id); err != nil {
		return err
	}
	return tx.run(ctx, doing, `DELETE FROM superseded_values WHERE credential_id = ? AND version <= (
		SELECT DISTINCT version FROM superseded_values WHERE credential_id = ? ORDER BY version DESC LIMIT 1 OFFSET ?)`,
		id, id, maxSuperseded)
}

const insertSuperseded = `INSERT INTO superseded_values (credential_id, version, value, mode, hosts, superseded_at)
	SELECT c.id, v.version, v.value, c.mode, (SELECT json_group_array(json(host)) FROM (
		SELECT value AS host FROM json_each(c.hosts)
		UNION SELECT h.value FROM superseded_values s, json_each(s.hosts) h
		WHERE s.credential_id = c.id AND s.version = v.version AND s.mode = c.mode)), ?
	FROM credentials c JOIN credential_versions v ON v.credential_id = c.id
	WHERE c.id = ? AND v.value IS NOT NULL AND c.mode <> 'plain'`

// supersedeHosts calls supersede unless the next hosts cover the present ones.
func (tx Values) supersedeHosts(ctx context.Context, id string, next []app.Host, at time.Time) error {
	found, err := Credentials(tx).ByID(ctx, []string{id})
	if err != nil {
		return err
	}
	for _, h := range found[id].Hosts {
		if !isCovered(h, next) {
			return tx.supersede(ctx, id, at)
		}
	}
	return nil
}

// isCovered reports whether one of the hosts has the name and all ports of h.
func isCovered(h app.Host, hosts []app.Host) bool {
	return slices.ContainsFunc(hosts, func(o app.Host) bool {
		both, ok := h.Overlap(o)
		return ok && both.Name == h.Name && len(both.Ports) == len(h.Ports)
	})
}

// PruneSuperseded removes values superseded before a time and returns the number of rows.
func (tx Values) PruneSuperseded(ctx context.Context, before time.Time) (int64, error) {
	n, err := tx.exec(ctx, "DELETE FROM superseded_values WHERE superseded_at < ?", toMillis(before))
	return n, wrapError("remove superseded values", err)
}

// Changes returns a number that grows whenever the result of Belongings changes, in any process.
func (tx Values) Changes(ctx context.Context) (int64, error) { return valueChanges(ctx, tx.db) }

// ValueChanges is Values.Changes as of now.
func (s *Store) ValueChanges(ctx context.Context) (int64, error) {
	return valueChanges(ctx, s.read(ctx))
}

func valueChanges(ctx context.Context, db *gorm.DB) (n int64, err error) {
	err = rowOf(ctx, db, "SELECT n FROM value_changes").Scan(&n)
	return n, wrapError("count changes of values", err)
}

// Belonging says to which hosts a value belongs, or did.
type Belonging struct {
	CredentialID string
	Credential   string // name
	Version      int    // 0: no value is stored here
	Superseded   int64  // row of the superseded value; 0 for the present one
	// of the sealed value: an imported credential may have the id and version of a deleted one
	Digest [sha256.Size]byte
	Mode   app.Mode
	Source app.Source
	Hosts  []app.Host // of a superseded value: where it belonged and where its credential belongs now
}

// Belongings returns which values belong to which hosts, without the values.
//
// It lists the superseded values and the present one of each credential, including plain values and
// credentials without a value or hosts.
func (tx Values) Belongings(ctx context.Context) ([]Belonging, error) {
	var list []Belonging
	err := tx.rows(ctx, func(scan func(to ...any) error) error {
		var b Belonging
		var token []byte
		var hosts string
		if err := scan(&b.CredentialID, &b.Credential, &b.Version, &b.Superseded, &token, &b.Mode, &b.Source,
			&hosts); err != nil {
			return err
		}
		b.Digest = sha256.Sum256(token)
		var err error
		b.Hosts, err = fromJSON[[]app.Host]("hosts", hosts)
		list = append(list, b)
		return err
	}, `SELECT c.id, c.name, coalesce(v.version, 0), 0, v.value, c.mode, c.source, c.hosts
		FROM credentials c LEFT JOIN credential_versions v ON v.credential_id = c.id AND v.value IS NOT NULL
		UNION ALL SELECT s.credential_id, c.name, s.version, s.id, s.value, s.mode, 'local',
			(SELECT json_group_array(json(value)) FROM (
				SELECT value FROM json_each(s.hosts) UNION SELECT value FROM json_each(c.hosts)))
		FROM superseded_values s JOIN credentials c ON c.id = s.credential_id`)
	return list, wrapError("read the hosts of values", err)
}

// SupersededTokens returns the tokens of superseded values by their row.
func (tx Values) SupersededTokens(ctx context.Context, rows []int64) (map[int64][]byte, error) {
	tokens := make(map[int64][]byte, len(rows))
	err := tx.rows(ctx, func(scan func(to ...any) error) error {
		var row int64
		var token []byte
		if err := scan(&row, &token); err != nil {
			return err
		}
		tokens[row] = token
		return nil
	}, "SELECT id, value FROM superseded_values WHERE id IN (SELECT value FROM json_each(?))", toJSON(rows))
	return tokens, wrapError("read superseded values", err)
}

type sentValueRow struct {
	Handle, ProfileDescription, Host, Method, Path string
	Port, Status, Line                             int
	StartedAt                                      int64
}

func (r sentValueRow) value() (app.SentValue, error) {
	return app.SentValue{Execution: r.Handle, Profile: r.ProfileDescription, Connection: app.Connection{
		Host: r.Host, Port: r.Port, Method: r.Method, Path: r.Path, Status: r.Status, Line: r.Line,
		StartedAt: fromMillis(r.StartedAt), Verdict: app.VerdictAllowed,
	}}, nil
}

// Bounds of SentValues.
const (
	sentRows       = 20
	sentExecutions = 1000
)

// SentValues lists the newest requests with a credential's sealed value, in its last 1,000
// executions.
func (tx Executions) SentValues(ctx context.Context, credentialID string) ([]app.SentValue, error) {
	return selectAs(ctx, tx.conn, sentValueRow.value, "read sent values", sentValues,
		credentialID, credentialID, sentExecutions, sentRows)
}

const sentValues = `SELECT x.handle, x.profile_description, c.host, c.port, c.method, c.path, c.status, c.line,
		c.started_at
	FROM execution_values v CROSS JOIN connections c ON c.execution_id = v.execution_id
		CROSS JOIN executions x ON x.id = v.execution_id
	WHERE v.credential_id = ? AND v.execution_id >= (SELECT min(execution_id) FROM (SELECT execution_id
			FROM execution_values WHERE credential_id = ? ORDER BY execution_id DESC LIMIT ?))
		AND c.credentials <> '[]' AND instr(c.credentials, json_quote(v.key)) > 0
	ORDER BY v.execution_id DESC, c.ordinal DESC LIMIT ?`

// Lease is a lease in Vault that is to be given back.
type Lease struct {
	ID        string
	CreatedAt time.Time
	ExpiresAt time.Time
}

type vaultLeaseRow struct {
	ID        string `gorm:"primaryKey"`
	CreatedAt int64  `gorm:"autoCreateTime:false"`
	ExpiresAt int64
}

func (vaultLeaseRow) TableName() string { return "vault_leases" }

// Insert notes a lease. A known lease is unchanged, and fresh is false.
func (tx Leases) Insert(ctx context.Context, l Lease) (fresh bool, err error) {
	n, err := tx.exec(ctx, "INSERT INTO vault_leases (id, created_at, expires_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
		l.ID, toMillis(l.CreatedAt), toMillis(l.ExpiresAt))
	return n == 1, wrapError("note a lease", err)
}

// Extend notes a lease's renewal. It ignores unknown leases.
func (tx Leases) Extend(ctx context.Context, id string, expires time.Time) error {
	return tx.run(ctx, "extend a lease", "UPDATE vault_leases SET expires_at = ? WHERE id = ?", toMillis(expires), id)
}

// Delete forgets a lease that was given back.
func (tx Leases) Delete(ctx context.Context, id string) error {
	return tx.run(ctx, "forget a lease", "DELETE FROM vault_leases WHERE id = ?", id)
}

// List lists the leases to give back, oldest first.
func (tx Leases) List(ctx context.Context) ([]Lease, error) {
	return selectAs(ctx, tx.conn, vaultLeaseRow.lease, "read leases", "SELECT * FROM vault_leases ORDER BY created_at, id")
}

func (r vaultLeaseRow) lease() (Lease, error) {
	return Lease{r.ID, fromMillis(r.CreatedAt), fromMillis(r.ExpiresAt)}, nil
}
