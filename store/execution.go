package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"gorm.io/gorm"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/redact"
)

// Execution is a stored execution. Its ID is empty; SealedID opens to it.
type Execution struct {
	app.Execution
	SealedID []byte
	// ProfileGone says that the profile was revoked or deleted since.
	ProfileGone bool
}

const (
	profileGone = `NOT EXISTS (SELECT 1 FROM profiles
		WHERE profiles.id = executions.profile_id AND profiles.revoked = 0) AS profile_gone`

	executionFields = `id, handle, sealed_id, profile_handle, profile_description, policy, status, timeout_ms, error,
		error_line, backend, isolation, warm, truncated, redactions, injected, rerun_of, created_at, started_at,
		first_output_at, completed_at, run_ms, llm_ms, cpu_ms, peak_memory, manifest, live, trace, label,
		approval, skill, skill_digest`

	selectExecutions = "SELECT " + executionFields + ", " + profileGone + " FROM executions WHERE "
)

func (r *executionRow) fields() []any {
	return []any{
		&r.ID, &r.Handle, &r.SealedID, &r.ProfileHandle, &r.ProfileDescription, &r.Policy, &r.Status, &r.TimeoutMs, &r.Error,
		&r.ErrorLine, &r.Backend, &r.Isolation, &r.Warm, &r.Truncated, &r.Redactions, &r.Injected, &r.RerunOf, &r.CreatedAt,
		&r.StartedAt, &r.FirstOutputAt, &r.CompletedAt, &r.RunMs, &r.LLMMs, &r.CPUMs, &r.PeakMemory, &r.Manifest, &r.Live,
		&r.Trace, &r.Label, &r.Approval, &r.Skill, &r.SkillDigest,
	}
}

// ByLookup finds an execution by the keyed hash of its id. CodeNotFound if there is none.
func (tx Executions) ByLookup(ctx context.Context, lookup []byte) (Execution, error) {
	return tx.execution(ctx, "lookup = ?", lookup)
}

// Standing is what may change about an execution that has ended.
type Standing struct {
	Row         int64 // no two executions ever have the same
	ProfileGone bool
}

// ReadStanding returns an execution's status at less cost than reading it, for agents that poll.
// CodeNotFound if there is none.
func (s *Store) ReadStanding(ctx context.Context, lookup []byte) (now Standing, err error) {
	err = rowOf(ctx, s.read(ctx), standing, lookup).Scan(&now.Row, &now.ProfileGone)
	return now, notFound(err, "execution")
}

const standing = "SELECT id, " + profileGone + " FROM executions WHERE lookup = ?"

// ReadEnded returns an execution's row, output and connections. CodeNotFound if there is none.
func (tx Executions) ReadEnded(ctx context.Context, handle string) (row int64, out app.Output, list []app.Connection,
	err error) {
	if row, err = tx.executionID(ctx, handle); err != nil {
		return 0, out, nil, err
	}
	if out, err = tx.output(ctx, row); err != nil {
		return 0, out, nil, err
	}
	list, err = tx.connections(ctx, row)
	return row, out, list, err
}

// ByHandle finds an execution for people. CodeNotFound if there is none.
func (tx Executions) ByHandle(ctx context.Context, handle string) (Execution, error) {
	return tx.execution(ctx, "handle = ?", handle)
}

func (tx Executions) execution(ctx context.Context, where string, arg any) (Execution, error) {
	var row executionRow
	var gone bool
	if err := tx.row(ctx, selectExecutions+where, arg).Scan(append(row.fields(), &gone)...); err != nil {
		return Execution{}, notFound(err, "execution")
	}
	x, err := row.execution()
	if err != nil {
		return Execution{}, err
	}
	x.ProfileGone = gone
	if x.Status == app.StatusAwaitingLLM {
		x.Request, err = Questions(tx).open(ctx, row.ID)
	}
	return x, err
}

// executionID returns the row id, for the tables that hang on it.
func (tx *conn) executionID(ctx context.Context, handle string) (id int64, err error) {
	err = tx.row(ctx, "SELECT id FROM executions WHERE handle = ?", handle).Scan(&id)
	return id, notFound(err, "execution")
}

