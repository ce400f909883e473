package store

import (
	"context"
	"crypto/sha256"
	"slices"
	"time"

	"gorm.io/gorm"

	"github.com/computclaw/airlock/app"
)

// maxSuperseded bounds how many values of one credential are kept: whoever rotates every minute
// must not make each answer dear to search. Changes of hosts don't count.
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

// supersede keeps the current value of a credential, if it has one, with its mode and hosts as they
// are now. A value has one row for each mode, with all hosts that it ever belonged to; without any
// it is kept for the hosts that the credential may get. Plain values are no secrets.
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

// supersedeHosts is supersede for a credential whose hosts are about to change, unless the new ones
// cover the present ones.
func (tx Values) supersedeHosts(ctx context.Context, id string, next []app.Host, at time.Time) error {
	found, err := Credentials(tx).ByID(ctx, []string{id})
	if err != nil {
		return err
	}
	for _, h := range found[id].Hosts {
		if !covered(h, next) {
			return tx.supersede(ctx, id, at)
		}
	}
	return nil
}

// covered reports whether one of the hosts has the name and all ports of h.
func covered(h app.Host, hosts []app.Host) bool {
	return slices.ContainsFunc(hosts, func(o app.Host) bool {
		both, ok := h.Overlap(o)
		return ok && both.Name == h.Name && len(both.Ports) == len(h.Ports)
	})
}

// PruneSuperseded removes what was superseded before a time and returns how many rows that were.
func (tx Values) PruneSuperseded(ctx context.Context, before time.Time) (int64, error) {
	n, err := tx.exec(ctx, "DELETE FROM superseded_values WHERE superseded_at < ?", toMillis(before))
	return n, failed("remove superseded values", err)
}

// Changes returns a number that grows with every change of what Belongings returns, by whichever
// process.
func (tx Values) Changes(ctx context.Context) (int64, error) { return valueChanges(ctx, tx.db) }

// ValueChanges is Values.Changes as of now.
func (s *Store) ValueChanges(ctx context.Context) (int64, error) {
	return valueChanges(ctx, s.read(ctx))
}

func valueChanges(ctx context.Context, db *gorm.DB) (n int64, err error) {
	err = rowOf(ctx, db, "SELECT n FROM value_changes").Scan(&n)
	return n, failed("count changes of values", err)
}

// Belonging says to which hosts a value belongs, or did.
type Belonging struct {
	CredentialID string
	Credential   string // name
	Version      int    // 0: no value is stored here
	Superseded   int64  // row of the superseded value; 0 for the present one
	// of the sealed value: id and version alone come back when a deleted credential is imported
	Digest [sha256.Size]byte
	Mode   app.Mode
	Source app.Source
	Hosts  []app.Host // of a superseded value: where it belonged and where its credential belongs now
}

// Belongings returns which values belong to which hosts, without the values: the present one of
// each credential, plain ones and those without a value or hosts among them, and those that were
// superseded.
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
	return list, failed("read the hosts of values", err)
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
	return tokens, failed("read superseded values", err)
}
