package web

import (
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/app/redact/patterns"
	"github.com/computclaw/airlock/views/paths"
)

// TestUIRedactions: people see which credential was masked, where and how often, never the text.
func TestUIRedactions(t *testing.T) {
	t.Parallel()
	const value = "v9Q2-long-enough-7731x"
	s := newUISite(t)
	s.login()
	p := s.request([]app.Key{{Name: "API_KEY", Description: "For the test."}})
	_, err := s.access.Credentials.Set(t.Context(), s.person,
		credentials.Input{Name: "API_KEY", Mode: app.ModeInjected, Value: app.NewSecret(value)})
	s.must(err)
	_, err = s.access.Keys.Link(t.Context(), s.person, p.Handle, "API_KEY", "API_KEY")
	s.must(err)
	p, err = s.access.Lifecycle.Lock(t.Context(), s.person, p.Handle, time.Time{})
	s.must(err)

	x := s.runs(p, "print "+value+" and "+value+"\nprint "+hex.EncodeToString(
		[]byte(value))+"\nresult {\"a\":\""+value+"\"}", app.StatusCompleted)
	if x.Redactions != 4 {
		t.Errorf("%d places were masked, want 4", x.Redactions)
	}
	page := s.get(paths.ExecutionURL(x.Handle)).want(http.StatusOK).says(".verdict a[href='#redactions']", "4 places")
	var rows []string
	page.doc.Find("#redactions tbody tr").Each(func(_ int, row *goquery.Selection) {
		cells := row.Children().Map(func(_ int,
			cell *goquery.Selection) string {
			return strings.Join(strings.Fields(cell.Text()), " ")
		})
		rows = append(rows, strings.Join(cells, " | "))
	})
	want := []string{"Result | value of API_KEY | plain text | 1", "Output | value of API_KEY | plain text | 2",
		"Output | value of API_KEY | hex | 1"}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Error(diff)
	}
	if strings.Contains(page.text, value) || strings.Contains(page.text, hex.EncodeToString([]byte(value))) {
		t.Error("the page shows the value")
	}
	s.get(paths.Executions).says("tbody .chip", "4 redactions")

	var answer struct {
		Redactions int
		Masked     []map[string]any
	}
	s.must(json.Unmarshal([]byte(s.get("/executions/"+x.ID).want(http.StatusOK).text), &answer))
	told := []map[string]any{{"channel": "result", "key": "API_KEY", "count": 1.0},
		{"channel": "stdout", "key": "API_KEY", "count": 3.0}}
	if diff := cmp.Diff(told, answer.Masked); diff != "" || answer.Redactions != 4 {
		t.Errorf("the agent is told %d and %s", answer.Redactions, diff)
	}

	asks := s.runs(p, "print "+value+"\nask Which one?", app.StatusAwaitingLLM)
	live := s.get(paths.ExecutionURL(asks.Handle)).says("#redactions", "They are listed when the script has ended")
	facts, index := live.doc.Find(".verdict dl").Text(), live.doc.Find("nav.index a[href='#redactions']").Text()
	if strings.Contains(facts+index, "Masked") || strings.Contains(index, "0") {
		t.Errorf("before the end the page tells what was masked: %q, %q", facts, index)
	}
	clean := s.runs(p, "print hello", app.StatusCompleted)
	s.get(paths.ExecutionURL(clean.Handle)).says("#redactions", "Nothing had to be masked").says(".verdict", "nothing")
	if n := s.get(paths.Executions).doc.Find("#x-" + clean.Handle + " .chip").Length(); n != 0 {
		t.Error("the list marks an execution in which nothing was masked")
	}
}

// TestUISettingsShowTheRules with their state and origin.
func TestUISettingsShowTheRules(t *testing.T) {
	t.Parallel()
	own := patterns.Rule{Name: "acme", About: "badges of Acme", Keywords: []string{"acme-"}, Regexp: "acme-[0-9]{8}",
		Found: []string{"«acme-12345678»"}}
	set, err := patterns.New(patterns.Config{Off: []string{"jwt"}, Extra: []patterns.Rule{own}})
	if err != nil {
		t.Fatal(err)
	}
	s := newUISite(t, func(c *Config) { c.Rules = set })
	s.login()
	page := s.get(paths.SettingsInstance).want(http.StatusOK)
	rows := page.doc.Find("#redaction table").First().Find("tbody tr")
	if rows.Length() != 2 {
		t.Fatalf("%d rules are named as changed", rows.Length())
	}
	for i, want := range []string{"jwtJSON web tokensOff", "acmebadges of AcmeOn own"} {
		if got := strings.Join(strings.Fields(rows.Eq(i).Text()), " "); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if all := page.doc.Find("#redaction details tbody tr").Length(); all != len(patterns.Rules())+1 {
		t.Errorf("%d rules are listed", all)
	}
	bare := newUISite(t)
	bare.login()
	bare.get(paths.SettingsInstance).lacks("#redaction")
}
