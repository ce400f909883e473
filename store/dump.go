package store

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"time"

	"gorm.io/gorm/clause"

	"github.com/computclaw/airlock/app"
)

// CredentialRow and the others are rows for package transfer. Their sealed columns stay sealed.
type (
	CredentialRow        = credentialRow
	CredentialVersionRow = credentialVersionRow
	ProfileRow           = profileRow
	ProfileKeyRow        = profileKeyRow
	ProfileHostRow       = profileHostRow
	PolicyRow            = policyRow
	ExecutionRow         = executionRow
	ScriptRow            = executionScriptRow
	OutputRow            = executionOutputRow
	UsedValueRow         = executionValueRow
	ExchangeRow          = llmExchangeRow
	ConnectionRow        = connectionRow
	RedactionRow         = redactionHitRow
	StatsRow             = executionStatsRow
	EventRow             = auditEventRow
	PersonRow            = personRow
	SkillRow             = skillRow
	SkillVersionRow      = skillVersionRow
	SkillProfileRow      = skillProfileRow
	ApprovalRow          = approvalRow
	InputFileRow         = executionFileRow
	ArtifactRow          = artifactRow
)

// SkillGrant is a profile that may run a skill.
type SkillGrant struct {
	Row     SkillProfileRow `gorm:"embedded"`
	Profile string          // handle
}

// Rows returns all credentials by name.
func (tx Credentials) Rows(ctx context.Context) ([]CredentialRow, error) {
	return selectAll[CredentialRow](ctx, tx.conn, "read rows",
		"SELECT * FROM credentials ORDER BY name")
}

// VersionRows returns a credential's versions in order. The last has the sealed value, if there is
// one.
func (tx Credentials) VersionRows(ctx context.Context, id string) ([]CredentialVersionRow, error) {
	return selectAll[CredentialVersionRow](ctx, tx.conn, "read rows",
		"SELECT * FROM credential_versions WHERE credential_id = ? ORDER BY version", id)
}

// Rows returns all profiles in the order in which they were made.
func (tx Profiles) Rows(ctx context.Context) ([]ProfileRow, error) {
	return selectAll[ProfileRow](ctx, tx.conn, "read rows",
		"SELECT * FROM profiles ORDER BY id")
}

// KeyRows returns a profile's keys in order.
func (tx Profiles) KeyRows(ctx context.Context, profile int64) ([]ProfileKeyRow, error) {
	return selectAll[ProfileKeyRow](ctx, tx.conn, "read rows",
		"SELECT * FROM profile_keys WHERE profile_id = ? ORDER BY position, name",
		profile)
}

// HostRows returns a profile's hosts in order, without declined requests. Files don't carry those:
// they must not wait again after an import.
func (tx Profiles) HostRows(ctx context.Context, profile int64) ([]ProfileHostRow, error) {
	return selectAll[ProfileHostRow](ctx, tx.conn, "read rows",
		"SELECT * FROM profile_hosts WHERE profile_id = ? AND declined_at = 0 ORDER BY position, entry",
		profile)
}

// Each visits every version of every policy, including those of deleted profiles.
func (tx Policies) Each(ctx context.Context, visit func(PolicyRow) error) error {
	return each(ctx, tx.conn, visit, "SELECT * FROM policies ORDER BY profile_handle, version")
}

// Rows returns all skills by name, also deleted ones.
func (tx Skills) Rows(ctx context.Context) ([]SkillRow, error) {
	return selectAll[SkillRow](ctx, tx.conn, "read rows", "SELECT * FROM skills ORDER BY name")
}

// VersionRows returns the versions of a skill by number.
func (tx Skills) VersionRows(ctx context.Context, skill int64) ([]SkillVersionRow, error) {
	return selectAll[SkillVersionRow](ctx, tx.conn, "read rows",
		"SELECT * FROM skill_versions WHERE skill_id = ? ORDER BY number", skill)
}

// Grants returns which profiles may run a skill, by handle.
func (tx Skills) Grants(ctx context.Context, skill int64) ([]SkillGrant, error) {
	return selectAll[SkillGrant](ctx, tx.conn, "read rows", `SELECT a.*, p.handle AS profile FROM skill_profiles a
		JOIN profiles p ON p.id = a.profile_id WHERE a.skill_id = ? ORDER BY p.handle`, skill)
}

