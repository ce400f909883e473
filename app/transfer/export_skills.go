package transfer

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/skills/bundle"
	"github.com/computclaw/airlock/app/transfer/archive"
	"github.com/computclaw/airlock/app/transfer/content"
	"github.com/computclaw/airlock/store"
)

// skills writes skills without files: all, or those of the chosen profiles.
func (e *exporter) skills(ctx context.Context, tx *store.Tx) error {
	rows, err := tx.Skills.Rows(ctx)
	if err != nil {
		return err
	}
	for _, row := range rows {
		s, versions, err := content.OpenSkill(ctx, tx, row)
		if err != nil {
			return err
		}
		s.Profiles = slices.DeleteFunc(s.Profiles, func(g content.SkillGrant) bool { return !e.isChosen(g.Profile) })
		if e.what.Profiles != nil && len(s.Profiles) == 0 {
			continue
		}
		for _, v := range versions {
			if v.BlobID != nil {
				e.kept = append(e.kept, v)
			}
		}
		if err := e.out.Write(content.Record{Skill: &s}); err != nil {
			return err
		}
	}
	return nil
}

// isChosen reports whether a profile comes along.
func (e *exporter) isChosen(handle string) bool {
	return e.what.Profiles == nil || slices.Contains(e.what.Profiles, handle)
}

func (e *exporter) bundles(ctx context.Context, tx *store.Tx) error {
	for _, v := range e.kept {
		packed, err := e.packVersion(ctx, tx, v)
		if err != nil {
			return err
		}
		if packed == nil {
			e.lost = append(e.lost, v.Digest)
		}
		if err := e.out.Write(content.Record{Bundle: &content.Bundle{Digest: v.Digest, Packed: packed}}); err != nil {
			return err
		}
	}
	return nil
}

// packVersion returns the files of a version. It is nil if they are lost or damaged, since that
// must not make backups fail.
func (e *exporter) packVersion(ctx context.Context, tx *store.Tx, v store.SkillVersionRow) ([]byte, error) {
	content, err := e.s.cfg.Files.OpenIn(ctx, tx, *v.BlobID)
	if app.CodeOf(err) == app.CodeNotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = content.Close() }()
	packed, err := io.ReadAll(content)
	if err != nil && !errors.Is(err, archive.ErrDamaged) {
		return nil, err
	}
	if err == nil {
		_, err = bundle.Unpack(bytes.NewReader(packed), v.Digest)
	}
	if err != nil {
		e.s.cfg.Log.ErrorContext(ctx, "the files of a skill can't be read", "digest", v.Digest, "error", err)
		return nil, nil //nolint:nilerr // said by LostSentence
	}
	return packed, nil
}

// approvals writes which scripts people approved for good, and which they refused.
func (e *exporter) approvals(ctx context.Context, tx *store.Tx) error {
	return tx.Approvals.EachInForce(ctx, func(row store.ApprovalRow) error {
		if !e.hasProfile(row.ProfileHandle) {
			return nil
		}
		a, err := content.OpenApproval(row)
		if err != nil {
			return err
		}
		return e.out.Write(content.Record{Approval: &a})
	})
}

// hasProfile reports whether a profile is in the file: approvals outlive theirs.
func (e *exporter) hasProfile(handle string) bool {
	return slices.ContainsFunc(e.profiles, func(p content.Profile) bool { return p.Handle == handle })
}
