package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/redact"
)

// Blob is stored content. Its key is sealed and bound to its name.
type Blob struct {
	ID   int64
	Name string
	Key  []byte
	Size int64
}

// StoredFile is a file with its content.
type StoredFile struct {
	app.File
	Blob int64
}

// StoredArtifact is what an execution left, on its way into the store.
type StoredArtifact struct {
	Name      redact.Clean
	Size      int64
	SHA256    string
	Type      string
	Masked    int
	Withheld  string
	Key       string
	Blob      int64 // 0: none
	ExpiresAt time.Time
}

// InputFile is a file that an execution gets, with its content.
type InputFile struct {
	app.InputFile
	Blob int64 // 0: no longer kept
}

// Find returns the blob with a content and marks it used now. ok is false if there is none.
func (tx Blobs) Find(ctx context.Context, content []byte, now time.Time) (b Blob, ok bool, err error) {
	err = tx.row(ctx, "UPDATE blobs SET used_at = ? WHERE content = ? RETURNING id, name, key, size",
		toMillis(now), content).Scan(&b.ID, &b.Name, &b.Key, &b.Size)
	if errors.Is(err, sql.ErrNoRows) {
		return b, false, nil
	}
	return b, err == nil, wrapError("find a blob", err)
}

// Add records a blob in the storage and returns the one with this content. That is another blob if
// it came first.
func (tx Blobs) Add(ctx context.Context, b Blob, content []byte, now time.Time) (Blob, error) {
	if found, ok, err := tx.Find(ctx, content, now); err != nil || ok {
		return found, err
	}
	var err error
	b.ID, err = tx.insert(ctx, "INSERT INTO blobs (name, content, key, size, used_at) VALUES (?, ?, ?, ?, ?)",
		b.Name, content, b.Key, b.Size, toMillis(now))
	return b, wrapError("note a blob", err)
}

// Get returns a blob. CodeNotFound if there is none.
func (tx Blobs) Get(ctx context.Context, id int64) (b Blob, err error) {
	err = tx.row(ctx, "SELECT id, name, key, size FROM blobs WHERE id = ?", id).Scan(&b.ID, &b.Name, &b.Key, &b.Size)
	return b, notFound(err, "content")
}

// Names returns which of the names belong to a blob.
func (tx Blobs) Names(ctx context.Context, names []string) ([]string, error) {
	return selectAll[string](ctx, tx.conn, "read blobs",
		"SELECT name FROM blobs WHERE name IN (SELECT value FROM json_each(?))", listJSON(names))
}

// RemoveUnused forgets at most limit blobs without references since a time. It returns their names
// in the storage. Unfinished executions refer to their files.
func (tx Blobs) RemoveUnused(ctx context.Context, before time.Time, limit int) ([]string, error) {
	return selectAll[string](ctx, tx.conn, "remove blobs", `DELETE FROM blobs WHERE id IN (
		SELECT b.id FROM blobs b WHERE b.used_at < ?
			AND NOT EXISTS (SELECT 1 FROM files f WHERE f.blob_id = b.id)
			AND NOT EXISTS (SELECT 1 FROM artifacts a WHERE a.blob_id = b.id)
			AND NOT EXISTS (SELECT 1 FROM skill_versions v WHERE v.blob_id = b.id)
			AND NOT EXISTS (SELECT 1 FROM execution_files e JOIN executions x ON x.id = e.execution_id
				WHERE e.blob_id = b.id AND x.completed_at = 0)
		LIMIT ?) RETURNING name`, toMillis(before), limit)
}

// Add stores a file of a profile. CodeProfileRevoked if the profile was revoked or deleted.
func (tx Files) Add(ctx context.Context, profileHandle string, f StoredFile) error {
	n, err := tx.exec(ctx, `INSERT INTO files (id, profile_id, name, size, sha256, blob_id, created_at, expires_at)
		SELECT ?, id, ?, ?, ?, ?, ?, ? FROM profiles WHERE handle = ? AND revoked = 0`,
		f.ID, f.Name, f.Size, f.SHA256, f.Blob, toMillis(f.CreatedAt), toMillis(f.ExpiresAt), profileHandle)
	if err == nil && n == 0 {
		return app.ErrProfileRevoked()
	}
	return wrapError("store a file", err)
}

const ofProfile = "profile_id = (SELECT id FROM profiles WHERE handle = ?)"

