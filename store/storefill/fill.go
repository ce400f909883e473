package storefill

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	_ "modernc.org/sqlite" // registers the driver
)

// What Fill puts in.
const (
	Profiles    = 40 // handles p00 to p39; p00 has half of the executions, the others share the rest
	Credentials = 30 // ids c00 to c29
	Hosts       = 200
	Days        = 60 // over which executions are spread, ending with the newest
	RareHost    = "rare.example.com"
	RareWord    = "quokka" // in one script of RareOneIn, as RareHost in one ledger of it
	RareOneIn   = 20000
)

const batch = 5000

// Fill adds n ended executions to the database file, the newest at end. The database must have its
// schema and must not be open. The same n and end give the same rows.
func Fill(ctx context.Context, path string, n int, end time.Time) (err error) {
	db, err := sql.Open("sqlite",
		"file:"+path+"?_pragma=journal_mode(WAL)&_pragma=synchronous(OFF)&_pragma=cache_size(-200000)")
	if err != nil {
		return fmt.Errorf("storefill: %w", err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1)
	f := filler{n: n, end: end, dice: rand.New(rand.NewPCG(1, 2)), usage: map[usageKey]*usage{}}
	for from := 0; from < n; from += batch {
		if err := inTransaction(ctx, db,
			func(tx *sql.Tx) error { return f.fillRange(ctx, tx, from, min(from+batch, n)) }); err != nil {
			return err
		}
	}
	return inTransaction(ctx, db, func(tx *sql.Tx) error { return f.keepUsage(ctx, tx) })
}

func inTransaction(ctx context.Context, db *sql.DB, do func(tx *sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("storefill: %w", err)
	}
	if err := do(tx); err != nil {
		return errors.Join(fmt.Errorf("storefill: %w", err), tx.Rollback())
	}
	return tx.Commit()
}

type filler struct {
	n     int
	end   time.Time
	dice  *rand.Rand
	usage map[usageKey]*usage
}

type usageKey struct {
	profile     string
	span, start int64
}

type usage struct {
	status    map[string]int64
	runMs     int64
	durations map[string]int64
}

// statements of one transaction, prepared once.
type statements map[string]*sql.Stmt

func prepare(ctx context.Context, tx *sql.Tx) (statements, error) {
	all := statements{}
	for name, text := range map[string]string{
		"execution": `INSERT INTO executions (handle, lookup, sealed_id, profile_handle, profile_description, policy, status,
				timeout_ms, error, error_line, backend, isolation, warm, redactions, submitted_by, created_at, claimed_at,
				started_at, first_output_at, completed_at, run_ms, cpu_ms, peak_memory, manifest)
			VALUES (?, ?, ?, ?, ?, 1, ?, 60000, ?, ?, 'bubblewrap', 'full', 1, ?, '{"kind":"agent"}', ?, ?, ?, ?, ?, ?, 40,
				31457280, ?)`,
		"script": `INSERT INTO execution_scripts (execution_id, script, clean) VALUES (?, ?, ?)`,
		"output": `INSERT INTO execution_outputs (execution_id, stdout, stderr, result) VALUES (?, ?, '', ?)`,
		"value": `INSERT INTO execution_values (execution_id, key, credential_id, credential_name, version, mode)
			VALUES (?, 'KEY', ?, ?, 1, 'sealed')`,
		"connection": `INSERT INTO connections (execution_id, ordinal, host, port, verdict, rule, bytes_up, bytes_down,
				started_at, duration_ms) VALUES (?, ?, ?, 443, 'allowed', ?, 900, 4000, ?, 40)`,
		"words": `INSERT INTO execution_words (rowid, text) VALUES (?, ?)`,
	} {
		stmt, err := tx.PrepareContext(ctx, text)
		if err != nil {
			return nil, err
		}
		all[name] = stmt
	}
	return all, nil
}

// fillRange writes the executions [from, to).
func (f *filler) fillRange(ctx context.Context, tx *sql.Tx, from, to int) error {
	stmts, err := prepare(ctx, tx)
	if err != nil {
		return err
	}
	for i := from; i < to; i++ {
		if err := f.one(ctx, stmts, i); err != nil {
			return err
		}
	}
	return nil
}

func (f *filler) one(ctx context.Context, stmts statements, i int) error {
	at := f.end.Add(-time.Duration(f.n-1-i) * (Days * 24 * time.Hour / time.Duration(f.n))).UnixMilli()
	profile := fmt.Sprintf("p%02d", max(0, f.dice.IntN(2*Profiles)-Profiles))
	status, failure, line := f.verdict()
	run := int64(20 + f.dice.ExpFloat64()*700)
	handle := fmt.Sprintf("x%011d", i)
	digest := fmt.Sprintf("%064x", i%5000)
	manifest := `{"script":"` + digest + `","runner":"` + digest + `","python":"3.11.2","policy":"` + digest +
		`","result":"` + digest + `"}`
	res, err := stmts["execution"].ExecContext(ctx, handle, []byte("lookup "+handle), []byte("sealed"), profile,
		"Profile number "+profile[1:], status, failure, line,
		f.dice.IntN(3), at, at+1, at+4, at+20, at+run+5, run, manifest)
	if err != nil {
		return err
	}
	id, err := res.LastInsertId()
	if err != nil {
		return err
	}
	f.count(profile, status, (at+run+5)/1000, run)
	script := f.script(i)
	output := strconv.Itoa(f.dice.IntN(90000)) + " rows, total " + strconv.Itoa(f.dice.IntN(1e6)) + ".20\n"
	result := `{"rows":` + strconv.Itoa(f.dice.IntN(90000)) + `,"outlets":["Bar","Terrace"]}`
	credential := fmt.Sprintf("c%02d", f.dice.IntN(Credentials))
	host := "api" + strconv.Itoa(f.dice.IntN(Hosts)) + ".example.com"
	if i%RareOneIn == RareOneIn/2 {
		host = RareHost
	}
	for _, row := range []struct {
		name string
		args []any
	}{
		{"script", []any{id, []byte("sealed"), script}},
		{"output", []any{id, output, result}},
		{"value", []any{id, credential, "CREDENTIAL_" + credential[1:]}},
		{"connection", []any{id, 1, host, host, at + 10}},
		{"words", []any{id, handle + "\n" + failure + "\n" + script + "\n" + output + "\n" + result}},
	} {
		if _, err := stmts[row.name].ExecContext(ctx, row.args...); err != nil {
			return err
		}
	}
	return nil
}

func (f *filler) verdict() (status, failure string, line int) {
	switch n := f.dice.IntN(100); {
	case n < 90:
		return "completed", "", 0
	case n < 96:
		return "error", "Traceback (most recent call last):\n  File \"script.py\", line 4, in <module>\nKeyError: 'amount'", 4
	case n < 98:
		return "timeout", "the time limit of 60 s was reached", 0
	}
	return "cancelled", "cancelled by a person", 0
}

func (f *filler) script(i int) string {
	word := "revenue"
	if i%RareOneIn == RareOneIn/2 {
		word = RareWord
	}
	return "import httpx\n\nrows = httpx.get(settings.get(\"URL\")).json()\ntotal = sum(r[\"amount\"] for r in rows)  # " +
		word + " of month " + strconv.Itoa(i%997) +
		"\nprint(len(rows), \"rows, total\", total)\nset_result({\"total\": total, \"rows\": len(rows)})\n"
}

func (f *filler) count(profile, status string, ended, run int64) {
	rounded, digit := run, int64(1)
	for rounded >= 100 {
		rounded /= 10
		digit *= 10
	}
	key := strconv.FormatInt(rounded*digit, 10)
	for _, span := range []int64{3600, 21600, 86400} {
		k := usageKey{profile, span, ended / span * span}
		u := f.usage[k]
		if u == nil {
			u = &usage{status: map[string]int64{}, durations: map[string]int64{}}
			f.usage[k] = u
		}
		u.status[status]++
		u.runMs += run
		u.durations[key]++
	}
}

func (f *filler) keepUsage(ctx context.Context, tx *sql.Tx) error {
	stmt, err := tx.PrepareContext(ctx,
		`INSERT INTO execution_stats (profile_handle, span, start, profile_description, completed, error, timeout,
			cancelled, started, run_ms, durations)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
	if err != nil {
		return err
	}
	for k, u := range f.usage {
		text, err := json.Marshal(u.durations)
		if err != nil {
			return err
		}
		s := u.status
		if _, err := stmt.ExecContext(ctx, k.profile, k.span, k.start, "Profile number "+k.profile[1:], s["completed"],
			s["error"], s["timeout"], s["cancelled"],
			s["completed"]+s["error"]+s["timeout"]+s["cancelled"], u.runMs, string(text)); err != nil {
			return err
		}
	}
	return nil
}
