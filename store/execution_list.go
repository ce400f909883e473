package store

import (
	"context"
	"math"
	"strings"
	"time"
	"unicode"

	"github.com/computclaw/airlock/app"
)

// ExecutionFilter selects executions. Zero fields don't filter.
type ExecutionFilter struct {
	ProfileHandle string
	Status        app.Status
	From, To      time.Time // created in [From, To)
	Credential    string    // id: had a value of it
	Host          string    // in the ledger, as it stands there
	Label         string
	Skill         string // NAME, or NAME@NUMBER for one version
	// words in the script, output, error or result (the beginnings of long ones) of ended
	// executions
	Text   string
	Before string // handle: only what is older
	Limit  int

	byTime bool // row numbers don't tell the time: see NoteOrder
}

// ExecutionPage is one page of a list, newest first. Outputs, exchanges and Request are not read.
type ExecutionPage struct {
	Executions []Execution
	Next       string // handle to go on before; "" if there is nothing more
	Unfinished bool   // the walk stopped at its bound before the page was full: there may be more at Next
}

// For a filter on words, a host or a credential, its index gives chunks of candidates, and the
// other filters check those. Chunks begin with a page and grow. The bound keeps a page quick where
// nearly no candidate passes.
const (
	walkChunk = 250
	walkMost  = 1000
)

// List lists executions newest first, in the order of acceptance or import.
func (tx Executions) List(ctx context.Context, f ExecutionFilter) (page ExecutionPage, err error) {
	if !f.From.IsZero() || !f.To.IsZero() {
		if f.byTime, err = tx.isDisordered(ctx); err != nil {
			return page, err
		}
	}
	bounds, err := tx.bounds(ctx, f)
	if err != nil || bounds.isEmpty() {
		return page, err
	}
	next := candidates(f)
	if next == nil {
		return tx.plainPage(ctx, f, bounds)
	}
	for seen, chunk := 0, f.Limit+1; ; chunk = min(2*chunk, walkChunk) {
		sql, args := next(bounds, chunk)
		ids, err := tx.ids(ctx, sql, args...)
		if err != nil {
			return ExecutionPage{}, err
		}
		if len(ids) > 0 {
			where, args := f.candidateQuery(ids)
			list, err := tx.list(ctx, where, args...)
			if err != nil {
				return ExecutionPage{}, err
			}
			page.Executions = append(page.Executions, list...)
		}
		if len(page.Executions) > f.Limit {
			page.cut(f.Limit)
			return page, nil
		}
		if len(ids) < chunk {
			return page, nil
		}
		bounds.below = ids[len(ids)-1]
		if seen += len(ids); seen >= walkMost {
			page.Unfinished = true
			page.Next, err = selectValue[string](ctx, tx.conn, "list executions",
				"SELECT handle FROM executions WHERE id = ?", bounds.below)
			return page, err
		}
	}
}

// plainPage lists what an index of the executions themselves finds.
func (tx Executions) plainPage(ctx context.Context, f ExecutionFilter, b idBounds) (page ExecutionPage, err error) {
	where, args := f.indexQuery(b)
	page.Executions, err = tx.list(ctx, where, args...)
	page.cut(f.Limit)
	return page, err
}

// indexQuery returns a page's query on the executions' own indexes, from WHERE on. It asks for one
// row more than fits.
func (f ExecutionFilter) indexQuery(b idBounds) (string, []any) {
	where, args := f.residue()
	return where + " AND id < ? AND id >= ? ORDER BY id DESC LIMIT ?", append(args, b.below, b.from, f.Limit+1)
}

// candidateQuery is the query of those candidates that match, from WHERE on.
func (f ExecutionFilter) candidateQuery(ids []int64) (string, []any) {
	where, args := f.residue()
	return "id IN ? AND " + where + " ORDER BY id DESC", append([]any{ids}, args...)
}

// cut keeps n executions. If there are more, it sets where the next page begins.
func (p *ExecutionPage) cut(n int) {
	if len(p.Executions) > n {
		p.Executions = p.Executions[:n]
		p.Next = p.Executions[n-1].Handle
	}
}

// idBounds are the row ids that can match: at least from, less than below.
type idBounds struct{ from, below int64 }

