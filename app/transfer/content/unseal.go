package content

import (
	"context"
	"encoding/json"
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
	c = Credential{CredentialRow: row, Mode: app.Mode(row.Mode), Source: app.Source(row.Source),
		Versions: []ValueVersion{}}
	if err := decode("credential "+row.Name, field{row.Hosts, &c.Hosts}, field{row.Places, &c.Places},
		field{row.Headers, &c.Headers}); err != nil {
		return c, err
	}
	versions, err := tx.Credentials.VersionRows(ctx, row.ID)
	if err != nil {
		return c, err
	}
	for _, v := range versions[max(0, len(versions)-MaxVersions):] {
		r := ValueVersion{Version: v.Version, CreatedAt: v.CreatedAt}
		if err := decode("credential "+row.Name, field{v.CreatedBy, &r.CreatedBy}); err != nil {
			return c, err
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
	if err := decode("profile "+row.Handle, field{row.CreatedBy, &p.CreatedBy}); err != nil {
		return p, err
	}
	keys, err := tx.Profiles.KeyRows(ctx, row.ID)
	if err != nil {
		return p, err
	}
	for _, k := range keys {
		r := Key{ProfileKeyRow: k, Mode: app.Mode(k.Mode)}
		if k.CredentialID != nil {
			r.Credential = *k.CredentialID
		}
		if err := decode("profile "+row.Handle, field{k.Hosts, &r.Hosts}); err != nil {
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
		r.Line = readable(h.Line)
		if err := decode("profile "+row.Handle, field{h.Host, &r.Host}, field{h.AskedBy, &r.AskedBy}); err != nil {
			return p, err
		}
		p.Hosts = append(p.Hosts, r)
	}
	return p, nil
}

// OpenPolicy opens a policy for a file.
func OpenPolicy(row store.PolicyRow) (p Policy, err error) {
	p = Policy{Profile: row.ProfileHandle, Digest: row.Digest, CreatedAt: row.CreatedAt}
	return p, decode("policy of "+row.ProfileHandle, field{row.Body, &p.Body}, field{row.CreatedBy, &p.CreatedBy})
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
		if err := decode("skill "+row.Name, field{v.UploadedBy, &r.UploadedBy}, field{v.ApprovedBy, &r.ApprovedBy},
			field{v.RevokedBy, &r.RevokedBy}); err != nil {
			return s, nil, err
		}
		s.Versions = append(s.Versions, r)
	}
	grants, err := tx.Skills.Grants(ctx, row.ID)
	for _, g := range grants {
		r := SkillGrant{Profile: g.Profile, AllowedAt: g.Row.AllowedAt}
		if err := decode("skill "+row.Name, field{g.Row.AllowedBy, &r.AllowedBy}); err != nil {
			return s, nil, err
		}
		s.Profiles = append(s.Profiles, r)
	}
	return s, versions, err
}

// OpenApproval opens an approval for a file.
func OpenApproval(row store.ApprovalRow) (a Approval, err error) {
	a = Approval{ApprovalRow: row}
	return a, decode("approval "+row.ID, field{row.DecidedBy, &a.DecidedBy})
}

// OpenHistory opens a row of an execution for a file.
func OpenHistory(ring *secrets.Keyring, handle string, row any) (r Record, err error) {
	what := "execution " + handle
	switch row := row.(type) {
	case store.ExecutionRow:
		id, err := ring.Open(secrets.Execs, secrets.ExecutionRow(row.Handle), row.SealedID)
		if err != nil {
			return r, fmt.Errorf("content: %s: %w", what, err)
		}
		x := Execution{ID: string(id), ExecutionRow: row}
		x.ErrorLine = readable(x.ErrorLine)
		r.Execution = &x
		return r, decode(what, field{row.Injected, &x.Injected}, field{row.SubmittedBy, &x.SubmittedBy},
			field{row.Manifest, &x.Manifest})
	case store.ScriptRow:
		r.Script = &Script{ScriptRow: row}
		if r.Script.Script, err = openText(ring, secrets.ScriptRow(handle), row.Script); err != nil || row.Inputs == nil {
			return r, err
		}
		inputs, err := openText(ring, secrets.InputsRow(handle), row.Inputs)
		r.Script.Inputs = &inputs
		return r, err
	case store.OutputRow:
		r.Output = &Output{OutputRow: row, Segments: json.RawMessage(row.Segments)}
	case store.UsedValueRow:
		r.Value = &row
	case store.ExchangeRow:
		x := Exchange{ExchangeRow: row, Asked: row.Asked}
		r.Exchange = &x
		if row.Answer != nil {
			answer, err := openText(ring, secrets.AnswerRow(row.RequestID), row.Answer)
			if err != nil {
				return r, err
			}
			x.Answer = &answer
		}
		return r, decode(what, field{row.AnsweredBy, &x.AnsweredBy})
	case store.ConnectionRow:
		x := Connection{ConnectionRow: row}
		x.Line = readable(x.Line)
		r.Connection = &x
		return r, decode(what, field{row.Credentials, &x.Credentials})
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

// readable returns a script's line number, or 0 if a file can't hold it. Scripts report it, and
// must not make a file unreadable.
func readable(line int) int {
	if line < 0 || line > MaxNumber {
		return 0
	}
	return line
}

func openText(ring *secrets.Keyring, row string, token []byte) (string, error) {
	text, err := ring.Open(secrets.Scripts, row, token)
	if err != nil {
		return "", fmt.Errorf("content: %s: %w", row, err)
	}
	return string(text), nil
}

// field is a JSON column and where it goes.
type field struct {
	text string
	into any
}

func decode(what string, fields ...field) error {
	for _, f := range fields {
		if err := json.Unmarshal([]byte(f.text), f.into); err != nil {
			return fmt.Errorf("content: %s: %w", what, err)
		}
	}
	return nil
}
