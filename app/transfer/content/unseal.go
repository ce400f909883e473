package content

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/store"
)

// MaxVersions bounds the dated versions of a value in a file. A value renewed every minute must not
// make a line too long to read.
const MaxVersions = 1000

// OpenCredential opens a credential for a file.
func OpenCredential(ctx context.Context, tx *store.Tx, ring *secrets.Keyring,
	row store.CredentialRow) (c Credential, err error) {
	c = Credential{CredentialRow: row, Versions: []ValueVersion{}}
	if err := decodeColumns(&c); err != nil {
		return c, err
	}
	versions, err := tx.Credentials.VersionRows(ctx, row.ID)
	if err != nil {
		return c, err
	}
	for _, v := range versions[max(0, len(versions)-MaxVersions):] {
		r := ValueVersion{Version: v.Version, CreatedAt: v.CreatedAt}
		if err := json.Unmarshal([]byte(v.CreatedBy), &r.CreatedBy); err != nil {
			return c, fmt.Errorf("content: credential %s: %w", row.Name, err)
		}
		c.Versions = append(c.Versions, r)
		if v.Value == nil || v.Version != row.Version || c.Source != app.SourceLocal {
			continue
		}
		value, err := ring.Open(secrets.Values, secrets.ValueRow(row.ID, v.Version), v.Value)
		if err != nil {
			return c, fmt.Errorf("content: value of credential %s: %w", row.Name, err)
		}
		text := string(value)
		c.Value = &text
	}
	return c, nil
}

// OpenProfile opens a profile for a file.
func OpenProfile(ctx context.Context, tx *store.Tx, ring *secrets.Keyring, row store.ProfileRow) (p Profile,
	err error) {
	id, err := ring.Open(secrets.Profiles, secrets.ProfileRow(row.Handle), row.SealedID)
	if err != nil {
		return p, fmt.Errorf("content: profile %s: %w", row.Handle, err)
	}
	p = Profile{ID: string(id), ProfileRow: row, Keys: []Key{}, Hosts: []Host{}}
	if err := decodeColumns(&p); err != nil {
		return p, err
	}
	keys, err := tx.Profiles.KeyRows(ctx, row.ID)
	if err != nil {
		return p, err
	}
	for _, k := range keys {
		r := Key{ProfileKeyRow: k}
		if k.CredentialID != nil {
			r.Credential = *k.CredentialID
		}
		if err := decodeColumns(&r); err != nil {
			return p, err
		}
		p.Keys = append(p.Keys, r)
	}
	hosts, err := tx.Profiles.HostRows(ctx, row.ID)
	if err != nil {
		return p, err
	}
	for _, h := range hosts {
		r := Host{ProfileHostRow: h}
		if err := decodeColumns(&r); err != nil {
			return p, err
		}
		p.Hosts = append(p.Hosts, r)
	}
	return p, nil
}

// OpenPolicy opens a policy for a file.
func OpenPolicy(row store.PolicyRow) (p Policy, err error) {
	p = Policy{Profile: row.ProfileHandle, Digest: row.Digest, CreatedAt: row.CreatedAt}
	return p, errors.Join(json.Unmarshal([]byte(row.Body), &p.Body), json.Unmarshal([]byte(row.CreatedBy), &p.CreatedBy))
}

// OpenSkill opens a skill for a file. versions are its rows in order.
func OpenSkill(ctx context.Context, tx *store.Tx, row store.SkillRow) (s Skill, versions []store.SkillVersionRow,
	err error) {
	s = Skill{SkillRow: row, Versions: []SkillVersion{}, Profiles: []SkillGrant{}}
	if versions, err = tx.Skills.VersionRows(ctx, row.ID); err != nil {
		return s, nil, err
	}
	for _, v := range versions {
		r := SkillVersion{SkillVersionRow: v, Kept: v.BlobID != nil}
		if err := decodeColumns(&r); err != nil {
			return s, nil, err
		}
		s.Versions = append(s.Versions, r)
	}
	grants, err := tx.Skills.Grants(ctx, row.ID)
	for _, g := range grants {
		r := SkillGrant{Profile: g.Profile, AllowedAt: g.Row.AllowedAt}
		if err := json.Unmarshal([]byte(g.Row.AllowedBy), &r.AllowedBy); err != nil {
			return s, nil, fmt.Errorf("content: skill %s: %w", row.Name, err)
		}
		s.Profiles = append(s.Profiles, r)
	}
	return s, versions, err
}

// OpenApproval opens an approval for a file.
func OpenApproval(row store.ApprovalRow) (a Approval, err error) {
	a = Approval{ApprovalRow: row}
	return a, decodeColumns(&a)
}

// OpenHistory opens a row of an execution for a file.
func OpenHistory(ring *secrets.Keyring, handle string, row any) (r Record, err error) {
	switch row := row.(type) {
	case store.ExecutionRow:
		id, err := ring.Open(secrets.Execs, secrets.ExecutionRow(row.Handle), row.SealedID)
		if err != nil {
			return r, fmt.Errorf("content: execution %s: %w", handle, err)
		}
		r.Execution = &Execution{ID: string(id), ExecutionRow: row}
		return r, decodeColumns(r.Execution)
	case store.ScriptRow:
		r.Script = &Script{ScriptRow: row}
		if r.Script.Script, err = openText(ring, secrets.ScriptRow(handle), row.Script); err != nil || row.Inputs == nil {
			return r, err
		}
		inputs, err := openText(ring, secrets.InputsRow(handle), row.Inputs)
		r.Script.Inputs = &inputs
		return r, err
	case store.OutputRow:
		r.Output = &Output{OutputRow: row}
		return r, decodeColumns(r.Output)
	case store.UsedValueRow:
		r.Value = &row
	case store.ExchangeRow:
		r.Exchange = &Exchange{ExchangeRow: row, Asked: row.Asked}
		if row.Answer != nil {
			answer, err := openText(ring, secrets.AnswerRow(row.RequestID), row.Answer)
			if err != nil {
				return r, err
			}
			r.Exchange.Answer = &answer
		}
		return r, decodeColumns(r.Exchange)
	case store.ConnectionRow:
		r.Connection = &Connection{ConnectionRow: row}
		return r, decodeColumns(r.Connection)
	case store.RedactionRow:
		r.Redaction = &row
	case store.InputFileRow:
		r.File = &row
	case store.ArtifactRow:
		r.Artifact = &Artifact{ArtifactRow: row}
	default:
		return r, fmt.Errorf("content: %T does not travel", row)
	}
	return r, nil
}

func openText(ring *secrets.Keyring, row string, token []byte) (string, error) {
	text, err := ring.Open(secrets.Scripts, row, token)
	if err != nil {
		return "", fmt.Errorf("content: %s: %w", row, err)
	}
	return string(text), nil
}