func (b idBounds) isEmpty() bool { return b.from >= b.below }

// clockSlack is how far back the clock may step before time ranges miss executions. Ids grow with
// time except for that and imports (see NoteOrder).
const clockSlack = time.Hour

// The queries that find the ends of a list.
const (
	edgeFrom   = "SELECT id FROM executions WHERE created_at >= ? ORDER BY created_at, id LIMIT 1"
	edgeTo     = "SELECT id FROM executions WHERE created_at < ? ORDER BY created_at DESC, id DESC LIMIT 1"
	edgeBefore = "SELECT id FROM executions WHERE handle = ?"
)

// Queries for a range of times where row numbers don't follow time. They sort the numbers of that
// range.
const (
	inTime = "SELECT id FROM executions INDEXED BY executions_created WHERE created_at >= ? AND created_at < ? AND id " +
		"< ? AND id >= ? ORDER BY id DESC LIMIT ?"
	inTimeOf = "SELECT id FROM executions INDEXED BY executions_profile_time WHERE profile_handle = ? AND created_at >= " +
		"? AND created_at < ? AND id < ? AND id >= ? ORDER BY id DESC LIMIT ?"
)

// bounds turns a time range and a list position into ids, the order of every list.
func (tx Executions) bounds(ctx context.Context, f ExecutionFilter) (b idBounds, err error) {
	b.below = math.MaxInt64
	edge := func(sql string, arg any) (id int64, found bool) {
		if err != nil {
			return 0, false
		}
		var ids []int64
		if ids, err = tx.ids(ctx, sql, arg); len(ids) == 0 {
			return 0, false
		}
		return ids[0], true
	}
	if !f.From.IsZero() && !f.byTime {
		id, found := edge(edgeFrom, toMillis(f.From.Add(-clockSlack)))
		if !found {
			return idBounds{}, err
		}
		b.from = id
	}
	if !f.To.IsZero() && !f.byTime {
		id, found := edge(edgeTo, toMillis(f.To.Add(clockSlack)))
		if !found {
			return idBounds{}, err
		}
		b.below = id + 1
	}
	if f.Before != "" {
		id, found := edge(edgeBefore, f.Before)
		if !found {
			return idBounds{}, err
		}
		b.below = min(b.below, id)
	}
	return b, err
}

// candidates returns the query for the next candidate ids, newest first. It is nil if the
// executions' own indexes suffice.
func candidates(f ExecutionFilter) func(b idBounds, n int) (string, []any) {
	switch {
	case f.Text != "":
		return func(b idBounds, n int) (string, []any) {
			return "SELECT rowid FROM execution_words WHERE execution_words MATCH ? AND rowid < ? AND rowid >= ? ORDER BY " +
				"rowid DESC LIMIT ?", []any{matchQuery(f.Text), b.below, b.from, n}
		}
	case f.Host != "":
		return func(b idBounds, n int) (string, []any) {
			return "SELECT DISTINCT execution_id FROM connections WHERE host = ? AND execution_id < ? AND execution_id >= ? " +
				"ORDER BY execution_id DESC LIMIT ?", []any{f.Host, b.below, b.from, n}
		}
	case f.Credential != "":
		return func(b idBounds, n int) (string, []any) {
			return "SELECT DISTINCT execution_id FROM execution_values WHERE credential_id = ? AND execution_id < ? AND " +
				"execution_id >= ? ORDER BY execution_id DESC LIMIT ?", []any{f.Credential, b.below, b.from, n}
		}
	case f.Label != "":
		return func(b idBounds, n int) (string, []any) {
			return "SELECT id FROM executions INDEXED BY executions_label WHERE label = ? AND label <> '' AND id < ? AND " +
				"id >= ? ORDER BY id DESC LIMIT ?", []any{f.Label, b.below, b.from, n}
		}
	case f.Skill != "":
		return func(b idBounds, n int) (string, []any) {
			name, _, _ := strings.Cut(f.Skill, "@")
			return "SELECT id FROM executions INDEXED BY executions_skill WHERE " + skillName + " = ? AND skill <> '' AND " +
				"id < ? AND id >= ? ORDER BY id DESC LIMIT ?", []any{name, b.below, b.from, n}
		}
	case f.byTime:
		to := int64(math.MaxInt64)
		if !f.To.IsZero() {
			to = toMillis(f.To)
		}
		return func(b idBounds, n int) (string, []any) {
			args := []any{toMillis(f.From), to, b.below, b.from, n}
			if f.ProfileHandle != "" {
				return inTimeOf, append([]any{f.ProfileHandle}, args...)
			}
			return inTime, args
		}
	}
	return nil
}