// EachInForce visits people's permanent approvals and refusals, by profile.
func (tx Approvals) EachInForce(ctx context.Context, visit func(ApprovalRow) error) error {
	return each(ctx, tx.conn, visit, `SELECT * FROM approvals WHERE state = 'approved' AND scope = 'always'
		OR state = 'refused' ORDER BY profile_handle, id`)
}

// Each visits the statistics.
func (tx Stats) Each(ctx context.Context, visit func(StatsRow) error) error {
	return each(ctx, tx.conn, visit, "SELECT * FROM execution_stats ORDER BY profile_handle, span, start")
}

// Each visits everybody who may log in.
func (tx People) Each(ctx context.Context, visit func(PersonRow) error) error {
	return each(ctx, tx.conn, visit, "SELECT * FROM people ORDER BY id")
}

// Each visits the audit log from its beginning.
func (tx AuditLog) Each(ctx context.Context, visit func(EventRow) error) error {
	return each(ctx, tx.conn, visit, "SELECT * FROM audit_events ORDER BY seq")
}

// CountEnded counts the executions that EachEnded visits.
func (tx Executions) CountEnded(ctx context.Context, profiles []string) (int64, error) {
	where, args := whereEnded(profiles)
	return selectValue[int64](ctx, tx.conn, "count executions", "SELECT count(*) FROM executions WHERE "+where, args...)
}

// ArtifactBytes returns the size of those executions' kept artifacts.
func (tx Executions) ArtifactBytes(ctx context.Context, profiles []string) (int64, error) {
	where, args := whereEnded(profiles)
	return selectValue[int64](ctx, tx.conn, "sum artifacts", `SELECT coalesce(sum(size), 0) FROM artifacts
		WHERE blob_id IS NOT NULL AND execution_id IN (SELECT id FROM executions WHERE `+where+")", args...)
}

// EachEnded visits the ended executions of these profiles, oldest first. nil means all profiles.
//
// For each it visits an ExecutionRow, then its ScriptRow, OutputRow, UsedValueRow, ExchangeRow,
// ConnectionRow and RedactionRow values, in this order. It holds one row at a time.
func (tx Executions) EachEnded(ctx context.Context, profiles []string, visit func(row any) error) error {
	where, args := whereEnded(profiles)
	return each(ctx, tx.conn, func(x ExecutionRow) error {
		if err := visit(x); err != nil {
			return err
		}
		for _, visitRows := range []visitOfPart{
			visitPart[ScriptRow]("execution_scripts", "execution_id"),
			visitPart[OutputRow]("execution_outputs", "execution_id"),
			visitPart[UsedValueRow]("execution_values", "key"),
			visitPart[ExchangeRow]("llm_exchanges", "ordinal"),
			visitPart[ConnectionRow]("connections", "ordinal"),
			visitPart[RedactionRow]("redaction_hits", "channel, name, rule, encoding"),
			visitPart[InputFileRow]("execution_files", "name"),
			visitPart[ArtifactRow]("artifacts", "ordinal"),
		} {
			if err := visitRows(ctx, tx.conn, x.ID, visit); err != nil {
				return err
			}
		}
		return nil
	}, orderEnded(where), args...)
}

type visitOfPart func(ctx context.Context, tx *conn, execution int64, visit func(row any) error) error

// visitPart visits an execution's rows of one table, by the rest of its primary key.
func visitPart[R any](table, order string) visitOfPart {
	return func(ctx context.Context, tx *conn, execution int64, visit func(row any) error) error {
		return each(ctx, tx, func(row R) error { return visit(row) },
			"SELECT * FROM "+table+" WHERE execution_id = ? ORDER BY "+order, execution)
	}
}

// orderEnded reads the table in its own order. An index of states would be sorted again in
// memory.
func orderEnded(where string) string {
	return "SELECT * FROM executions NOT INDEXED WHERE " + where + " ORDER BY id"
}

// whereEnded selects executions.
func whereEnded(profiles []string) (where string, args []any) {
	where = "status IN ('completed', 'error', 'timeout', 'cancelled')"
	if profiles != nil {
		where, args = where+" AND profile_handle IN ?", []any{append([]string{""}, profiles...)}
	}
	return where, args
}

// Load inserts a row, one of the …Row types. Tables that number their rows give it a new number,
// id.
//
// added is false if its key exists; then nothing happened. A row from a file that breaks the schema
// is CodeInvalidField.
func (tx *Tx) Load(ctx context.Context, row any) (id int64, added bool, err error) {
	return tx.load(ctx, row)
}

