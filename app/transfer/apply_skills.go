package transfer

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/skills"
	"github.com/computclaw/airlock/store"
)

// noManifest is that of a version whose files are gone.
const noManifest = "{}"

// skill writes a skill of the file, without the files of its versions: those follow.
func (m *importer) skill(ctx context.Context, f skillRecord) error {
	m.report.Skills++
	here := m.skills[f.Name]
	id, err := m.skillRow(ctx, f, here)
	if err != nil {
		return err
	}
	last := 0 // number of a version
	if here.row.ID != 0 && len(here.Versions) > 0 {
		last = here.Versions[len(here.Versions)-1].Number
	}
	for _, v := range f.Versions {
		local, known := here.version(v.Digest)
		if known && local.Kept {
			if err := m.decide(ctx, here.row, local, v); err != nil {
				return err
			}
			continue
		}
		row := v.row(id)
		row.Uploader = m.ownerHere(v.Uploader)
		if known && skills.State(local.State) == skills.Revoked { // before it was deleted
			row.State, row.RevokedBy, row.RevokedAt, row.Reason = local.State, text(local.RevokedBy), local.RevokedAt,
				local.Reason
		}
		if here.row.ID != 0 { // its numbers name other files here
			last++
			row.Number = last
		}
		if v.Kept {
			m.awaited[v.Digest] = row
		} else if m.fresh {
			if err := m.must(ctx, row); err != nil {
				return err
			}
		}
	}
	for _, g := range f.Profiles {
		home := m.homes[g.Profile]
		if home == nil {
			continue
		}
		if _, _, err := m.load.Add(ctx, store.SkillProfileRow{SkillID: id, ProfileID: *home, AllowedBy: text(g.AllowedBy),
			AllowedAt: g.AllowedAt}); err != nil {
			return err
		}
	}
	return m.note(ctx, "skill.import", f.Name, "Taken from a file.")
}

// skillRow adds the row of a skill, or changes the one that is here, and returns its number.
func (m *importer) skillRow(ctx context.Context, f skillRecord, here localSkill) (int64, error) {
	if here.row.ID == 0 {
		row := f.SkillRow
		row.Owner = m.ownerHere(f.Owner)
		id, added, err := m.load.Add(ctx, row)
		if err == nil && !added {
			err = contradiction("skill "+f.Name, "is here already", nil)
		}
		return id, err
	}
	s, err := m.tx.Skills.ByName(ctx, f.Name)
	if err != nil {
		return 0, err
	}
	if s.DeletedAt.IsZero() {
		s.Enabled = s.Enabled && f.Enabled
	} else {
		s.Owner, s.Enabled, s.DeletedAt = m.ownerHere(f.Owner), f.Enabled, time.Time{}
	}
	return s.Row, m.tx.Skills.Update(ctx, s)
}

// ownerHere is the profile that the file's owner of a skill is here, "" if it is none: its handle may be
// another profile's.
func (m *importer) ownerHere(handle string) string {
	if m.fresh || m.homes[handle] != nil {
		return handle
	}
	return ""
}

// row is the version as the database has it, without its files.
func (v skillVersionRecord) row(skill int64) store.SkillVersionRow {
	row := v.SkillVersionRow
	row.SkillID, row.Manifest, row.Size, row.Files, row.BlobID = skill, noManifest, 0, 0, nil
	row.UploadedBy, row.ApprovedBy, row.RevokedBy = text(v.UploadedBy), text(v.ApprovedBy), text(v.RevokedBy)
	return row
}

// decide gives a version that is here the file's decision. What was revoked here stays so.
func (m *importer) decide(ctx context.Context, skill store.SkillRow, here, f skillVersionRecord) error {
	now, file := skills.State(here.State), skills.State(f.State)
	if now == skills.Revoked || file == skills.Quarantined || now == file {
		return nil
	}
	v, err := m.tx.Skills.ByDigest(ctx, here.Digest)
	if err != nil {
		return err
	}
	was := v.State
	v.State, v.Reason = f.State, f.Reason
	action, detail := "skill.approve", "Approved, as a file says: "
	if file == skills.Revoked {
		v.RevokedBy, v.RevokedAt = f.RevokedBy, m.now
		action, detail = "skill.revoke", "Revoked, as a file says: "
	} else {
		v.ApprovedBy, v.ApprovedAt = f.ApprovedBy, m.now
	}
	if err := m.tx.Skills.Decide(ctx, v, was); err != nil {
		return err
	}
	return m.note(ctx, action, fmt.Sprintf("%s@%d", skill.Name, here.Number), detail+here.Digest+".")
}

// bundle keeps the files of a version that was taken. They were checked when they were read.
func (m *importer) bundle(ctx context.Context, r bundleRecord) error {
	row, taken := m.awaited[r.Digest]
	if !taken || r.Packed == nil && !m.fresh {
		return nil
	}
	if r.Packed == nil {
		return m.must(ctx, row)
	}
	blob, err := m.keepBundle(ctx)
	if err != nil {
		return err
	}
	manifest, err := json.Marshal(m.in.files.Manifest)
	if err != nil {
		return fmt.Errorf("transfer: %w", err)
	}
	row.Manifest, row.Size, row.Files, row.BlobID = string(manifest), m.in.files.Size(), len(m.in.files.Files), &blob.ID
	return m.must(ctx, row)
}

// keepBundle puts the files into the storage, packed as Airlock packs them.
func (m *importer) keepBundle(ctx context.Context) (store.Blob, error) {
	spool, err := m.s.cfg.Files.NewSpool()
	if err != nil {
		return store.Blob{}, err
	}
	defer spool.Close()
	if err := m.in.files.Pack(spool); err != nil {
		return store.Blob{}, err
	}
	if err := spool.Finish(); err != nil {
		return store.Blob{}, err
	}
	return m.s.cfg.Files.KeepIn(ctx, m.tx, spool)
}

// approval takes what a person decided about a script of a profile that comes with the file. A profile
// that is here, or was, keeps what was decided here.
func (m *importer) approval(ctx context.Context, a approvalRecord) error {
	if err := a.check(); err != nil {
		return contradiction("an approval", "is not possible", err)
	}
	_, was := m.gone[a.ProfileHandle]
	if !m.fresh && (!m.added[a.ProfileHandle] || was) {
		return nil
	}
	row := a.ApprovalRow
	row.DecidedBy = text(a.DecidedBy)
	if m.fresh {
		return m.must(ctx, row)
	}
	_, _, err := m.load.Add(ctx, row)
	return err
}

func (a approvalRecord) check() error {
	approved := a.State == string(app.ApprovalApproved) && a.Scope == string(app.ApproveAlways)
	switch {
	case !approved && (a.State != string(app.ApprovalRefused) || a.Scope != ""):
		return fmt.Errorf("its state is neither approved for good nor refused")
	case a.Kind != string(app.ApprovalScript) || !digestShape.MatchString("sha256:"+a.Subject):
		return fmt.Errorf("it is for nothing that is known")
	case !handleShape.MatchString(a.ID) || !handleShape.MatchString(a.ProfileHandle),
		a.Execution != "" && !handleShape.MatchString(a.Execution):
		return fmt.Errorf("its ids are malformed")
	}
	if sum := sha256.Sum256([]byte(a.Shown)); hex.EncodeToString(sum[:]) != a.Subject {
		return fmt.Errorf("it shows another script than it is for")
	}
	return errors.Join(checkActor(a.DecidedBy), app.CheckStored("reason", a.Reason, app.MaxReason), checkBounds(a))
}