// skillName is the name of an execution's skill, as the index executions_skill has it.
const skillName = "substr(skill, 1, instr(skill, '@') - 1)"

// residue returns the conditions on an execution and its other tables, except on its id. Times are
// exact; the plus rules their index out, since ids are in order already.
func (f ExecutionFilter) residue() (string, []any) {
	where, args := "1", []any{}
	and := func(clause string, arg any) {
		where += " AND " + clause
		args = append(args, arg)
	}
	if f.ProfileHandle != "" {
		and("profile_handle = ?", f.ProfileHandle)
	}
	if f.Status != "" {
		and("status = ?", string(f.Status))
	}
	if f.Label != "" {
		and("+label = ?", f.Label)
	}
	switch {
	case strings.Contains(f.Skill, "@"):
		and("+skill = ?", f.Skill)
	case f.Skill != "":
		and("+"+skillName+" = ?", f.Skill)
	}
	if !f.From.IsZero() {
		and("+created_at >= ?", toMillis(f.From))
	}
	if !f.To.IsZero() {
		and("+created_at < ?", toMillis(f.To))
	}
	if f.Text != "" && f.Host != "" {
		and("EXISTS (SELECT 1 FROM connections c WHERE c.host = ? AND c.execution_id = executions.id)", f.Host)
	}
	if f.Credential != "" && (f.Text != "" || f.Host != "") {
		and("EXISTS (SELECT 1 FROM execution_values v WHERE v.credential_id = ? AND v.execution_id = executions.id)",
			f.Credential)
	}
	return where, args
}

// maxWords bounds how many words are looked for.
const maxWords = 8

// matchQuery returns text as a query of the index. Each word is quoted, so that none is an
// operator. Prefix search would gather half of the index.
func matchQuery(text string) string {
	var words []string
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return unicode.IsSpace(r) || r == '"' || r == 0 }) {
		if strings.ContainsFunc(word, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) &&
			len(words) < maxWords {
			words = append(words, `"`+splitWords(strings.ToValidUTF8(word, ""))+`"`)
		}
	}
	if len(words) == 0 {
		return `"nothing that could be a word"`
	}
	return strings.Join(words, " ")
}

func (tx Executions) list(ctx context.Context, where string, args ...any) ([]Execution, error) {
	return selectAs(ctx, tx.conn, func(r listedExecution) (Execution, error) {
		x, err := r.Row.execution()
		x.ProfileGone = r.ProfileGone
		return x, err
	}, "list executions", selectExecutions+where, args...)
}

// listedExecution is an execution with what became of its profile.
type listedExecution struct {
	Row         executionRow `gorm:"embedded"`
	ProfileGone bool
}

func (tx *conn) ids(ctx context.Context, sql string, args ...any) ([]int64, error) {
	return selectAll[int64](ctx, tx, "list executions", sql, args...)
}

// selectWords reads an execution's searchable words. Its other tables must be written already. A
// skill's name stands for its script.
const selectWords = `SELECT x.id, x.handle || char(10) || x.label || char(10) || x.skill || char(10) ||
		x.profile_description || char(10) ||
		x.error || char(10) || iif(x.skill = '', substr(coalesce(s.clean, ''), 1, 8000), '') || char(10) ||
		substr(coalesce(s.clean_inputs, ''), 1, 4000) || char(10) ||
		substr(coalesce(o.stdout, ''), 1, 4000) || char(10) || substr(coalesce(o.stderr, ''), 1, 4000) || char(10) ||
		substr(coalesce(o.result, ''), 1, 4000)
	FROM executions x LEFT JOIN execution_scripts s ON s.execution_id = x.id
		LEFT JOIN execution_outputs o ON o.execution_id = x.id WHERE `

// wordsAtOnce bounds how many texts are held in memory.
const wordsAtOnce = 100

type executionWords struct {
	id   int64
	text string
}