func (tx *conn) load(ctx context.Context, row any) (id int64, added bool, err error) {
	loaded := reflect.New(reflect.TypeOf(row))
	loaded.Elem().Set(reflect.ValueOf(row))
	if isNumbered(row) {
		loaded.Elem().FieldByName("ID").SetInt(0)
	}
	done := tx.db.WithContext(ctx).Clauses(clause.OnConflict{DoNothing: true}).Create(loaded.Interface())
	if done.Error != nil {
		return 0, false, explainRefused(done.Statement.Table, done.Error)
	}
	if isNumbered(row) {
		id = loaded.Elem().FieldByName("ID").Int()
	}
	return id, done.RowsAffected > 0, nil
}

// explainRefused separates rows that the schema refuses from database failures.
func explainRefused(table string, err error) error {
	for _, sign := range []string{"constraint failed", "cannot store", "RAISE", "malformed JSON"} {
		if strings.Contains(err.Error(), sign) {
			e := app.Invalid("file", "a row for "+table+" breaks a rule of the database",
				"The file was not made by Airlock, or by a version with a fault. Nothing was changed.")
			e.Cause = err
			return e
		}
	}
	return fmt.Errorf("store: load %s: %w", table, err)
}

// isNumbered reports whether the row's table gives its rows numbers of its own.
func isNumbered(row any) bool {
	switch row.(type) {
	case ProfileRow, ExecutionRow, SkillRow:
		return true
	}
	return false
}

// LockLoaded locks a profile that was loaded unlocked for its keys.
func (tx Profiles) LockLoaded(ctx context.Context, row int64) error {
	return tx.change(ctx, "profile", "UPDATE profiles SET locked = 1 WHERE id = ? AND locked = 0", row)
}

// RetireEmpty marks skills as deleted if none of their versions' files were loaded.
func (tx Skills) RetireEmpty(ctx context.Context, at time.Time) error {
	return tx.run(ctx, "retire skills", `UPDATE skills SET deleted_at = ? WHERE deleted_at = 0
		AND NOT EXISTS (SELECT 1 FROM skill_versions WHERE skill_id = skills.id AND blob_id IS NOT NULL)`, toMillis(at))
}

// Has reports whether an execution has the handle or the keyed hash of an id.
func (tx Executions) Has(ctx context.Context, handle string, lookup []byte) (bool, error) {
	return selectValue[bool](ctx, tx.conn, "look for an execution", `SELECT EXISTS (SELECT 1 FROM executions
		WHERE handle = ?) OR EXISTS (SELECT 1 FROM executions WHERE lookup = ?)`, handle, lookup)
}

// Newest returns the row of the newest execution; 0 if there is none.
func (tx Executions) Newest(ctx context.Context) (row int64, err error) {
	return selectValue[int64](ctx, tx.conn, "newest execution", "SELECT coalesce(max(id), 0) FROM executions")
}

// Intact reports whether the event hashes to what it says.
func Intact(e EventRow) bool { return e.Hash == e.digest() }

// settingDisorder is set if executions precede others that are older by more than clockSlack.
//
// Imports cause this, since their rows get the next numbers but keep their dates. So does a clock
// that was set back. The setting outlives these executions.
const settingDisorder = "executions.disorder"

// selectDisorder reads no more than the index of times.
const selectDisorder = `SELECT EXISTS (SELECT 1 FROM (
	SELECT id, max(id) OVER (ORDER BY created_at RANGE BETWEEN UNBOUNDED PRECEDING AND ? PRECEDING) AS before
	FROM executions) WHERE before > id)`

// NoteOrder notes, after a load, whether row numbers still grow with time.
func (tx Executions) NoteOrder(ctx context.Context, at time.Time) error {
	disorder, err := selectValue[bool](ctx, tx.conn, "order of executions", selectDisorder, clockSlack.Milliseconds()+1)
	if err != nil {
		return err
	}
	if !disorder {
		return Settings(tx).Delete(ctx, settingDisorder)
	}
	return Settings(tx).Set(ctx, at, Setting{Key: settingDisorder, Value: []byte("1")})
}

// isDisordered reports whether row numbers say nothing about time.
func (tx *conn) isDisordered(ctx context.Context) (bool, error) {
	_, set, err := Settings{tx}.Get(ctx, settingDisorder)
	return set, err
}