func (r executionRow) execution() (Execution, error) {
	x := Execution{
		Execution: app.Execution{
			Handle: r.Handle, ProfileHandle: r.ProfileHandle, Profile: r.ProfileDescription, Policy: r.Policy,
			Status: app.Status(r.Status), Timeout: time.Duration(r.TimeoutMs) * time.Millisecond, Error: r.Error,
			ErrorLine: r.ErrorLine,
			Backend:   r.Backend, Isolation: r.Isolation, Warm: r.Warm, Truncated: r.Truncated,
			Redactions: r.Redactions,
			CreatedAt:  fromMillis(r.CreatedAt), StartedAt: fromMillis(r.StartedAt),
			FirstOutputAt: fromMillis(r.FirstOutputAt), CompletedAt: fromMillis(r.CompletedAt),
			RunTime: time.Duration(r.RunMs) * time.Millisecond, LLMTime: time.Duration(r.LLMMs) * time.Millisecond,
			PeakMemory: r.PeakMemory, CPUTime: time.Duration(r.CPUMs) * time.Millisecond, RerunOf: r.RerunOf,
			Live: r.Live, Trace: r.Trace, Label: r.Label, Approval: r.Approval,
			Skill: r.Skill, SkillDigest: r.SkillDigest,
		},
		SealedID: r.SealedID,
	}
	if err := errors.Join(json.Unmarshal([]byte(r.Injected), &x.Injected),
		json.Unmarshal([]byte(r.Manifest), &x.Manifest)); err != nil {
		return Execution{}, fmt.Errorf("store: execution %s: %w", r.Handle, err)
	}
	return x, nil
}

// ExecutionScript is what an execution was given.
type ExecutionScript struct {
	Script []byte // sealed
	Inputs []byte // sealed; nil if none
	Clean  string // the script as a person may see it
	// CleanInputs are the inputs for people, in JSON; "" if there are none, or none in that form
	CleanInputs string
}

// Script returns an execution's script and inputs. CodeNotFound if there is none.
func (tx Executions) Script(ctx context.Context, handle string) (ExecutionScript, error) {
	id, err := tx.executionID(ctx, handle)
	if err != nil {
		return ExecutionScript{}, err
	}
	var s ExecutionScript
	err = tx.row(ctx, "SELECT script, inputs, clean, clean_inputs FROM execution_scripts WHERE execution_id = ?", id).
		Scan(&s.Script, &s.Inputs, &s.Clean, &s.CleanInputs)
	return s, notFound(err, "script")
}

// Orphan is an execution that waits under a profile that was revoked or deleted.
type Orphan struct {
	Handle         string
	ProfileDeleted bool
}

// Orphans lists executions that wait under revoked and deleted profiles, oldest first.
func (tx Executions) Orphans(ctx context.Context) ([]Orphan, error) {
	return selectAll[Orphan](ctx, tx.conn, "list orphaned executions",
		`SELECT executions.handle, profiles.id IS NULL AS profile_deleted
		FROM executions LEFT JOIN profiles ON profiles.id = executions.profile_id
		WHERE status IN ('awaiting_approval', 'pending') AND coalesce(profiles.revoked, 1) ORDER BY executions.id`)
}

// ListUnfinished lists executions that are not terminal, oldest first. An empty profileHandle means
// all profiles. Only handles, status and StartedAt are filled in.
func (tx Executions) ListUnfinished(ctx context.Context, profileHandle string) ([]Execution, error) {
	where, args := "", []any{}
	if profileHandle != "" {
		where, args = " AND profile_handle = ?", []any{profileHandle}
	}
	return selectAs(ctx, tx.conn, func(r executionRow) (x Execution, err error) {
		x.Handle, x.ProfileHandle, x.Status = r.Handle, r.ProfileHandle, app.Status(r.Status)
		x.StartedAt = fromMillis(r.StartedAt)
		return x, nil
	}, "list unfinished executions", `SELECT handle, profile_handle, status, started_at FROM executions
		WHERE status IN ('awaiting_approval', 'pending', 'running', 'awaiting_llm')`+where+" ORDER BY id", args...)
}

// Rows of executions. The migrations describe the columns. JSON names are those of .airlock files
// (docs/airlock-file.md); dump.go describes fields that differ there.

