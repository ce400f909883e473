package store

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"

	"github.com/computclaw/airlock/app"
)

// List lists all by name, with the number of profiles that refer to each.
func (tx Credentials) List(ctx context.Context) ([]app.Credential, error) {
	rows, err := gorm.G[credentialRow](tx.db).Order("name").Find(ctx)
	if err != nil {
		return nil, fmt.Errorf("store: read credentials: %w", err)
	}
	var counts []struct {
		CredentialID string
		N            int
	}
	err = tx.db.WithContext(ctx).Raw(
		"SELECT credential_id, count(DISTINCT profile_id) AS n FROM profile_keys WHERE credential_id IS NOT NULL GROUP BY " +
			"credential_id").Scan(&counts).Error
	if err != nil {
		return nil, fmt.Errorf("store: count profiles: %w", err)
	}
	profiles := make(map[string]int, len(counts))
	for _, c := range counts {
		profiles[c.CredentialID] = c.N
	}
	list := make([]app.Credential, len(rows))
	for i, row := range rows {
		if list[i], err = row.credential(); err != nil {
			return nil, err
		}
		list[i].Profiles = profiles[row.ID]
	}
	return list, nil
}

// ByName finds one by name; Profiles is filled.
func (tx Credentials) ByName(ctx context.Context, name string) (app.Credential, error) {
	row, err := gorm.G[credentialRow](tx.db).Where("name = ?", name).Take(ctx)
	if err != nil {
		return app.Credential{}, notFound(err, "credential")
	}
	c, err := row.credential()
	if err != nil {
		return app.Credential{}, err
	}
	err = tx.db.WithContext(ctx).Raw("SELECT count(DISTINCT profile_id) FROM profile_keys WHERE credential_id = ?",
		c.ID).Scan(&c.Profiles).Error
	if err != nil {
		return app.Credential{}, fmt.Errorf("store: count profiles: %w", err)
	}
	return c, nil
}

