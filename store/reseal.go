package store

import (
	"context"
	"fmt"
)

// SealedColumn is a column of tokens that are bound to their rows.
type SealedColumn string

// The columns that hold tokens. A test looks for tokens in all others.
const (
	SealedValues     SealedColumn = "values"     // Name: credential, Number: version
	SealedSuperseded SealedColumn = "superseded" // Name: credential, Number: version
	SealedProfiles   SealedColumn = "profiles"   // Name: handle
	SealedExecutions SealedColumn = "executions" // Name: handle
	SealedScripts    SealedColumn = "scripts"    // Name: handle of the execution
	SealedInputs     SealedColumn = "inputs"     // Name: handle of the execution
	SealedAnswers    SealedColumn = "answers"    // Name: request id
	SealedSettings   SealedColumn = "settings"   // Name: key
)

// SealedColumns lists them.
func SealedColumns() []SealedColumn {
	return []SealedColumn{SealedValues, SealedSuperseded, SealedProfiles, SealedExecutions, SealedScripts, SealedInputs,
		SealedAnswers, SealedSettings}
}

// SealedToken is a token with what names its row.
type SealedToken struct {
	Row    int64 // position in its table, where that has numbers
	Name   string
	Number int
	Token  []byte
}

// sealedQuery reads tokens; its arguments are a position, a key id (four bytes) and a limit.
func sealedQuery(column SealedColumn) string {
	return map[SealedColumn]string{
		SealedValues: "SELECT 0 AS row, credential_id AS name, version AS number, value AS token FROM " +
			"credential_versions WHERE ? >= 0 AND value IS NOT NULL AND substr(value, 2, 4) <> ? LIMIT ?",
		SealedSuperseded: "SELECT id AS row, credential_id AS name, version AS number, value AS token FROM " +
			"superseded_values WHERE id > ? AND substr(value, 2, 4) <> ? ORDER BY id LIMIT ?",
		SealedProfiles: "SELECT id AS row, handle AS name, 0 AS number, sealed_id AS token FROM profiles WHERE id > ? " +
			"AND substr(sealed_id, 2, 4) <> ? ORDER BY id LIMIT ?",
		SealedExecutions: "SELECT id AS row, handle AS name, 0 AS number, sealed_id AS token FROM executions WHERE id > ? " +
			"AND substr(sealed_id, 2, 4) <> ? ORDER BY id LIMIT ?",
		SealedScripts: "SELECT execution_id AS row, handle AS name, 0 AS number, script AS token FROM execution_scripts " +
			"JOIN executions ON id = execution_id WHERE execution_id > ? AND substr(script, 2, 4) <> ? ORDER BY execution_id " +
			"LIMIT ?",
		SealedInputs: "SELECT execution_id AS row, handle AS name, 0 AS number, inputs AS token FROM execution_scripts " +
			"JOIN executions ON id = execution_id WHERE execution_id > ? AND inputs IS NOT NULL AND substr(inputs, 2, 4) <> ? " +
			"ORDER BY execution_id LIMIT ?",
		SealedAnswers: "SELECT rowid AS row, request_id AS name, 0 AS number, answer AS token FROM llm_exchanges WHERE " +
			"rowid > ? AND answer IS NOT NULL AND substr(answer, 2, 4) <> ? ORDER BY rowid LIMIT ?",
		SealedSettings: "SELECT 0 AS row, key AS name, 0 AS number, value AS token FROM settings WHERE ? >= 0 AND sealed = " +
			"1 AND key NOT IN ('keyring.check', 'keyring.lookup') AND substr(value, 2, 4) <> ? LIMIT ?",
	}[column]
}

// OfOtherKeys returns tokens that another key than the one with this id sealed, behind a position.
func (tx Tokens) OfOtherKeys(ctx context.Context, column SealedColumn, keyID []byte, after int64,
	limit int) ([]SealedToken, error) {
	var list []SealedToken
	if err := tx.db.WithContext(ctx).Raw(sealedQuery(column), after, keyID, limit).Scan(&list).Error; err != nil {
		return nil, fmt.Errorf("store: read tokens of %s: %w", column, err)
	}
	return list, nil
}

// Reseal replaces a token, unless it was replaced meanwhile. keyID is the new one, as text.
func (tx Tokens) Reseal(ctx context.Context, column SealedColumn, t SealedToken, token []byte, keyID string) error {
	var err error
	switch column {
	case SealedValues:
		if _, err = tx.exec(ctx, "UPDATE credential_versions SET value = ?, key_id = ? WHERE credential_id = ? AND version "+
			"= ? AND value = ?", token, keyID, t.Name, t.Number, t.Token); err == nil {
			_, err = tx.exec(ctx, "UPDATE credentials SET key_id = ? WHERE id = ? AND version = ?", keyID, t.Name, t.Number)
		}
	case SealedSuperseded:
		_, err = tx.exec(ctx, "UPDATE superseded_values SET value = ? WHERE id = ? AND value = ?", token, t.Row, t.Token)
	case SealedProfiles:
		_, err = tx.exec(ctx, "UPDATE profiles SET sealed_id = ? WHERE id = ? AND sealed_id = ?", token, t.Row, t.Token)
	case SealedExecutions:
		_, err = tx.exec(ctx, "UPDATE executions SET sealed_id = ? WHERE id = ? AND sealed_id = ?", token, t.Row, t.Token)
	case SealedScripts:
		_, err = tx.exec(ctx, "UPDATE execution_scripts SET script = ? WHERE execution_id = ? AND script = ?", token, t.Row,
			t.Token)
	case SealedInputs:
		_, err = tx.exec(ctx, "UPDATE execution_scripts SET inputs = ? WHERE execution_id = ? AND inputs = ?", token, t.Row,
			t.Token)
	case SealedAnswers:
		_, err = tx.exec(ctx, "UPDATE llm_exchanges SET answer = ? WHERE rowid = ? AND answer = ?", token, t.Row, t.Token)
	case SealedSettings:
		_, err = tx.exec(ctx, "UPDATE settings SET value = ? WHERE key = ? AND value = ?", token, t.Name, t.Token)
	}
	if err != nil {
		return fmt.Errorf("store: seal %s anew: %w", column, err)
	}
	return nil
}
