package store

import "context"

// SealedColumn is a column of tokens that are bound to their rows.
type SealedColumn string

// The columns with tokens. A test looks for tokens in all others.
const (
	SealedValues     SealedColumn = "values"     // Name: credential, Number: version
	SealedSuperseded SealedColumn = "superseded" // Name: credential, Number: version
	SealedProfiles   SealedColumn = "profiles"   // Name: handle
	SealedExecutions SealedColumn = "executions" // Name: handle
	SealedScripts    SealedColumn = "scripts"    // Name: handle of the execution
	SealedInputs     SealedColumn = "inputs"     // Name: handle of the execution
	SealedAnswers    SealedColumn = "answers"    // Name: request id
	SealedBlobs      SealedColumn = "blobs"      // Name: in the storage
	SealedSettings   SealedColumn = "settings"   // Name: key
)

// SealedColumns lists them.
func SealedColumns() []SealedColumn {
	return []SealedColumn{SealedValues, SealedSuperseded, SealedProfiles, SealedExecutions, SealedScripts, SealedInputs,
		SealedAnswers, SealedBlobs, SealedSettings}
}

// SealedToken is a token with what names its row.
type SealedToken struct {
	Row    int64 // position in its table, where that has numbers
	Name   string
	Number int
	Token  []byte
}

// sealedTable says where a column's tokens stand.
type sealedTable struct {
	table, token string
	row          string // numbers the rows; "" if the table doesn't
	name, number string
	and          string // condition
}

func (c SealedColumn) table() sealedTable {
	const execution = "(SELECT handle FROM executions WHERE id = execution_id)"
	return map[SealedColumn]sealedTable{
		SealedValues:     {"credential_versions", "value", "", "credential_id", "version", ""},
		SealedSuperseded: {"superseded_values", "value", "id", "credential_id", "version", ""},
		SealedProfiles:   {"profiles", "sealed_id", "id", "handle", "0", ""},
		SealedExecutions: {"executions", "sealed_id", "id", "handle", "0", ""},
		SealedScripts:    {"execution_scripts", "script", "execution_id", execution, "0", ""},
		SealedInputs:     {"execution_scripts", "inputs", "execution_id", execution, "0", ""},
		SealedAnswers:    {"llm_exchanges", "answer", "rowid", "request_id", "0", ""},
		SealedBlobs:      {"blobs", "key", "id", "name", "0", ""},
		SealedSettings: {"settings", "value", "", "key", "0",
			" AND sealed = 1 AND key NOT IN ('keyring.check', 'keyring.lookup')"},
	}[c]
}

// OfOtherKeys returns tokens that a key other than keyID sealed. Those of a table that numbers its
// rows are behind a position. keyID has four bytes.
func (tx Tokens) OfOtherKeys(ctx context.Context, column SealedColumn, keyID []byte, after int64,
	limit int) ([]SealedToken, error) {
	t := column.table()
	row, behind, order := t.row, t.row+" > ?", " ORDER BY "+t.row
	if t.row == "" {
		row, behind, order = "0", "? >= 0", ""
	}
	return selectAll[SealedToken](ctx, tx.conn, "read tokens of "+string(column),
		"SELECT "+row+" AS row, "+t.name+" AS name, "+t.number+" AS number, "+t.token+" AS token FROM "+t.table+
			" WHERE "+behind+" AND "+t.token+" IS NOT NULL AND substr("+t.token+", 2, 4) <> ?"+t.and+order+" LIMIT ?",
		after, keyID, limit)
}

// Reseal replaces a token unless it was replaced meanwhile. keyID is the new one, as text.
func (tx Tokens) Reseal(ctx context.Context, column SealedColumn, old SealedToken, token []byte, keyID string) error {
	doing := "seal " + string(column) + " anew"
	t := column.table()
	set, values := "UPDATE "+t.table+" SET "+t.token+" = ? WHERE "+t.token+" = ? AND ", []any{token, old.Token}
	if t.row != "" {
		return tx.run(ctx, doing, set+t.row+" = ?", append(values, old.Row)...)
	}
	err := tx.run(ctx, doing, set+t.name+" = ? AND "+t.number+" = ?", append(values, old.Name, old.Number)...)
	if err != nil || column != SealedValues {
		return err
	}
	if err := tx.run(ctx, doing, `UPDATE credential_versions SET key_id = ?
		WHERE credential_id = ? AND version = ? AND value = ?`, keyID, old.Name, old.Number, token); err != nil {
		return err
	}
	return tx.run(ctx, doing, "UPDATE credentials SET key_id = ? WHERE id = ? AND version = ?",
		keyID, old.Name, old.Number)
}