// ByID finds those that exist among ids.
func (tx Credentials) ByID(ctx context.Context, ids []string) (map[string]app.Credential, error) {
	rows, err := gorm.G[credentialRow](tx.db).Where("id IN ?", ids).Find(ctx)
	if err != nil {
		return nil, fmt.Errorf("store: read credentials: %w", err)
	}
	found := make(map[string]app.Credential, len(rows))
	for _, row := range rows {
		if found[row.ID], err = row.credential(); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// Insert adds a credential without a value. A name that is taken is CodeConflict.
func (tx Credentials) Insert(ctx context.Context, c app.Credential) error {
	row := credentialRow{
		ID: c.ID, Name: c.Name, Description: c.Description, Service: c.Service, Mode: string(c.Mode),
		Hosts: toJSON(hosts(c.Hosts)), Places: toJSON(c.Places), Headers: toJSON(append([]string{}, c.Headers...)),
		PlainHTTP: c.PlainHTTP,
		Source:    string(c.Source), Reference: c.Reference, CreatedAt: toMillis(c.CreatedAt),
		UpdatedAt: toMillis(c.UpdatedAt),
	}
	return changed(1, gorm.G[credentialRow](tx.db).Create(ctx, &row), "credential")
}

// Update saves description, service, mode, hosts, places, headers, plain HTTP, source and reference
// of a credential that was last changed at seen, else CodeConflict. UpdatedAt becomes c's. Where
// hosts are taken away, its value stays known as one that belonged there.
func (tx Credentials) Update(ctx context.Context, c app.Credential, seen time.Time) error {
	if err := Values(tx).supersedeHosts(ctx, c.ID, c.Hosts, c.UpdatedAt); err != nil {
		return err
	}
	n, err := tx.exec(ctx, "UPDATE credentials SET description = ?, service = ?, mode = ?, hosts = ?, places = ?, "+
		"headers = ?, plain_http = ?, source = ?, reference = ?, updated_at = ? WHERE id = ? AND updated_at = ?",
		c.Description, c.Service, string(c.Mode), toJSON(hosts(c.Hosts)), toJSON(c.Places),
		toJSON(append([]string{}, c.Headers...)), c.PlainHTTP, string(c.Source), c.Reference, toMillis(c.UpdatedAt), c.ID,
		toMillis(seen))
	return changed(n, err, "credential")
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

// Insert adds the version after the current one and erases the value before it. Another version
// number than the next is CodeConflict.
func (tx Values) Insert(ctx context.Context, v Value) error {
	n, err := tx.exec(ctx, "UPDATE credentials SET version = ?, key_id = ?, value_set_at = ? WHERE id = ? AND version = ?",
		v.Version, v.KeyID, toMillis(v.At), v.CredentialID, v.Version-1)
	if err := changed(n, err, "credential"); err != nil {
		return err
	}
	if err := tx.Erase(ctx, v.CredentialID, v.At); err != nil {
		return err
	}
	row := credentialVersionRow{v.CredentialID, v.Version, v.Sealed, v.KeyID, toJSON(v.By), toMillis(v.At)}
	return changed(1, gorm.G[credentialVersionRow](tx.db).Create(ctx, &row), "credential")
}

// Erase erases the current value of a credential, if it has one, and keeps it as a superseded one;
// the versions stay counted. For one whose value comes from elsewhere now.
func (tx Values) Erase(ctx context.Context, id string, at time.Time) error {
	if err := tx.supersede(ctx, id, at); err != nil {
		return err
	}
	if _, err := tx.exec(ctx, "UPDATE credential_versions SET value = NULL WHERE credential_id = ? AND value IS NOT NULL",
		id); err != nil {
		return fmt.Errorf("store: erase value: %w", err)
	}
	return nil
}

// Current returns the current sealed values of those credentials that have one.
func (tx Values) Current(ctx context.Context, ids []string) (map[string]Value, error) {
	rows, err := gorm.G[credentialVersionRow](tx.db).Where("credential_id IN ? AND value IS NOT NULL", ids).Find(ctx)
	if err != nil {
		return nil, fmt.Errorf("store: read values: %w", err)
	}
	values := make(map[string]Value, len(rows))
	for _, r := range rows {
		by, err := fromJSON[app.Actor]("created_by", r.CreatedBy)
		if err != nil {
			return nil, err
		}
		values[r.CredentialID] = Value{r.CredentialID, r.Version, r.Value, r.KeyID, by, fromMillis(r.CreatedAt)}
	}
	return values, nil
}

// CountUse notes that an execution had the credentials.
func (tx Credentials) CountUse(ctx context.Context, ids []string, at time.Time) error {
	if _, err := tx.exec(ctx, "UPDATE credentials SET uses = uses + 1, last_used_at = max(last_used_at, ?) WHERE id IN ?",
		toMillis(at), ids); err != nil {
		return fmt.Errorf("store: count use: %w", err)
	}
	return nil
}

// Delete removes a credential with all versions and unlinks it from every key.
func (tx Credentials) Delete(ctx context.Context, id string) error {
	n, err := tx.exec(ctx, "DELETE FROM credentials WHERE id = ?", id)
	return changed(n, err, "credential")
}

// Profiles returns the handles of the profiles that have a key linked to the credential.
func (tx Credentials) Profiles(ctx context.Context, credentialID string) ([]string, error) {
	var handles []string
	err := tx.db.WithContext(ctx).Raw(
		"SELECT handle FROM profiles WHERE id IN (SELECT profile_id FROM profile_keys WHERE credential_id = ?) ORDER BY id",
		credentialID).Scan(&handles).Error
	if err != nil {
		return nil, fmt.Errorf("store: read profiles: %w", err)
	}
	return handles, nil
}

// TouchProfiles moves UpdatedAt of those profiles on, since what they show has changed.
func (tx Credentials) TouchProfiles(ctx context.Context, credentialID string, at time.Time) error {
	_, err := tx.exec(ctx, "UPDATE profiles SET updated_at = max(updated_at + 1, ?) WHERE id IN (SELECT profile_id FROM "+
		"profile_keys WHERE credential_id = ?)", toMillis(at), credentialID)
	if err != nil {
		return fmt.Errorf("store: touch profiles: %w", err)
	}
	return nil
}

func (r credentialRow) credential() (app.Credential, error) {
	list, err := fromJSON[[]app.Host]("hosts", r.Hosts)
	if err != nil {
		return app.Credential{}, err
	}
	places, err := fromJSON[[]app.Place]("places", r.Places)
	if err != nil {
		return app.Credential{}, err
	}
	headers, err := fromJSON[[]string]("headers", r.Headers)
	if err != nil {
		return app.Credential{}, err
	}
	return app.Credential{
		ID: r.ID, Name: r.Name, Description: r.Description, Service: r.Service, Mode: app.Mode(r.Mode), Hosts: list,
		Places: places, Headers: headers, PlainHTTP: r.PlainHTTP,
		Source: app.Source(r.Source), Reference: r.Reference, Version: r.Version, KeyID: r.KeyID,
		ValueSetAt: fromMillis(r.ValueSetAt), CreatedAt: fromMillis(r.CreatedAt), UpdatedAt: fromMillis(r.UpdatedAt),
		LastUsedAt: fromMillis(r.LastUsedAt), Uses: r.Uses, CheckedAt: fromMillis(r.CheckedAt), CheckError: r.CheckError,
	}, nil
}

// hosts makes an empty list of nil, so that the column is always a list.
func hosts(list []app.Host) []app.Host {
	if list == nil {
		return []app.Host{}
	}
	return list
}