type executionRow struct {
	ID                 int64  `gorm:"primaryKey" json:"-"`
	Handle             string `json:"handle"`
	Lookup             []byte `json:"-"`
	SealedID           []byte `json:"-"`
	ProfileID          *int64 `json:"-"`
	ProfileHandle      string `json:"profile_handle"`
	ProfileDescription string `json:"profile_description"`
	Policy             int    `json:"policy"`
	Status             string `json:"status"`
	TimeoutMs          int64  `json:"timeout_ms"`
	Error              string `json:"error"`
	ErrorLine          int    `json:"error_line"`
	Backend            string `json:"backend"`
	Isolation          string `json:"isolation"`
	Warm               bool   `json:"warm"`
	Truncated          bool   `json:"truncated"`
	Redactions         int    `json:"redactions"`
	Injected           string `json:"injected"`
	RerunOf            string `json:"rerun_of"`
	SubmittedBy        string `json:"submitted_by"`
	ClaimedBy          string `json:"-"`
	CreatedAt          int64  `gorm:"autoCreateTime:false" json:"created_at"`
	ClaimedAt          int64  `json:"claimed_at"`
	StartedAt          int64  `json:"started_at"`
	FirstOutputAt      int64  `json:"first_output_at"`
	CompletedAt        int64  `json:"completed_at"`
	RunMs              int64  `json:"run_ms"`
	LLMMs              int64  `gorm:"column:llm_ms" json:"llm_ms"`
	CPUMs              int64  `gorm:"column:cpu_ms" json:"cpu_ms"`
	PeakMemory         int64  `json:"peak_memory"`
	Manifest           string `json:"manifest"`
	Live               bool   `json:"live"`
	Trace              string `json:"-"`
	Label              string `json:"label"`
	Approval           string `json:"-"`
	Skill              string `json:"skill"`
	SkillDigest        string `json:"skill_digest"`
}

func (executionRow) TableName() string { return "executions" }

type executionScriptRow struct {
	ExecutionID int64  `gorm:"primaryKey;autoIncrement:false" json:"-"`
	Script      []byte `json:"-"`
	Inputs      []byte `json:"-"`
	Clean       string `json:"clean"`
	CleanInputs string `json:"clean_inputs"`
}

func (executionScriptRow) TableName() string { return "execution_scripts" }

type executionOutputRow struct {
	ExecutionID int64   `gorm:"primaryKey;autoIncrement:false" json:"-"`
	Stdout      string  `json:"stdout"`
	Stderr      string  `json:"stderr"`
	Result      *string `json:"result"`
	Segments    string  `json:"segments"`
}

func (executionOutputRow) TableName() string { return "execution_outputs" }

type executionValueRow struct {
	ExecutionID    int64  `gorm:"primaryKey;autoIncrement:false" json:"-"`
	Key            string `gorm:"primaryKey" json:"key"`
	CredentialID   string `json:"credential_id"`
	CredentialName string `json:"credential_name"`
	Version        int    `json:"version"`
	Mode           string `json:"mode"`
}

func (executionValueRow) TableName() string { return "execution_values" }

type llmExchangeRow struct {
	ExecutionID int64  `gorm:"primaryKey;autoIncrement:false" json:"-"`
	Ordinal     int    `gorm:"primaryKey;autoIncrement:false" json:"ordinal"`
	RequestID   string `json:"request_id"`
	Prompt      string `json:"prompt"`
	Model       string `json:"model"`
	Response    string `json:"response"`
	Answer      []byte `json:"-"`
	Failed      bool   `json:"failed"`
	AnsweredBy  string `json:"answered_by"`
	AskedAt     int64  `json:"asked_at"`
	AnsweredAt  int64  `json:"answered_at"`
	Asked       []byte `json:"-"`
}

func (llmExchangeRow) TableName() string { return "llm_exchanges" }

type connectionRow struct {
	ExecutionID int64  `gorm:"primaryKey;autoIncrement:false" json:"-"`
	Ordinal     int    `gorm:"primaryKey;autoIncrement:false" json:"ordinal"`
	Host        string `json:"host"`
	Port        int    `json:"port"`
	Verdict     string `json:"verdict"`
	Rule        string `json:"rule"`
	Address     string `json:"address"`
	Method      string `json:"method"`
	Path        string `json:"path"`
	Status      int    `json:"status"`
	Credentials string `json:"credentials"`
	BytesUp     int64  `json:"bytes_up"`
	BytesDown   int64  `json:"bytes_down"`
	StartedAt   int64  `json:"started_at"`
	DurationMs  int64  `json:"duration_ms"`
	Count       int    `json:"count"`
	Line        int    `json:"line"`
}

func (connectionRow) TableName() string { return "connections" }

type redactionHitRow struct {
	ExecutionID int64  `gorm:"primaryKey;autoIncrement:false" json:"-"`
	Channel     string `gorm:"primaryKey" json:"channel"`
	Name        string `gorm:"primaryKey" json:"name"`
	Rule        string `gorm:"primaryKey" json:"rule"`
	Encoding    string `gorm:"primaryKey" json:"encoding"`
	Count       int    `json:"count"`
}

func (redactionHitRow) TableName() string { return "redaction_hits" }

