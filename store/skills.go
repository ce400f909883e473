package store

import (
	"context"
	"time"

	"github.com/computclaw/airlock/app"
)

// Skill is a name under which versions are kept.
type Skill struct {
	Row       int64
	Name      string
	Owner     string // handle of the profile whose agent took the name; "" if a person did
	Enabled   bool
	CreatedAt time.Time
	DeletedAt time.Time // zero: not deleted
}

// SkillVersion is one upload, and what people decided about it.
type SkillVersion struct {
	Skill      Skill
	Number     int
	Digest     string
	Manifest   string // JSON
	Size       int64  // bytes of all files
	Files      int
	Uploader   string // handle of the profile whose agent uploaded it; "" if a person did
	UploadedBy app.Actor
	UploadedAt time.Time
	State      string
	ApprovedBy app.Actor
	ApprovedAt time.Time // zero: never
	RevokedBy  app.Actor
	RevokedAt  time.Time // zero: never
	Reason     string    // of the revocation
	Blob       int64     // 0: deleted
}

// ByName returns a skill, even a deleted one. CodeNotFound if there is none.
func (tx Skills) ByName(ctx context.Context, name string) (Skill, error) {
	return selectOne(ctx, tx.conn, skillRow.skill, "skill", "SELECT * FROM skills WHERE name = ?", name)
}

// List returns all skills that are not deleted, by name.
func (tx Skills) List(ctx context.Context) ([]Skill, error) {
	return selectAs(ctx, tx.conn, skillRow.skill, "read skills",
		"SELECT * FROM skills WHERE deleted_at = 0 ORDER BY name")
}

// Add adds a skill and returns it with its Row. CodeConflict if the name is taken.
func (tx Skills) Add(ctx context.Context, s Skill) (Skill, error) {
	row := skillRow{Name: s.Name, Owner: s.Owner, Enabled: s.Enabled, CreatedAt: toMillis(s.CreatedAt)}
	if err := insertRow(ctx, tx.conn, "skill", row); err != nil {
		return Skill{}, err
	}
	return tx.ByName(ctx, s.Name)
}

// Update stores owner, Enabled and DeletedAt.
func (tx Skills) Update(ctx context.Context, s Skill) error {
	return tx.change(ctx, "skill", "UPDATE skills SET owner = ?, enabled = ?, deleted_at = ? WHERE id = ?",
		s.Owner, s.Enabled, toMillis(s.DeletedAt), s.Row)
}

const selectVersions = `SELECT v.*, s.name, s.owner, s.enabled, s.created_at, s.deleted_at
	FROM skill_versions v JOIN skills s ON s.id = v.skill_id `

// Versions returns the versions of a skill, newest first.
func (tx Skills) Versions(ctx context.Context, skill int64) ([]SkillVersion, error) {
	return selectAs(ctx, tx.conn, namedVersionRow.version, "read versions",
		selectVersions+"WHERE v.skill_id = ? ORDER BY v.number DESC", skill)
}

// AllVersions returns the versions of all present skills by name, newest first.
func (tx Skills) AllVersions(ctx context.Context) ([]SkillVersion, error) {
	return selectAs(ctx, tx.conn, namedVersionRow.version, "read versions",
		selectVersions+"WHERE s.deleted_at = 0 AND v.blob_id IS NOT NULL ORDER BY s.name, v.number DESC")
}

// ListWaiting returns the versions that nobody decided about, oldest first.
func (tx Skills) ListWaiting(ctx context.Context) ([]SkillVersion, error) {
	return selectAs(ctx, tx.conn, namedVersionRow.version, "read versions",
		selectVersions+"WHERE v.state = 'quarantined' AND v.blob_id IS NOT NULL ORDER BY v.uploaded_at, v.digest")
}

// VersionRuns are the executions of a version that are kept.
type VersionRuns struct {
	Ended  int
	Failed int       // in an error or a timeout
	Last   time.Time // when the last one ended
}