// keepWords indexes the words of up to wordsAtOnce executions. It returns their last row; 0 if
// there are none.
func (tx Executions) keepWords(ctx context.Context, where string, args ...any) (last int64, err error) {
	var found []executionWords
	err = tx.rows(ctx, func(scan func(to ...any) error) error {
		var w executionWords
		err := scan(&w.id, &w.text)
		found = append(found, w)
		return err
	}, selectWords+where, args...)
	if err != nil {
		return 0, wrapError("read words", err)
	}
	for _, w := range found {
		if _, err := tx.insert(ctx, "INSERT INTO execution_words (rowid, text) VALUES (?, ?)",
			w.id, splitWords(w.text)); err != nil {
			return 0, wrapError("index words", err)
		}
		last = w.id
	}
	return last, nil
}

// KeepWordsAfter indexes the words of the executions that were loaded into rows after that one.
func (tx Executions) KeepWordsAfter(ctx context.Context, row int64) error {
	for {
		last, err := tx.keepWords(ctx, "x.id > ? AND x.completed_at > 0 ORDER BY x.id LIMIT ?", row, wordsAtOnce)
		if err != nil || last == 0 {
			return err
		}
		row = last
	}
}

// splitWords puts spaces around characters of scripts without them, such as Chinese and Thai. The
// index then finds any run of them as a phrase.
func splitWords(text string) string {
	if strings.IndexFunc(text, hasNoSpaces) < 0 {
		return text
	}
	var b strings.Builder
	b.Grow(len(text) * 2)
	for _, r := range text {
		if !hasNoSpaces(r) {
			b.WriteRune(r)
			continue
		}
		b.WriteByte(' ')
		b.WriteRune(r)
		b.WriteByte(' ')
	}
	return b.String()
}

func hasNoSpaces(r rune) bool {
	return r >= '\u0e00' && unicode.In(r, unicode.Thai, unicode.Lao, unicode.Myanmar, unicode.Khmer, unicode.Han,
		unicode.Hiragana, unicode.Katakana)
}

// rejectedRows is how many of the latest refused requests are looked through.
const rejectedRows = 1000

// Rejection sums up a host's 401 and 403 answers to requests with a key's sealed value.
type Rejection struct {
	ProfileHandle string
	Key           string
	Host          string
	Status        int // of the latest
	Runs          int
	At            time.Time // of the latest
}

type rejectionRow struct {
	ProfileHandle string
	Key           string
	Host          string
	Status        int
	Runs          int
	At            int64
}

// Rejections lists refusals since a time that no acceptance of the same key followed, newest first.
func (tx Executions) Rejections(ctx context.Context, since time.Time) ([]Rejection, error) {
	return selectAs(ctx, tx.conn, rejectionRow.rejection, "read rejections", `
		WITH refused AS (
			SELECT x.profile_handle, k.value AS key, c.host, c.status, count(DISTINCT c.execution_id) AS runs,
				max(c.started_at) AS at, c.execution_id
			FROM (SELECT execution_id, host, status, credentials, started_at FROM connections
				WHERE status IN (401, 403) AND verdict = 'allowed' AND credentials <> '[]'
				ORDER BY execution_id DESC LIMIT ?) c
			JOIN executions x ON x.id = c.execution_id, json_each(c.credentials) k
			WHERE c.started_at >= ?
			GROUP BY x.profile_handle, k.value, c.host)
		SELECT profile_handle, key, host, status, runs, at FROM refused r
		WHERE NOT EXISTS (SELECT 1 FROM connections later JOIN executions y ON y.id = later.execution_id
			WHERE later.host = r.host AND later.execution_id >= r.execution_id AND later.started_at > r.at
			AND later.verdict = 'allowed' AND later.status BETWEEN 200 AND 399 AND y.profile_handle = r.profile_handle
			AND instr(later.credentials, json_quote(r.key)) > 0)
		ORDER BY at DESC`, rejectedRows, toMillis(since))
}

func (r rejectionRow) rejection() (Rejection, error) {
	return Rejection{
		ProfileHandle: r.ProfileHandle, Key: r.Key, Host: r.Host, Status: r.Status, Runs: r.Runs, At: fromMillis(r.At),
	}, nil
}
