package transfer

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/store"
)

// maxVersions is of how many versions of a value a file says when they were set: a value that is
// renewed by the minute must not make a line that no reader takes.
const maxVersions = 1000

// readCredential opens a credential for a file.
func readCredential(ctx context.Context, tx *store.Tx, ring *secrets.Keyring,
	row store.CredentialRow) (c credentialRecord, err error) {
	c = credentialRecord{CredentialRow: row, Mode: app.Mode(row.Mode), Source: app.Source(row.Source),
		Versions: []versionRecord{}}
	if err := decode("credential "+row.Name, field{row.Hosts, &c.Hosts}, field{row.Places, &c.Places},
		field{row.Headers, &c.Headers}); err != nil {
		return c, err
	}
	versions, err := tx.Credentials.VersionRows(ctx, row.ID)
	if err != nil {
		return c, err
	}
	for _, v := range versions[max(0, len(versions)-maxVersions):] {
		r := versionRecord{Version: v.Version, CreatedAt: v.CreatedAt}
		if err := decode("credential "+row.Name, field{v.CreatedBy, &r.CreatedBy}); err != nil {
			return c, err
		}
		c.Versions = append(c.Versions, r)
		if v.Value == nil || v.Version != row.Version || c.Source != app.SourceLocal {
			continue
		}
		value, err := ring.Open(secrets.Values, secrets.ValueRow(row.ID, v.Version), v.Value)
		if err != nil {
			return c, fmt.Errorf("transfer: value of credential %s: %w", row.Name, err)
		}
		text := string(value)
		c.Value = &text
	}
	return c, nil
}

// readProfile opens a profile for a file.
func readProfile(ctx context.Context, tx *store.Tx, ring *secrets.Keyring, row store.ProfileRow) (p profileRecord,
	err error) {
	id, err := ring.Open(secrets.Profiles, secrets.ProfileRow(row.Handle), row.SealedID)
	if err != nil {
		return p, fmt.Errorf("transfer: profile %s: %w", row.Handle, err)
	}
	p = profileRecord{ID: string(id), ProfileRow: row, Keys: []keyRecord{}, Hosts: []hostRecord{}}
	if err := decode("profile "+row.Handle, field{row.CreatedBy, &p.CreatedBy}); err != nil {
		return p, err
	}
	keys, err := tx.Profiles.KeyRows(ctx, row.ID)
	if err != nil {
		return p, err
	}
	for _, k := range keys {
		r := keyRecord{ProfileKeyRow: k, Mode: app.Mode(k.Mode)}
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
		r := hostRecord{ProfileHostRow: h}
		r.Line = readable(h.Line)
		if err := decode("profile "+row.Handle, field{h.Host, &r.Host}, field{h.AskedBy, &r.AskedBy}); err != nil {
			return p, err
		}
		p.Hosts = append(p.Hosts, r)
	}
	return p, nil
}

func readPolicy(row store.PolicyRow) (p policyRecord, err error) {
	p = policyRecord{Profile: row.ProfileHandle, Digest: row.Digest, CreatedAt: row.CreatedAt}
	return p, decode("policy of "+row.ProfileHandle, field{row.Body, &p.Body}, field{row.CreatedBy, &p.CreatedBy})
}

// readHistory opens a row of an execution for a file.
func readHistory(ring *secrets.Keyring, handle string, row any) (r record, err error) {
	what := "execution " + handle
	switch row := row.(type) {
	case store.ExecutionRow:
		id, err := ring.Open(secrets.Execs, secrets.ExecutionRow(row.Handle), row.SealedID)
		if err != nil {
			return r, fmt.Errorf("transfer: %s: %w", what, err)
		}
		x := executionRecord{ID: string(id), ExecutionRow: row}
		x.ErrorLine = readable(x.ErrorLine)
		r.Execution = &x
		return r, decode(what, field{row.Injected, &x.Injected}, field{row.SubmittedBy, &x.SubmittedBy},
			field{row.Manifest, &x.Manifest})
	case store.ScriptRow:
		r.Script = &scriptRecord{ScriptRow: row}
		if r.Script.Script, err = openText(ring, secrets.ScriptRow(handle), row.Script); err != nil || row.Inputs == nil {
			return r, err
		}
		inputs, err := openText(ring, secrets.InputsRow(handle), row.Inputs)
		r.Script.Inputs = &inputs
		return r, err
	case store.OutputRow:
		r.Output = &outputRecord{OutputRow: row, Segments: json.RawMessage(row.Segments)}
	case store.UsedValueRow:
		r.Value = &row
	case store.ExchangeRow:
		x := exchangeRecord{ExchangeRow: row, Asked: row.Asked}
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
		x := connectionRecord{ConnectionRow: row}
		x.Line = readable(x.Line)
		r.Connection = &x
		return r, decode(what, field{row.Credentials, &x.Credentials})
	case store.RedactionRow:
		r.Redaction = &row
	case store.InputFileRow:
		r.File = &row
	case store.ArtifactRow:
		r.Artifact = &artifactRecord{ArtifactRow: row}
	default:
		return r, fmt.Errorf("transfer: %T does not travel", row)
	}
	return r, nil
}

// readable is a line of a script as a file may hold it. Scripts say themselves in which line they
// failed, and one that could not be read would make the file as a whole unreadable.
func readable(line int) int {
	if line < 0 || line > maxNumber {
		return 0
	}
	return line
}

func openText(ring *secrets.Keyring, row string, token []byte) (string, error) {
	text, err := ring.Open(secrets.Scripts, row, token)
	if err != nil {
		return "", fmt.Errorf("transfer: %s: %w", row, err)
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
			return fmt.Errorf("transfer: %s: %w", what, err)
		}
	}
	return nil
}
