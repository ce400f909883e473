package store

import (
	"context"
	"fmt"
	"strings"
)

// Preview is the beginning of what an execution was given and returned, as a person may see it.
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

// LastScripts returns the beginnings of the scripts that were submitted last, as people may see them,
// the newest first.
func (tx Executions) LastScripts(ctx context.Context, most, characters int) (scripts []string, err error) {
	err = tx.rows(ctx, func(scan func(to ...any) error) error {
		var script string
		err := scan(&script)
		scripts = append(scripts, script)
		return err
	}, "SELECT substr(clean, 1, ?) FROM execution_scripts ORDER BY execution_id DESC LIMIT ?", characters, most)
	return scripts, failed("read the last scripts", err)
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
	return all, failed("read texts", err)
}

// Count returns how many executions match, of the newest that f's index finds. exact is false if
// there may be more than most of these.
func (tx Executions) Count(ctx context.Context, f ExecutionFilter, most int) (n int, exact bool, err error) {
	if !f.From.IsZero() || !f.To.IsZero() {
		if f.byTime, err = tx.disordered(ctx); err != nil {
			return 0, false, err
		}
	}
	f.Before = ""
	bounds, err := tx.bounds(ctx, f)
	if err != nil || bounds.empty() {
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