// Runs returns the runs of a skill's versions by digest. Versions without runs are left out.
func (tx Skills) Runs(ctx context.Context, skill int64) (map[string]VersionRuns, error) {
	type row struct {
		Digest        string
		Ended, Failed int
		Last          int64
	}
	rows, err := selectAll[row](ctx, tx.conn, "count runs of a skill", `SELECT skill_digest AS digest, count(*) AS ended,
		count(*) FILTER (WHERE status IN ('error', 'timeout')) AS failed, max(completed_at) AS last FROM executions
		WHERE skill_digest IN (SELECT digest FROM skill_versions WHERE skill_id = ? AND blob_id IS NOT NULL)
			AND skill_digest <> '' AND completed_at > 0 GROUP BY skill_digest`, skill)
	runs := make(map[string]VersionRuns, len(rows))
	for _, r := range rows {
		runs[r.Digest] = VersionRuns{Ended: r.Ended, Failed: r.Failed, Last: fromMillis(r.Last)}
	}
	return runs, err
}

// ByDigest returns the version with files under a digest, else CodeNotFound.
func (tx Skills) ByDigest(ctx context.Context, digest string) (SkillVersion, error) {
	return selectOne(ctx, tx.conn, namedVersionRow.version, "skill",
		selectVersions+"WHERE v.digest = ? AND v.blob_id IS NOT NULL", digest)
}

// AddVersion adds and returns a version under its skill's next number.
func (tx Skills) AddVersion(ctx context.Context, v SkillVersion) (SkillVersion, error) {
	number, err := selectValue[int](ctx, tx.conn, "number a version",
		"SELECT coalesce(max(number), 0) + 1 FROM skill_versions WHERE skill_id = ?", v.Skill.Row)
	if err != nil {
		return SkillVersion{}, err
	}
	v.Number = number
	return v, insertRow(ctx, tx.conn, "version", skillVersionRow{
		SkillID: v.Skill.Row, Number: v.Number, Digest: v.Digest, Manifest: v.Manifest, Size: v.Size, Files: v.Files,
		Uploader: v.Uploader, UploadedBy: toJSON(v.UploadedBy), UploadedAt: toMillis(v.UploadedAt), State: v.State,
		ApprovedBy: toJSON(v.ApprovedBy), ApprovedAt: toMillis(v.ApprovedAt), RevokedBy: toJSON(v.RevokedBy),
		RevokedAt: toMillis(v.RevokedAt), Reason: v.Reason, BlobID: &v.Blob,
	})
}

// Decide stores people's decision on a version. CodeConflict if its state is no longer before.
func (tx Skills) Decide(ctx context.Context, v SkillVersion, before string) error {
	return tx.change(ctx, "skill", `UPDATE skill_versions SET state = ?, approved_by = ?, approved_at = ?,
		revoked_by = ?, revoked_at = ?, reason = ? WHERE skill_id = ? AND number = ? AND state = ?`,
		v.State, toJSON(v.ApprovedBy), toMillis(v.ApprovedAt), toJSON(v.RevokedBy), toMillis(v.RevokedAt), v.Reason,
		v.Skill.Row, v.Number, before)
}

// Forget removes the files of all versions of a skill, and its permissions to run.
func (tx Skills) Forget(ctx context.Context, skill int64) error {
	if err := tx.run(ctx, "delete a skill", "DELETE FROM skill_profiles WHERE skill_id = ?", skill); err != nil {
		return err
	}
	return tx.run(ctx, "delete a skill", "UPDATE skill_versions SET blob_id = NULL WHERE skill_id = ?", skill)
}

// CountStored returns the bytes and the number of unreviewed versions that a profile's agents
// uploaded.
func (tx Skills) CountStored(ctx context.Context, profileHandle string) (bytes int64, unreviewed int, err error) {
	err = tx.row(ctx, `SELECT coalesce(sum(size), 0), count(*) FILTER (WHERE state = 'quarantined')
		FROM skill_versions WHERE uploader = ? AND blob_id IS NOT NULL`, profileHandle).Scan(&bytes, &unreviewed)
	return bytes, unreviewed, wrapError("measure skills", err)
}

// Allow lets a profile run a skill and reports whether that is new. CodeNotFound if the profile is
// missing.
func (tx Skills) Allow(ctx context.Context, skill int64, profileHandle string, by app.Actor,
	at time.Time) (bool, error) {
	if _, err := Profiles(tx).ByHandle(ctx, profileHandle); err != nil {
		return false, err
	}
	n, err := tx.exec(ctx, `INSERT INTO skill_profiles (skill_id, profile_id, allowed_by, allowed_at)
		SELECT ?, id, ?, ? FROM profiles WHERE handle = ? ON CONFLICT DO NOTHING`,
		skill, toJSON(by), toMillis(at), profileHandle)
	return n > 0, wrapError("allow a skill", err)
}

