package store

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/redact"
)

func listings() map[string]ExecutionFilter {
	from, to := start.Add(-20*24*time.Hour), start.Add(-19*24*time.Hour)
	return map[string]ExecutionFilter{
		"all":                   {},
		"profile":               {ProfileHandle: "p07"},
		"large profile":         {ProfileHandle: "p00"},
		"status":                {Status: app.StatusTimeout},
		"status nobody has":     {Status: app.StatusRunning},
		"profile and status":    {ProfileHandle: "p00", Status: app.StatusError},
		"a day":                 {From: from, To: to},
		"a day of a profile":    {ProfileHandle: "p07", From: from, To: to},
		"profile, status, day":  {ProfileHandle: "p00", Status: app.StatusError, From: from, To: to},
		"credential":            {Credential: "c03"},
		"credential and status": {Credential: "c03", Status: app.StatusCancelled},
		"credential, none fits": {Credential: "c03", Status: app.StatusRunning},
		"host":                  {Host: "api17.example.com"},
		"rare host":             {Host: "rare.example.com"},
		"host and profile":      {Host: "api17.example.com", ProfileHandle: "p07"},
		"skill":                 {Skill: "totals"},
		"version of a skill":    {Skill: "totals@2", ProfileHandle: "p07"},
		"skill and a day":       {Skill: "totals@2", From: from, To: to},
		"common word":           {Text: "revenue"},
		"rare word":             {Text: "quokka"},
		"words":                 {Text: "KeyError amount"},
		"word and status":       {Text: "revenue", Status: app.StatusTimeout},
		"word, host, day":       {Text: "revenue", Host: "api17.example.com", From: from, To: to},
		"word nobody wrote":     {Text: "zyzzyva"},
		"all of it": {ProfileHandle: "p00", Status: app.StatusCompleted, Credential: "c03",
			Host: "api17.example.com", Text: "revenue", From: from, To: to},
	}
}

// Every list query walks an index in list order. None sorts or scans the table.
func TestNoListScans(t *testing.T) {
	s := queue(t)
	b := idBounds{from: 5, below: 500}
	explain := func(name, sql string, args ...any) {
		var plan []struct{ Detail string }
		if err := s.reader.Raw("EXPLAIN QUERY PLAN "+sql, args...).Scan(&plan).Error; err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, step := range plan {
			if strings.HasPrefix(step.Detail, "SCAN") && !strings.Contains(step.Detail, "VIRTUAL TABLE") ||
				strings.Contains(step.Detail, "TEMP B-TREE") {
				t.Errorf("%s: %s\n%s", name, step.Detail, sql)
			}
		}
	}
	for name, f := range listings() {
		f.Limit = 50
		if next := candidates(f); next != nil {
			sql, args := next(b, walkChunk)
			explain(name, sql, args...)
			sql, args = f.candidateQuery([]int64{7, 8, 9})
			explain(name, selectExecutions+sql, args...)
			continue
		}
		sql, args := f.indexQuery(b)
		explain(name, selectExecutions+sql, args...)
	}
	for _, sql := range []string{edgeFrom, edgeTo, edgeBefore} {
		explain("edge", sql, 1)
	}
	for name, f := range auditFilters() {
		f.Limit = 50
		sql, args := f.query(1, 500)
		explain("audit "+name, sql, args...)
	}
	explain("usage", "SELECT * FROM execution_stats WHERE span = ? AND start >= ? AND start < ?", 3600, 1, 2)
}

func walk(t *testing.T, s *Store, f ExecutionFilter) (handles []string) {
	t.Helper()
	for range 100000 {
		page := onePage(t, s, f)
		if len(page.Executions) > f.Limit {
			t.Fatalf("%d on a page of %d", len(page.Executions), f.Limit)
		}
		for _, x := range page.Executions {
			handles = append(handles, x.Handle)
		}
		if f.Before = page.Next; f.Before == "" {
			return handles
		}
	}
	t.Fatal("the list has no end")
	return nil
}