type idempotencyRow struct {
	ProfileID   int64  `gorm:"primaryKey;autoIncrement:false"`
	Key         []byte `gorm:"primaryKey"`
	Body        []byte
	ExecutionID int64
	CreatedAt   int64 `gorm:"autoCreateTime:false"`
}

func (idempotencyRow) TableName() string { return "idempotency" }

type executionStatsRow struct {
	ProfileHandle      string `gorm:"primaryKey" json:"profile_handle"`
	Span               int64  `gorm:"primaryKey;autoIncrement:false" json:"span"`
	Start              int64  `gorm:"primaryKey;autoIncrement:false" json:"start"`
	ProfileDescription string `json:"profile_description"`
	Completed          int64  `json:"completed"`
	Error              int64  `json:"error"`
	Timeout            int64  `json:"timeout"`
	Cancelled          int64  `json:"cancelled"`
	Started            int64  `json:"started"`
	RunMs              int64  `json:"run_ms"`
	LLMMs              int64  `gorm:"column:llm_ms" json:"llm_ms"`
	Redactions         int64  `json:"redactions"`
	Durations          string `json:"durations"`
}

func (executionStatsRow) TableName() string { return "execution_stats" }

type pastBeatRow struct {
	ProfileHandle string `gorm:"primaryKey"`
	ID            int64  `gorm:"primaryKey;autoIncrement:false"`
	Status        string
	CreatedAt     int64 `gorm:"autoCreateTime:false"`
	RunMs         int64
}

func (pastBeatRow) TableName() string { return "past_beats" }

// Output returns a terminal execution's output and result; empty while it is not terminal.
// CodeNotFound if there is none.
func (tx Executions) Output(ctx context.Context, handle string) (app.Output, error) {
	id, err := tx.executionID(ctx, handle)
	if err != nil {
		return app.Output{}, err
	}
	return tx.output(ctx, id)
}

func (tx Executions) output(ctx context.Context, id int64) (app.Output, error) {
	row, err := selectValue[executionOutputRow](ctx, tx.conn, "read output",
		"SELECT * FROM execution_outputs WHERE execution_id = ?", id)
	if err != nil || row.ExecutionID == 0 {
		return app.Output{}, err
	}
	return row.output()
}

func (r executionOutputRow) output() (app.Output, error) {
	out := app.Output{Stdout: r.Stdout, Stderr: r.Stderr}
	if turns, err := fromJSON[[]int]("segments", r.Segments); err != nil {
		return app.Output{}, err
	} else if len(turns) > 0 {
		out.Turns = turns
	}
	if r.Result != nil {
		out.Result = json.RawMessage(*r.Result)
	}
	return out, nil
}

// RedactionHits returns the masked values of an execution by channel. It is empty until the
// execution has ended. CodeNotFound if there is none.
func (tx Executions) RedactionHits(ctx context.Context, handle string) (map[string]redact.Hits, error) {
	id, err := tx.executionID(ctx, handle)
	if err != nil {
		return nil, err
	}
	rows, err := selectAll[redactionHitRow](ctx, tx.conn, "read redaction hits",
		"SELECT * FROM redaction_hits WHERE execution_id = ? ORDER BY channel, name, rule, encoding", id)
	if err != nil {
		return nil, err
	}
	hits := map[string]redact.Hits{}
	for _, r := range rows {
		hits[r.Channel] = append(hits[r.Channel],
			redact.Hit{Name: r.Name, Rule: r.Rule, Encoding: r.Encoding, Count: r.Count})
	}
	return hits, nil
}

// Connections returns an execution's ledger in order.
func (tx Executions) Connections(ctx context.Context, handle string) ([]app.Connection, error) {
	id, err := tx.executionID(ctx, handle)
	if err != nil {
		return nil, err
	}
	return tx.connections(ctx, id)
}

func (tx Executions) connections(ctx context.Context, id int64) ([]app.Connection, error) {
	return selectAs(ctx, tx.conn, connectionRow.connection, "read connections",
		"SELECT * FROM connections WHERE execution_id = ? ORDER BY ordinal", id)
}

func (r connectionRow) connection() (app.Connection, error) {
	credentials, err := fromJSON[[]string]("credentials", r.Credentials)
	if len(credentials) == 0 {
		credentials = nil
	}
	return app.Connection{Host: r.Host, Port: r.Port, Verdict: app.Verdict(r.Verdict), Rule: r.Rule,
		Address: r.Address, Line: r.Line, Method: r.Method, Path: r.Path, Status: r.Status, Credentials: credentials,
		BytesUp: r.BytesUp, BytesDown: r.BytesDown, StartedAt: fromMillis(r.StartedAt),
		Duration: time.Duration(r.DurationMs) * time.Millisecond, Count: r.Count}, err
}