// Disallow undoes Allow. It reports whether the profile might run the skill.
func (tx Skills) Disallow(ctx context.Context, skill int64, profileHandle string) (bool, error) {
	n, err := tx.exec(ctx, "DELETE FROM skill_profiles WHERE skill_id = ? AND "+ofProfile, skill, profileHandle)
	return n > 0, wrapError("disallow a skill", err)
}

// Profiles returns the handles of the profiles that may run a skill.
func (tx Skills) Profiles(ctx context.Context, skill int64) ([]string, error) {
	return selectAll[string](ctx, tx.conn, "read skills", `SELECT p.handle FROM skill_profiles a
		JOIN profiles p ON p.id = a.profile_id WHERE a.skill_id = ? ORDER BY p.handle`, skill)
}

// ListAllowed returns the numbers of the skills that a profile may run.
func (tx Skills) ListAllowed(ctx context.Context, profileHandle string) ([]int64, error) {
	return selectAll[int64](ctx, tx.conn, "read skills", "SELECT skill_id FROM skill_profiles WHERE "+ofProfile,
		profileHandle)
}

type skillRow struct {
	ID        int64  `gorm:"primaryKey" json:"-"`
	Name      string `json:"name"`
	Owner     string `json:"owner"`
	Enabled   bool   `json:"enabled"`
	CreatedAt int64  `gorm:"autoCreateTime:false" json:"created_at"`
	DeletedAt int64  `json:"deleted_at"`
}

func (skillRow) TableName() string { return "skills" }

func (r skillRow) skill() (Skill, error) {
	return Skill{r.ID, r.Name, r.Owner, r.Enabled, fromMillis(r.CreatedAt), fromMillis(r.DeletedAt)}, nil
}

type skillVersionRow struct {
	SkillID    int64  `gorm:"primaryKey;autoIncrement:false" json:"-"`
	Number     int    `gorm:"primaryKey;autoIncrement:false" json:"number"`
	Digest     string `json:"digest"`
	Manifest   string `json:"-"`
	Size       int64  `json:"-"`
	Files      int    `json:"-"`
	Uploader   string `json:"uploader"`
	UploadedBy string `json:"-"`
	UploadedAt int64  `json:"uploaded_at"`
	State      string `json:"state"`
	ApprovedBy string `json:"-"`
	ApprovedAt int64  `json:"approved_at"`
	RevokedBy  string `json:"-"`
	RevokedAt  int64  `json:"revoked_at"`
	Reason     string `json:"reason"`
	BlobID     *int64 `json:"-"`
}

func (skillVersionRow) TableName() string { return "skill_versions" }

type namedVersionRow struct {
	Row       skillVersionRow `gorm:"embedded"`
	Name      string
	Owner     string
	Enabled   bool
	CreatedAt int64
	DeletedAt int64
}

func (n namedVersionRow) version() (v SkillVersion, err error) {
	r := n.Row
	v = SkillVersion{
		Skill:  Skill{r.SkillID, n.Name, n.Owner, n.Enabled, fromMillis(n.CreatedAt), fromMillis(n.DeletedAt)},
		Number: r.Number, Digest: r.Digest, Manifest: r.Manifest, Size: r.Size, Files: r.Files, Uploader: r.Uploader,
		UploadedAt: fromMillis(r.UploadedAt), State: r.State, ApprovedAt: fromMillis(r.ApprovedAt),
		RevokedAt: fromMillis(r.RevokedAt), Reason: r.Reason,
	}
	if r.BlobID != nil {
		v.Blob = *r.BlobID
	}
	if v.UploadedBy, err = fromJSON[app.Actor]("uploaded_by", r.UploadedBy); err != nil {
		return v, err
	}
	if v.ApprovedBy, err = fromJSON[app.Actor]("approved_by", r.ApprovedBy); err != nil {
		return v, err
	}
	v.RevokedBy, err = fromJSON[app.Actor]("revoked_by", r.RevokedBy)
	return v, err
}

type skillProfileRow struct {
	SkillID   int64 `gorm:"primaryKey;autoIncrement:false"`
	ProfileID int64 `gorm:"primaryKey;autoIncrement:false"`
	AllowedBy string
	AllowedAt int64
}

func (skillProfileRow) TableName() string { return "skill_profiles" }