func onePage(t *testing.T, s *Store, f ExecutionFilter) (page ExecutionPage) {
	t.Helper()
	if err := s.Read(t.Context(),
		func(tx *Tx) (err error) { page, err = tx.Executions.List(t.Context(), f); return err }); err != nil {
		t.Fatal(err)
	}
	return page
}

// TestListsFindWhatThereIs compares each whole list with a plain query that may scan.
func TestListsFindWhatThereIs(t *testing.T) {
	s := filled(t, 800)
	write(t, s, func(tx *Tx) error {
		_, err := tx.exec(t.Context(), "UPDATE executions SET skill = iif(id % 2, 'totals@', 'total@') || (id % 3) "+
			"WHERE id % 5 < 3")
		return err
	})
	for name, f := range listings() {
		f.Limit = 23
		where, args := "x.completed_at > 0", []any{}
		and := func(clause string, arg any) { where += " AND " + clause; args = append(args, arg) }
		if f.ProfileHandle != "" {
			and("x.profile_handle = ?", f.ProfileHandle)
		}
		if f.Status != "" {
			and("x.status = ?", string(f.Status))
		}
		if !f.From.IsZero() {
			and("x.created_at >= ?", toMillis(f.From))
			and("x.created_at < ?", toMillis(f.To))
		}
		if f.Credential != "" {
			and("x.id IN (SELECT execution_id FROM execution_values WHERE credential_id = ?)", f.Credential)
		}
		if f.Host != "" {
			and("x.id IN (SELECT execution_id FROM connections WHERE host = ?)", f.Host)
		}
		if f.Skill != "" {
			and("x.skill || '@' LIKE ?", f.Skill+"@%")
		}
		for _, word := range strings.Fields(f.Text) {
			and("(x.error || s.clean || o.stdout || o.result) LIKE ?", "%"+word+"%")
		}
		var want []string
		if err := s.reader.Raw("SELECT x.handle FROM executions x JOIN execution_scripts s ON s.execution_id = x.id JOIN "+
			"execution_outputs o ON o.execution_id = x.id WHERE "+where+
			" ORDER BY x.id DESC", args...).Scan(&want).Error; err != nil {
			t.Fatal(err)
		}
		if got := walk(t, s, f); !slices.Equal(got, want) {
			t.Errorf("%s: %d found, %d there", name, len(got), len(want))
		}
		for _, most := range []int{5, 1000} {
			n, exact := counted(t, s, f, most)
			if exact && n != len(want) || !exact && (n > len(want) || len(want) < most && candidates(f) == nil) {
				t.Errorf("%s: counted %d of %d, exact %v", name, n, len(want), exact)
			}
			if most > 800 && !exact {
				t.Errorf("%s: the count is not exact, though it may be", name)
			}
		}
	}
}

