package web

import (
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/store"
	"github.com/computclaw/airlock/store/storefill"
	"github.com/computclaw/airlock/views/paths"
)

var (
	manyExecutions = flag.Int("executions", 200, "how many executions TestPagesAreQuick has in the store")
	manyIn         = flag.String("directory", "", "where TestPagesAreQuick keeps its database; filled if it is new")
)

// measuredPages is the number of executions from which the time bound holds, for make lists.
const measuredPages = 100000

// TestPagesAreQuick times lists, filters and pages with -executions in the store. From
// measuredPages on, a 95th percentile beyond 50 ms fails.
func TestPagesAreQuick(t *testing.T) {
	dir := *manyIn
	if dir == "" {
		dir = t.TempDir()
	}
	end := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	if _, err := os.Stat(filepath.Join(dir, store.FileName)); err != nil {
		st, err := store.Open(t.Context(), dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := st.Close(); err != nil {
			t.Fatal(err)
		}
		if err := storefill.Fill(t.Context(), filepath.Join(dir, store.FileName), *manyExecutions, end); err != nil {
			t.Fatal(err)
		}
	}
	s := newUISiteIn(t, dir)
	s.firstPerson()
	s.login()
	for i := range storefill.Profiles / 4 { // pages show profiles and credentials beside
		_, err := s.access.Profiles.Create(t.Context(), s.person, fmt.Sprint("profile ", i))
		s.must(err)
		_, err = s.access.Credentials.Set(t.Context(), s.person,
			credentials.Input{Name: fmt.Sprint("KEY_", i), Mode: app.ModePlain, Value: app.NewSecret("x")})
		s.must(err)
	}
	from, to := end.AddDate(0, 0, -20).Format(time.DateOnly), end.AddDate(0, 0, -19).Format(time.DateOnly)
	var slow []string
	for name, path := range map[string]string{
		"all": "", "profile": "?profile=p07", "large profile": "?profile=p00", "status": "?status=timeout",
		"status nobody has": "?status=running", "profile and status": "?profile=p00&status=error",
		"a day": "?from=" + from + "&to=" + to, "host": "?host=api17.example.com",
		"rare host":        "?host=rare.example.com",
		"host and profile": "?host=api17.example.com&profile=p07",
		"common word":      "?text=revenue", "rare word": "?text=quokka", "words": "?text=KeyError+amount",
		"word and status": "?text=revenue&status=timeout", "word nobody wrote": "?text=zyzzyva",
		"word, host, day": "?text=revenue&host=api17.example.com&from=" + from + "&to=" + to,
		"all of it": "?profile=p00&status=completed&host=api17.example.com&text=revenue&from=" + from + "&to=" +
			to,
	} {
		slow = append(slow, s.timed("list: "+name, func(page string) string {
			return nextOr(page,
				paths.Executions+path)
		}))
	}
	p := s.locked() // the others' ids are unsealed, without pages
	var real []string
	for range 5 {
		real = append(real, s.runs(p, "print hello", app.StatusCompleted).Handle)
	}
	slow = append(slow, s.timed("one execution", func(string) string {
		real = append(real[1:], real[0])
		return paths.ExecutionURL(real[0])
	}))
	for _, path := range []string{paths.Root, paths.Stats + "?period=30d", paths.Audit, paths.Inbox, paths.Profiles,
		paths.Credentials, paths.Search + "?q=re"} {
		slow = append(slow, s.timed(path, func(string) string { return path }))
	}
	slices.Sort(slow)
	t.Logf("%d executions\n%s", *manyExecutions, strings.Join(slow, "\n"))
}

// nextOr returns the link to older executions, or the first page.
func nextOr(page, first string) string {
	_, rest, found := strings.Cut(page, `<a class="button" href="`+paths.Executions+`?`)
	if query, _, ok := strings.Cut(rest, `"`); found && ok && strings.Contains(query, "before=") {
		return paths.Executions + "?" + strings.ReplaceAll(query, "&amp;", "&")
	}
	return first
}

// timed asks 40 times for the next page and returns a summary.
func (s *uiSite) timed(name string, next func(page string) string) string {
	s.t.Helper()
	var took []time.Duration
	page := ""
	for range 40 {
		r, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, s.web.URL+next(page), nil)
		s.must(err)
		began := time.Now()
		res, err := s.client.Do(r)
		s.must(err)
		body, err := io.ReadAll(res.Body)
		took = append(took, time.Since(began))
		s.must(err)
		s.must(res.Body.Close())
		if page = string(body); res.StatusCode != http.StatusOK {
			s.t.Errorf("%s: %d at %s", name, res.StatusCode, r.URL)
		}
	}
	slices.Sort(took)
	p50, p95 := took[19], took[37]
	if *manyExecutions >= measuredPages && p95 > 50*time.Millisecond {
		s.t.Errorf("%s: %v", name, p95)
	}
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	return fmt.Sprintf("%6.1f ms p95 %6.1f ms p50  %s", ms(p95), ms(p50), name)
}
