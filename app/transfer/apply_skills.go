package transfer

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/computclaw/airlock/app/skills"
	"github.com/computclaw/airlock/app/transfer/content"
	"github.com/computclaw/airlock/store"
)

// skill writes a skill of the file. The files of its versions follow.
func (m *importer) skill(ctx context.Context, f content.Skill) error {
	if !m.takes("skill:" + f.Name) {
		return nil
	}
	m.report.Skills++
	here := m.skills[f.Name]
	id, err := m.skillRow(ctx, f, here)
	if err != nil {
		return err
	}
	last := 0 // number of a version
	if here.ID != 0 && len(here.Versions) > 0 {
		last = here.Versions[len(here.Versions)-1].Number
	}
	for _, v := range f.Versions {
		local, known := here.Version(v.Digest)
		if known && local.Kept {
			if err := m.decide(ctx, here.SkillRow, local, v); err != nil {
				return err
			}
			continue
		}
		row := content.Encoded(v).SkillVersionRow // without its files, which follow
		row.SkillID, row.Uploader = id, m.ownerHere(v.Uploader)
		row.Manifest, row.Size, row.Files, row.BlobID = "{}", 0, 0, nil
		if known && skills.State(local.State) == skills.Revoked { // before it was deleted
			row.State, row.RevokedBy, row.RevokedAt, row.Reason = local.State, content.JSON(local.RevokedBy), local.RevokedAt,
				local.Reason
		}
		if here.ID != 0 { // its numbers name other files here
			last++
			row.Number = last
		}
		if v.Kept {
			m.awaited[v.Digest] = row
		} else if m.fresh {
			if err := m.addNew(ctx, row); err != nil {
				return err
			}
		}
	}
	for _, g := range f.Profiles {
		home := m.homes[g.Profile]
		if home == nil {
			continue
		}
		if _, _, err := m.tx.Load(ctx, store.SkillProfileRow{SkillID: id, ProfileID: *home,
			AllowedBy: content.JSON(g.AllowedBy), AllowedAt: g.AllowedAt}); err != nil {
			return err
		}
	}
	return m.note(ctx, "skill.import", f.Name, "Taken from a file.")
}

// skillRow adds or changes the row of a skill and returns its number.
func (m *importer) skillRow(ctx context.Context, f content.Skill, here content.Skill) (int64, error) {
	if here.ID == 0 {
		row := f.SkillRow
		row.Owner = m.ownerHere(f.Owner)
		id, added, err := m.tx.Load(ctx, row)
		if err == nil && !added {
			err = content.Contradiction("skill "+f.Name, "is here already", nil)
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

// ownerHere returns the present profile of a skill's owner in the file. It is "" if there is none:
// its handle may be another profile's.
func (m *importer) ownerHere(handle string) string {
	if m.fresh || m.homes[handle] != nil {
		return handle
	}
	return ""
}

// decide gives a present version the file's decision. Revoked versions stay revoked.
func (m *importer) decide(ctx context.Context, skill store.SkillRow, here, f content.SkillVersion) error {
	if !decides(here, f) {
		return nil
	}
	v, err := m.tx.Skills.ByDigest(ctx, here.Digest)
	if err != nil {
		return err
	}
	was := v.State
	v.State, v.Reason = f.State, f.Reason
	action, detail := "skill.approve", "Approved, as a file says: "
	if skills.State(f.State) == skills.Revoked {
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

// bundle keeps the files of an accepted version. Reading has checked them.
func (m *importer) bundle(ctx context.Context, r content.Bundle) error {
	row, taken := m.awaited[r.Digest]
	if !taken || r.Packed == nil && !m.fresh {
		return nil
	}
	if r.Packed == nil {
		return m.addNew(ctx, row)
	}
	blob, err := m.keepBundle(ctx)
	if err != nil {
		return err
	}
	manifest, err := json.Marshal(m.in.Files.Manifest)
	if err != nil {
		return fmt.Errorf("transfer: %w", err)
	}
	row.Manifest, row.Size, row.Files, row.BlobID = string(manifest), m.in.Files.Size(), len(m.in.Files.Files), &blob.ID
	return m.addNew(ctx, row)
}

// keepBundle puts the files into the storage, packed as Airlock packs them.
func (m *importer) keepBundle(ctx context.Context) (store.Blob, error) {
	spool, err := m.s.cfg.Files.NewSpool()
	if err != nil {
		return store.Blob{}, err
	}
	defer spool.Close()
	if err := m.in.Files.Pack(spool); err != nil {
		return store.Blob{}, err
	}
	if err := spool.Finish(); err != nil {
		return store.Blob{}, err
	}
	return m.s.cfg.Files.KeepIn(ctx, m.tx, spool)
}

// approval takes a decision on a script of a profile that comes with the file. Profiles that are or
// were here keep this instance's decisions.
func (m *importer) approval(ctx context.Context, a content.Approval) error {
	if err := a.Check(); err != nil {
		return err
	}
	_, was := m.gone[a.ProfileHandle]
	_, here := m.profiles[a.ProfileHandle]
	if !m.fresh && (!m.added[a.ProfileHandle] || was || here) {
		return nil
	}
	_, _, err := m.tx.Load(ctx, content.Encoded(a).ApprovalRow)
	return err
}