// List returns a profile's newest unexpired files, newest first.
func (tx Files) List(ctx context.Context, profileHandle string, now time.Time) ([]app.File, error) {
	return selectAs(ctx, tx.conn, fileRow.file, "read files",
		"SELECT * FROM files WHERE "+ofProfile+" AND expires_at > ? ORDER BY created_at DESC, id LIMIT ?",
		profileHandle, toMillis(now), app.MaxListedFiles)
}

// Get returns a profile's file. CodeNotFound if there is none or it has expired.
func (tx Files) Get(ctx context.Context, profileHandle, id string, now time.Time) (f StoredFile, err error) {
	return selectOne(ctx, tx.conn, func(r fileRow) (StoredFile, error) {
		file, err := r.file()
		return StoredFile{file, r.BlobID}, err
	}, "file", "SELECT * FROM files WHERE id = ? AND "+ofProfile+" AND expires_at > ?", id, profileHandle, toMillis(now))
}

// End expires a profile's file. CodeNotFound if there is none or it has expired.
func (tx Files) End(ctx context.Context, profileHandle, id string, now time.Time) error {
	n, err := tx.exec(ctx, "UPDATE files SET expires_at = ? WHERE id = ? AND "+ofProfile+" AND expires_at > ?",
		toMillis(now), id, profileHandle, toMillis(now))
	if err == nil && n == 0 {
		return notFound(sql.ErrNoRows, "file")
	}
	return wrapError("end a file", err)
}

// CountBytes returns a profile's kept bytes, as app.KeptBytes counts them. Artifacts count, and
// expired files until Expire.
func (tx Files) CountBytes(ctx context.Context, profileHandle string) (bytes int64, err error) {
	err = tx.row(ctx, `SELECT (SELECT coalesce(sum(max(size, ?)), 0) FROM files WHERE `+ofProfile+`) +
		(SELECT coalesce(sum(max(size, ?)), 0) FROM artifacts WHERE profile_handle = ? AND blob_id IS NOT NULL)`,
		app.MinKeptBytes, profileHandle, app.MinKeptBytes, profileHandle).Scan(&bytes)
	return bytes, wrapError("measure files", err)
}

// Expire removes files, and the contents of artifacts, whose time is over.
func (tx Files) Expire(ctx context.Context, now time.Time) error {
	if err := tx.run(ctx, "expire files", "DELETE FROM files WHERE expires_at <= ?", toMillis(now)); err != nil {
		return err
	}
	return tx.run(ctx, "expire artifacts",
		"UPDATE artifacts SET blob_id = NULL WHERE blob_id IS NOT NULL AND expires_at <= ?", toMillis(now))
}

// keepFiles gives an execution its files. Unexpired ones stay at least until a time.
func (tx Queue) keepFiles(ctx context.Context, execution int64, files []InputFile, now, until time.Time) error {
	for _, f := range files {
		if err := tx.run(ctx, "enqueue", `INSERT INTO execution_files (execution_id, name, file_id, size, sha256, blob_id)
			VALUES (?, ?, ?, ?, ?, ?)`, execution, f.Name, f.FileID, f.Size, f.SHA256, f.Blob); err != nil {
			return err
		}
		if err := tx.run(ctx, "enqueue", "UPDATE files SET expires_at = max(expires_at, ?) WHERE id = ? AND expires_at > ?",
			toMillis(until), f.FileID, toMillis(now)); err != nil {
			return err
		}
	}
	return nil
}

// InputFiles returns the files that an execution was given, by name.
func (tx Executions) InputFiles(ctx context.Context, handle string) (list []InputFile, err error) {
	err = tx.rows(ctx, func(scan func(to ...any) error) error {
		var f InputFile
		var blob sql.NullInt64
		err := scan(&f.Name, &f.FileID, &f.Size, &f.SHA256, &blob)
		f.Blob, f.Kept = blob.Int64, blob.Valid
		list = append(list, f)
		return err
	}, `SELECT name, file_id, size, sha256, blob_id FROM execution_files
		WHERE execution_id = (SELECT id FROM executions WHERE handle = ?) ORDER BY name`, handle)
	return list, wrapError("read files of an execution", err)
}

// keepArtifacts stores what an execution left.
func (tx Executions) keepArtifacts(ctx context.Context, execution int64, profileHandle string,
	list []StoredArtifact) error {
	for i, a := range list {
		if err := tx.run(ctx, "finish", `INSERT INTO artifacts (execution_id, ordinal, profile_handle, name, size, sha256,
			media_type, withheld, withheld_key, masked, blob_id, expires_at)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, nullif(?, 0), ?)`,
			execution, i+1, profileHandle, a.Name.String(), a.Size, a.SHA256, a.Type, a.Withheld, a.Key, a.Masked, a.Blob,
			toMillis(a.ExpiresAt)); err != nil {
			return err
		}
	}
	return nil
}