func (tx Executions) keepConnections(ctx context.Context, id int64, ledger []Connection) error {
	if len(ledger) == 0 {
		return nil
	}
	rows := make([]connectionRow, len(ledger))
	for i, c := range ledger {
		rows[i] = connectionRow{ExecutionID: id, Ordinal: i + 1, Host: c.Host.String(), Port: c.Port,
			Verdict: string(c.Verdict), Rule: c.Rule.String(),
			Address: c.Address, Line: c.Line, Method: c.Method.String(), Path: c.Path.String(), Status: c.Status,
			Credentials: listJSON(c.Credentials), BytesUp: c.BytesUp, BytesDown: c.BytesDown,
			StartedAt:  toMillis(c.StartedAt),
			DurationMs: c.Duration.Milliseconds(), Count: c.Count}
	}
	return wrapError("keep connections", gorm.G[connectionRow](tx.db).CreateInBatches(ctx, &rows, 50))
}

// Preview is the beginning of an execution's input and output, as a person may see it.
type Preview struct {
	Script string
	Result string // JSON; "" if there is none
}

type previewRow struct{ Handle, Script, Result string }

// Previews returns the previews of executions by handle.
func (tx Executions) Previews(ctx context.Context, handles []string) (map[string]Preview, error) {
	rows, err := selectAll[previewRow](ctx, tx.conn, "read previews", `SELECT x.handle,
			substr(coalesce(s.clean, ''), 1, 1000) AS script, substr(coalesce(o.result, ''), 1, 200) AS result
		FROM executions x LEFT JOIN execution_scripts s ON s.execution_id = x.id
			LEFT JOIN execution_outputs o ON o.execution_id = x.id WHERE x.handle IN ?`, handles)
	if err != nil {
		return nil, err
	}
	all := make(map[string]Preview, len(rows))
	for _, r := range rows {
		all[r.Handle] = Preview{r.Script, r.Result}
	}
	return all, nil
}

// LastScripts returns the beginnings of the last submitted scripts, newest first, as people may see
// them.
func (tx Executions) LastScripts(ctx context.Context, most, characters int) (scripts []string, err error) {
	err = tx.rows(ctx, func(scan func(to ...any) error) error {
		var script string
		err := scan(&script)
		scripts = append(scripts, script)
		return err
	}, "SELECT substr(clean, 1, ?) FROM execution_scripts ORDER BY execution_id DESC LIMIT ?", characters, most)
	return scripts, wrapError("read the last scripts", err)
}

// Texts returns the texts whose words find executions, by handle.
func (tx Executions) Texts(ctx context.Context, handles []string) (map[string]string, error) {
	marks := strings.TrimSuffix(strings.Repeat("?, ", len(handles)), ", ")
	args := make([]any, len(handles))
	for i, h := range handles {
		args[i] = h
	}
	all := make(map[string]string, len(handles))
	err := tx.rows(ctx, func(scan func(to ...any) error) error {
		var w executionWords
		err := scan(&w.id, &w.text)
		handle, text, _ := strings.Cut(w.text, "\n")
		all[handle] = text
		return err
	}, selectWords+"x.handle IN ("+marks+")", args...)
	return all, wrapError("read texts", err)
}

// Count returns how many executions match among the newest that f's index finds. exact is false if
// there may be more than most of these.
func (tx Executions) Count(ctx context.Context, f ExecutionFilter, most int) (n int, exact bool, err error) {
	if !f.From.IsZero() || !f.To.IsZero() {
		if f.byTime, err = tx.isDisordered(ctx); err != nil {
			return 0, false, err
		}
	}
	f.Before = ""
	bounds, err := tx.bounds(ctx, f)
	if err != nil || bounds.isEmpty() {
		return 0, err == nil, err
	}
	where, args := f.residue()
	count := func(sql string, args ...any) (n int, err error) {
		return selectValue[int](ctx, tx.conn, "count executions", "SELECT count(*) FROM "+sql, args...)
	}
	next := candidates(f)
	if next == nil {
		n, err = count("(SELECT 1 FROM executions WHERE "+where+" AND id < ? AND id >= ? LIMIT ?)",
			append(args, bounds.below, bounds.from, most+1)...)
		return min(n, most), n <= most, err
	}
	sql, found := next(bounds, most)
	looked, err := count("("+sql+")", found...)
	if err != nil {
		return 0, false, err
	}
	n, err = count(fmt.Sprintf("executions WHERE id IN (%s) AND %s", sql, where), append(found, args...)...)
	return n, looked < most, err
}