func counted(t *testing.T, s *Store, f ExecutionFilter, most int) (n int, exact bool) {
	t.Helper()
	if err := s.Read(t.Context(), func(tx *Tx) (err error) {
		n, exact, err = tx.Executions.Count(t.Context(), f, most)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return n, exact
}

// A page that nearly nothing passes ends early and says so. The walk still finds everything.
func TestAWalkIsBounded(t *testing.T) {
	s := filled(t, walkMost+walkChunk+200)
	write(t, s, func(tx *Tx) error {
		_, err := tx.exec(t.Context(), "UPDATE executions SET profile_handle = 'lonely' WHERE id = 3")
		return err
	})
	f := ExecutionFilter{Text: "revenue", ProfileHandle: "lonely", Limit: 50}
	page := onePage(t, s, f)
	if !page.Unfinished || page.Next == "" || len(page.Executions) != 0 {
		t.Fatalf("%d found, unfinished %v, next %q", len(page.Executions), page.Unfinished, page.Next)
	}
	if got := walk(t, s, f); len(got) != 1 {
		t.Errorf("found %v", got)
	}
}

func TestWordsAreNoOperators(t *testing.T) {
	s := filled(t, 100)
	for _, text := range []string{`"`, `revenue OR zyzzyva`, `NEAR(a b)`, `text:revenue`, `rev*enue`, `(`, `*`, "a\x00b",
		`-revenue`, `^revenue`, strings.Repeat("x ", 500), "\xff", "revenue\" OR \"zyzzyva"} {
		if got := onePage(t, s, ExecutionFilter{Text: text, Limit: 5}); len(got.Executions) > 0 &&
			!strings.Contains(text, "revenue") {
			t.Errorf("%q finds something", text)
		}
	}
	if got := onePage(t, s, ExecutionFilter{Text: "revenue OR zyzzyva", Limit: 5}); len(got.Executions) != 0 {
		t.Error("OR was an operator")
	}
	if got := onePage(t, s, ExecutionFilter{Text: `"revenue`, Limit: 5}); len(got.Executions) == 0 {
		t.Error("a quotation mark hides the word")
	}
}

func TestDeletedExecutionsLeaveNoWords(t *testing.T) {
	s := filled(t, 50)
	before := count(t, s, "SELECT sum(completed) FROM execution_stats")
	write(t, s, func(tx *Tx) error { _, err := tx.exec(t.Context(), "DELETE FROM executions"); return err })
	if n := count(t, s, "SELECT count(*) FROM execution_words WHERE execution_words MATCH 'revenue'"); n != 0 {
		t.Errorf("%d are left in the index", n)
	}
	if after := count(t, s, "SELECT sum(completed) FROM execution_stats"); after != before || before == 0 {
		t.Errorf("statistics changed from %d to %d", before, after)
	}
}

var (
	executions = flag.Int("executions", 1000, "how many executions TestListsAreQuick has in the store")
	directory  = flag.String("directory", "", "where TestListsAreQuick keeps its database; filled if it is new")
)

// measured is the number of executions from which the bound holds (make lists).
const measured = 100000

// TestListsAreQuick times the pages of each list with -executions in the store. A median beyond the
// bound fails make lists.
func TestListsAreQuick(t *testing.T) {
	dir := *directory
	if dir == "" {
		dir = t.TempDir()
	}
	s := filledIn(t, dir, *executions)
	var slowest []string
	for name, f := range listings() {
		f.Limit = 50
		var took []time.Duration
		next := ""
		for i := range 20 {
			if f.Before = next; i%2 == 0 {
				f.Before = ""
			}
			began := time.Now()
			page := onePage(t, s, f)
			took = append(took, time.Since(began))
			next = page.Next
		}
		slices.Sort(took)
		slowest = append(slowest, fmt.Sprintf("%6.1f ms p50 %6.1f ms p95  %s", ms(took[10]), ms(took[18]), name))
		if *executions >= measured && took[10] > 50*time.Millisecond {
			t.Errorf("%s: %v", name, took[10])
		}
	}
	began := time.Now()
	if err := s.Read(t.Context(), func(tx *Tx) error {
		_, err := tx.Stats.Usage(t.Context(), Quarterly, start.Add(-14*24*time.Hour), start)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	slices.Sort(slowest)
	t.Logf("%d executions\n%s\n%6.1f ms  two weeks of statistics", *executions, strings.Join(slowest, "\n"),
		ms(time.Since(began)))
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// FuzzSearchWords checks that any text is searched as words. It is never an error or an operator.
func FuzzSearchWords(f *testing.F) {
	for _, text := range []string{"hello", `a" OR "b`, "a* OR NEAR(hello)", "text:hello NOT there", "-", "\x00", "\xff"} {
		f.Add(text)
	}
	s := queue(f)
	write(f, s, func(tx *Tx) error {
		_, err := tx.exec(f.Context(), "INSERT INTO execution_words (rowid, text) VALUES (1, 'hello there a b c 1 2 3')")
		return err
	})
	find := func(t testing.TB, text string) (rows []int64) {
		if err := s.reader.Raw("SELECT rowid FROM execution_words WHERE execution_words MATCH ?",
			matchQuery(text)).Scan(&rows).Error; err != nil {
			t.Errorf("%q: %v", text, err)
		}
		return rows
	}
	if len(find(f, "hello 3")) != 1 {
		f.Fatal("what is there isn't found")
	}
	f.Fuzz(func(t *testing.T, text string) {
		find(t, text)
		if rows := find(t, "zyzzyva "+text); len(rows) != 0 {
			t.Errorf("%q: found without a word", text)
		}
	})
}

// Words of Chinese, Japanese and Thai are any runs of characters.
func TestWordsWithoutSpacesAreFound(t *testing.T) {
	s := queue(t)
	for handle, printed := range map[string]string{
		"zh": "第三季度销售额增长了15%", "ja": "売上高を計算しました report", "th": "ยอดขายรวมเดือนนี้", "en": "sales of the quarter",
	} {
		enqueue(t, s, handle, "a", start)
		write(t, s, func(tx *Tx) error {
			clean, _ := redact.New(nil).Text(printed)
			_, err := tx.Executions.Finish(t.Context(), handle,
				Finish{Status: app.StatusCancelled, Stdout: clean, At: start})
			return err
		})
	}
	for text, want := range map[string]string{
		"销售": "zh", "增长了15": "zh", "季": "zh", "計算": "ja", "売上高": "ja", "report": "ja", "ขาย": "th", "เดือน": "th",
		"sales": "en", "sale": "", "售销": "", "上売": "",
	} {
		got := ""
		for _, x := range onePage(t, s, ExecutionFilter{Text: text, Limit: 5}).Executions {
			got += x.Handle
		}
		if got != want {
			t.Errorf("%q finds %q, want %q", text, got, want)
		}
	}
}

// Refusals count per key and host, in runs. Those accepted since, older ones, Airlock's own, and
// those without a sealed value don't count.
func TestRejections(t *testing.T) {
	s := queue(t)
	for i, ledger := range [][]app.Connection{
		{{Status: 401, Credentials: []string{"OLD"}, StartedAt: start.Add(-48 * time.Hour)}},
		{{Status: 401, Credentials: []string{"KEY"}}, {Status: 403, Credentials: []string{"KEY"}}},
		{{Status: 401, Credentials: []string{"KEY", "FIXED"}}, {Status: 401}},
		{{Status: 403, Credentials: []string{"MINE"}, Verdict: app.VerdictDenied}},
		{{Status: 200, Credentials: []string{"FIXED"}}, {Status: 204, Credentials: []string{"KEY2"}}},
	} {
		handle := string(rune('p' + i))
		enqueue(t, s, handle, "a", start)
		claim(t, s)
		f := Finish{Status: app.StatusCompleted, At: start}
		for j, c := range ledger {
			if c.Verdict == "" {
				c.Verdict = app.VerdictAllowed
			}
			if c.StartedAt.IsZero() {
				c.StartedAt = start.Add(time.Duration(10*i+j) * time.Second)
			}
			c.Port, c.Count = 443, 1
			f.Network = append(f.Network, Connection{Connection: c, Host: redact.Fixed("api.acme.test")})
		}
		write(t, s, func(tx *Tx) error {
			_, err := tx.Executions.Finish(t.Context(), handle, f)
			return err
		})
	}
	var got []Rejection
	if err := s.Read(t.Context(), func(tx *Tx) (err error) {
		got, err = tx.Executions.Rejections(t.Context(), start.Add(-24*time.Hour))
		return err
	}); err != nil {
		t.Fatal(err)
	}
	want := []Rejection{{
		ProfileHandle: "a", Key: "KEY", Host: "api.acme.test", Status: 401, Runs: 2, At: start.Add(20 * time.Second),
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