// Artifacts returns what an execution left, in order.
func (tx Executions) Artifacts(ctx context.Context, handle string) ([]app.Artifact, error) {
	rows, err := tx.artifacts(ctx, handle)
	list := make([]app.Artifact, len(rows))
	for i, r := range rows {
		list[i] = r.artifact()
	}
	return list, err
}

// Artifact returns an artifact with its content. CodeNotFound if no content of that name is kept.
func (tx Executions) Artifact(ctx context.Context, handle, name string) (app.Artifact, Blob, error) {
	rows, err := tx.artifacts(ctx, handle)
	if err != nil {
		return app.Artifact{}, Blob{}, err
	}
	for _, r := range rows {
		if r.Name == name && r.BlobID != nil {
			b, err := Blobs(tx).Get(ctx, *r.BlobID)
			return r.artifact(), b, err
		}
	}
	return app.Artifact{}, Blob{}, notFound(sql.ErrNoRows, "artifact")
}

func (tx Executions) artifacts(ctx context.Context, handle string) (list []artifactRow, err error) {
	err = tx.rows(ctx, func(scan func(to ...any) error) error {
		var r artifactRow
		err := scan(&r.Name, &r.Size, &r.SHA256, &r.MediaType, &r.Withheld, &r.WithheldKey, &r.Masked, &r.BlobID,
			&r.ExpiresAt)
		list = append(list, r)
		return err
	}, `SELECT name, size, sha256, media_type, withheld, withheld_key, masked, blob_id, expires_at FROM artifacts
		WHERE execution_id = (SELECT id FROM executions WHERE handle = ?) ORDER BY ordinal`, handle)
	return list, wrapError("read artifacts", err)
}

type blobRow struct {
	ID      int64 `gorm:"primaryKey"`
	Name    string
	Content []byte
	Key     []byte
	Size    int64
	UsedAt  int64
}

func (blobRow) TableName() string { return "blobs" }

type fileRow struct {
	ID        string `gorm:"primaryKey"`
	ProfileID int64
	Name      string
	Size      int64
	SHA256    string `gorm:"column:sha256"`
	BlobID    int64
	CreatedAt int64 `gorm:"autoCreateTime:false"`
	ExpiresAt int64
}

func (fileRow) TableName() string { return "files" }

func (r fileRow) file() (app.File, error) {
	return app.File{ID: r.ID, Name: r.Name, Size: r.Size, SHA256: r.SHA256, CreatedAt: fromMillis(r.CreatedAt),
		ExpiresAt: fromMillis(r.ExpiresAt)}, nil
}

type executionFileRow struct {
	ExecutionID int64  `gorm:"primaryKey;autoIncrement:false" json:"-"`
	Name        string `gorm:"primaryKey" json:"name"`
	FileID      string `json:"file_id"`
	Size        int64  `json:"size"`
	SHA256      string `gorm:"column:sha256" json:"sha256"`
	BlobID      *int64 `json:"-"`
}

func (executionFileRow) TableName() string { return "execution_files" }

type artifactRow struct {
	ExecutionID   int64  `gorm:"primaryKey;autoIncrement:false" json:"-"`
	Ordinal       int    `gorm:"primaryKey;autoIncrement:false" json:"ordinal"`
	ProfileHandle string `json:"profile_handle"`
	Name          string `json:"name"`
	Size          int64  `json:"size"`
	SHA256        string `gorm:"column:sha256" json:"sha256"`
	MediaType     string `json:"media_type"`
	Withheld      string `json:"withheld"`
	WithheldKey   string `json:"withheld_key"`
	Masked        int    `json:"masked"`
	BlobID        *int64 `json:"-"`
	ExpiresAt     int64  `json:"expires_at"`
}

func (artifactRow) TableName() string { return "artifacts" }

func (r artifactRow) artifact() app.Artifact {
	return app.Artifact{Name: r.Name, Size: r.Size, SHA256: r.SHA256, Type: r.MediaType, Masked: r.Masked,
		Withheld: r.Withheld, Key: r.WithheldKey, ExpiresAt: fromMillis(r.ExpiresAt), Kept: r.BlobID != nil}
}
