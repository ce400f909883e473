package web

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/store"
	"github.com/computclaw/airlock/views/paths"
)

// history returns a site with a credential, a locked profile and executions, newest last.
func history(t *testing.T) (s *uiSite, p app.Profile, good, bad app.Execution) {
	t.Helper()
	s = newUISite(t)
	s.login()
	_, err := s.access.Credentials.Set(t.Context(), s.person,
		credentials.Input{Name: "ORACLE_PASSWORD", Mode: app.ModeInjected, Value: app.NewSecret(uiSecrets()[0])})
	s.must(err)
	p = s.request([]app.Key{{Name: "ORACLE_PASSWORD"}})
	_, err = s.access.Keys.Link(t.Context(), s.person, p.Handle, "ORACLE_PASSWORD", "ORACLE_PASSWORD")
	s.must(err)
	p, err = s.access.Lifecycle.Lock(t.Context(), s.person, p.Handle, time.Time{})
	s.must(err)
	good = s.runs(p, "print hello quokka\nresult {\"b\":1,\"a\":[2]}", app.StatusCompleted)
	bad = s.runs(p, "print x\nfail =KeyError: 'nope'", app.StatusError)
	return s, p, good, bad
}

// TestOverviewDatesItsChecks of the sandbox, the audit log and backups.
func TestOverviewDatesItsChecks(t *testing.T) {
	t.Parallel()
	s, _, _, _ := history(t)
	page := s.get(paths.Root).says("#checks", "Sandbox").says("#checks li:nth-child(2)", "Backup").says(
		"#checks li:nth-child(2)", "never").says("#checks li:nth-child(3)", "Audit log")
	if page.doc.Find("#checks li:nth-child(3) time").Length() != 1 {
		t.Error("the check of the audit log has no date")
	}
	if part := s.part(paths.Root); part.doc.Find("#checks[hx-swap-oob]").Length() != 1 {
		t.Error("the checks don't follow on an open page")
	}
}

func TestExecutionFilters(t *testing.T) {
	t.Parallel()
	s, p, good, bad := history(t)
	other := s.runs(s.locked(), "print elsewhere", app.StatusCompleted)
	today, tomorrow := time.Now().UTC().Format(time.DateOnly), time.Now().UTC().AddDate(0, 0, 2).Format(time.DateOnly)
	for query, want := range map[string][]string{
		"":                                  {other.Handle, bad.Handle, good.Handle},
		"status=error":                      {bad.Handle},
		"profile=" + p.Handle:               {bad.Handle, good.Handle},
		"credential=ORACLE_PASSWORD":        {bad.Handle, good.Handle},
		"credential=NOBODY_HAS":             nil,
		"text=quokka":                       {good.Handle},
		"text=quokka&status=error":          nil,
		"text=%22%20OR%20*":                 nil,
		"host=api.example.com":              nil,
		"from=" + today:                     {other.Handle, bad.Handle, good.Handle},
		"from=" + tomorrow:                  nil,
		"to=" + tomorrow + "&status=error":  {bad.Handle},
		"credential=ORACLE_PASSWORD&text=x": {bad.Handle},
	} {
		page := s.get(paths.Executions + "?" + query).want(http.StatusOK)
		var got []string
		for _, row := range page.doc.Find("#list tbody tr").EachIter() {
			got = append(got, strings.TrimPrefix(row.AttrOr("id", ""), "x-"))
		}
		if strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("%s: %v, want %v", query, got, want)
		}
	}
	a := s.get(paths.Executions + "?text=quokka&status=completed&credential=ORACLE_PASSWORD&from=" + today)
	if a.doc.Find("#text").AttrOr("value", "") != "quokka" ||
		a.doc.Find("#status [selected]").AttrOr("value", "") != "completed" ||
		a.doc.Find("#from").AttrOr("value", "") != today {
		t.Error("the form does not show what is looked for")
	}
	if a.doc.Find("details.more-filters[open]").Length() != 1 {
		t.Error("a condition is folded away")
	}
	if here := a.doc.Find("#list").AttrOr("hx-get", ""); !strings.Contains(here, "text=quokka") {
		t.Errorf("the list refreshes as %q", here)
	}
	s.get(paths.Executions+"?from=yesterday").want(http.StatusUnprocessableEntity).says("#from-wrong",
		`"yesterday" is not a date`).says(".errors", "Nothing was searched")
	refused := s.get(paths.Executions+"?from=yesterday&status=error").says("#list", "Correct the marked condition")
	if refused.doc.Find("details.more-filters[open]").Length() != 1 || refused.doc.Find("#list[hx-get]").Length() != 0 {
		t.Error("the wrong condition is folded away, or the list asks for the rest without it")
	}
	s.get(paths.Executions+"?from="+tomorrow+"&to="+today).want(http.StatusUnprocessableEntity).says("#to-wrong",
		"before the first one")
	s.get(paths.Executions + "?status=odd").want(http.StatusBadRequest)
}

// TestARefusedSearchStandsStill: its list doesn't refresh, and doesn't claim that nothing matches.
func TestARefusedSearchStandsStill(t *testing.T) {
	t.Parallel()
	s, _, _, _ := history(t)
	for list, page := range map[string]string{"#list": paths.Executions, "#events": paths.Audit} {
		for _, query := range []string{"?from=2026-12-01&to=2026-11-01", "?from=yesterday"} {
			a := s.get(page+query).want(http.StatusUnprocessableEntity).says(list, "Nothing was searched")
			if got, asks := a.doc.Find(list).Attr("hx-get"); asks {
				t.Errorf("%s%s: the list refreshes as %q", page, query, got)
			}
			if text := a.doc.Find(list).Text(); strings.Contains(text, "No execution matches") ||
				strings.Contains(text, "Nothing has happened yet") || strings.Contains(text, "No entry matches") {
				t.Errorf("%s%s says that there is nothing", page, query)
			}
		}
	}
}

func TestDownloads(t *testing.T) {
	t.Parallel()
	s, p, good, bad := history(t)
	_, err := s.access.Profiles.Describe(t.Context(), s.person, p.Handle, "=HYPERLINK(\"http://evil.example\")")
	s.must(err)
	for range 103 { // more than one page of the store
		s.runs(p, "print x", app.StatusCompleted)
	}
	table := s.get(paths.ExecutionsExport + "?as=csv").want(http.StatusOK)
	if got := table.header.Get("Content-Disposition"); got != `attachment; filename="airlock-executions.csv"` {
		t.Errorf("Content-Disposition %q", got)
	}
	rows, err := csv.NewReader(strings.NewReader(table.text)).ReadAll()
	s.must(err)
	if len(rows) != 106 || rows[0][0] != "\ufeffexecution" || rows[105][0] != good.Handle || rows[104][0] != bad.Handle {
		t.Errorf("%d rows, %v", len(rows), rows[:1])
	}
	if strings.Contains(table.text, good.ID) || strings.Contains(table.text, p.ID) {
		t.Error("the table holds a token")
	}
	if got := rows[1][2]; got != "'=HYPERLINK(\"http://evil.example\")" {
		t.Errorf("a spreadsheet would run %q", got)
	}
	lines := s.get(paths.ExecutionsExport + "?as=jsonl&status=error").want(http.StatusOK)
	var one map[string]any
	s.must(json.Unmarshal([]byte(lines.text), &one))
	if one["execution"] != bad.Handle || one["status"] != "error" || one["error_line"] != float64(2) ||
		!strings.Contains(one["error"].(string), "=KeyError") {
		t.Errorf("%v", one)
	}
	s.get(paths.ExecutionsExport + "?as=pdf").want(http.StatusBadRequest)
	s.get(paths.ExecutionsExport + "?as=csv&from=odd").want(http.StatusBadRequest)
	if empty := s.get(paths.ExecutionsExport + "?as=csv&text=zyzzyva").want(http.StatusOK); empty.text != "" {
		t.Errorf("nothing matches, and that is %q", empty.text)
	}

	log := s.get(paths.AuditExport + "?as=jsonl&action=profile.lock").want(http.StatusOK)
	one = nil
	s.must(json.Unmarshal([]byte(log.text), &one))
	if one["action"] != "profile.lock" || one["subject"] != p.Handle || one["hash"] == "" {
		t.Errorf("%v", one)
	}
	s.get(paths.AuditExport + "?as=csv&to=odd").want(http.StatusBadRequest)
}

func TestStatsPage(t *testing.T) {
	t.Parallel()
	s, p, _, _ := history(t)
	for _, period := range []string{"", "24h", "7d", "30d"} {
		a := s.get(paths.Stats+"?period="+period).want(http.StatusOK).says(".figures", "Runs2").says(".figures",
			"50%").says(".usage tbody", "Monthly revenue report2")
		if n := a.doc.Find(".chart rect.completed").Length(); n != 1 {
			t.Errorf("%s: %d bars with completed", period, n)
		}
		if got := a.doc.Find("#numbers tbody tr").Last().Text(); !strings.Contains(strings.Join(strings.Fields(got),
			" "),
			"10012") {
			t.Errorf("%s: the table ends with %q", period, got)
		}
		if got := a.doc.Find(".usage tbody a").AttrOr("href", ""); got != paths.ExecutionsOf(p.Handle) {
			t.Errorf("%s: leads to %q", period, got)
		}
	}
	s.get(paths.Stats + "?period=century").want(http.StatusBadRequest)
	if part := s.part(paths.Stats); part.doc.Find("h1").Length() != 0 || part.doc.Find(".chart:not(.latency)").Length() != 1 {
		t.Error("the part is not the figures alone")
	}
	if n := s.get(paths.Root).doc.Find("#day .figures dt").Length(); n != 4 {
		t.Errorf("the overview has %d figures", n)
	}
	s.get(paths.Stats).says(".figures", "Average")
	s.get(paths.Root).says("#day .figures", "Runs2").says("#recent", "Completed")
}

func TestInbox(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	s.login()
	s.get(paths.Inbox).want(http.StatusOK).says(".empty", "You're all caught up")
	p := s.request([]app.Key{{Name: "ORACLE_PASSWORD"}}, "db.example.com:1521")
	a := s.get(paths.Inbox).says("#inbox", "asks for 1 key and 1 host").says("#inbox", p.PairingCode)
	if got := a.doc.Find("#inbox .button").AttrOr("href", ""); got != paths.ProfileURL(p.Handle) {
		t.Errorf("leads to %q", got)
	}
	locked := s.locked()
	_, err := s.access.Hosts.Propose(t.Context(), app.Actor{Kind: app.ActorAgent}, locked.Handle,
		[]app.Host{{Name: "late.example.com"}})
	s.must(err)
	a = s.get(paths.Inbox).says("#inbox", "1 more host: late.example.com")
	if n := a.doc.Find("#inbox li").Length(); n != 2 {
		t.Errorf("%d entries", n)
	}
	if first := a.doc.Find("#inbox li").First().Text(); !strings.Contains(first, p.PairingCode) {
		t.Errorf("the first is not the oldest: %q", first)
	}
	a.says("#waiting-rail", "2 waiting for you").says("#inbox li:first-child .button", "Review request")
	count := s.get(paths.InboxCount).want(http.StatusOK)
	if count.doc.Find("#waiting-rail[hx-swap-oob]").Text() == "" ||
		count.doc.Find("#waiting-bar[hx-swap-oob]").Text() == "" {
		t.Errorf("the counts are %s", count.text)
	}
	if part := s.part(paths.Inbox); part.doc.Find("h1").Length() != 0 || part.doc.Find("li").Length() != 2 {
		t.Error("the part is not the list alone")
	}
	_, err = s.access.Profiles.Create(t.Context(), s.person, "My own")
	s.must(err)
	s.get(paths.Inbox).says("#inbox li:last-child .button", "Finish setup") // nobody requested it
}

func TestAuditPage(t *testing.T) {
	t.Parallel()
	s, p, _, _ := history(t)
	a := s.get(paths.Audit + "?action=profile.lock").want(http.StatusOK)
	if n := a.doc.Find(".events tbody tr").Length(); n != 1 {
		t.Errorf("%d locks", n)
	}
	s.get(paths.Audit+"?actor=agent").says(".events tbody", "Agent").says("#actor [selected]", "Agents")
	s.get(paths.Audit+"?subject="+p.Handle+"&action=profile").says(".events tbody",
		"Profile locked")
	s.get(paths.Audit+"?subject=nobody").says(".empty", "No entry matches")
	s.get(paths.Audit + "?actor=martian").want(http.StatusBadRequest)
	s.get(paths.Audit+"?from=odd").want(http.StatusUnprocessableEntity).says("#from-wrong", "is not a date")
	s.get(paths.Audit+"?before=odd").want(http.StatusOK).says(".chain", "Audit log verified")
	s.post(paths.AuditVerify).leads(paths.Audit)
	s.get(paths.Audit).says(".notice", "The whole audit log was checked")
	s.get(paths.AuditVerify).leads(paths.Audit)
}

// TestAuditIsVerifiedFromWhereItWasVerified; a full check still finds earlier changes.
func TestAuditIsVerifiedFromWhereItWasVerified(t *testing.T) {
	t.Parallel()
	s, p, _, _ := history(t)
	first, err := s.access.Audit.State(t.Context(), false)
	s.must(err)
	_, err = s.access.Profiles.Describe(t.Context(), s.person, p.Handle, "another name")
	s.must(err)
	second, err := s.access.Audit.State(t.Context(), false)
	s.must(err)
	if second.Through != first.Through+1 || second.Whole != first.Whole || second.Broken != 0 {
		t.Errorf("%+v after %+v", second, first)
	}
}

func TestExecutionPage(t *testing.T) {
	t.Parallel()
	s, _, good, bad := history(t)
	a := s.get(paths.ExecutionURL(good.Handle)).want(http.StatusOK).says(".timeline",
		"started, after").says(".timeline", "completed, after running")
	if got := strings.Join(strings.Fields(a.doc.Find("#result-text").Text()), " "); got != `{ "b": 1, "a": [ 2 ] }` {
		t.Errorf("the result is %q", got)
	}
	a = s.get(paths.ExecutionURL(bad.Handle)).want(http.StatusOK).says(".timeline", "error, after running")
	if got := a.doc.Find("#script .failing").AttrOr("id", ""); got != "line-2" {
		t.Errorf("the failing line is %q", got)
	}
	s.get(paths.ExecutionURL(good.Handle)).says("#events-title", "Audit log").says("#events", "The chain of hashes holds")
	s.get(paths.ExecutionURL("nosuchhandle")).want(http.StatusNotFound)
}

func TestCompare(t *testing.T) {
	t.Parallel()
	s, _, good, bad := history(t)
	s.get(paths.At(paths.ExecutionCompare, good.Handle)).want(http.StatusOK).says("main",
		"Choose one").lacks("#diff-stdout").says("#with", "error, ")
	s.submit(s.get(paths.ExecutionURL(good.Handle)), "#rerun form", "").want(http.StatusSeeOther)
	list := s.get(paths.Executions)
	again := strings.TrimPrefix(list.doc.Find("tbody tr").First().AttrOr("id", ""), "x-")
	x, err := s.engine.Reader.ByHandle(t.Context(), again)
	s.must(err)
	_, err = s.engine.Reader.Await(t.Context(), x, 20*time.Second)
	s.must(err)
	s.get(paths.At(paths.ExecutionCompare, again)).want(http.StatusOK).says("main",
		"The result is the same").says(".comparison #diff-result", "Result").says(".comparison #diff-script",
		"Script").says(".compare", "Runner").lacks(".compare .differs")
	s.get(paths.At(paths.ExecutionCompare, again)+"?with="+bad.Handle).want(http.StatusOK).says("main",
		"The result differs").says("main", "Changed since then: script").says("#diff-script .removed",
		"fail").says("#diff-script .added", "quokka")
	s.get(paths.At(paths.ExecutionCompare, again)+"?with=nosuchhandle").want(http.StatusUnprocessableEntity).
		says("#with-wrong",
			"has been removed")
	s.get(paths.At(paths.ExecutionCompare, "nosuchhandle")).want(http.StatusNotFound)
	runs := s.runs(s.locked(), "hang", app.StatusRunning)
	s.get(paths.At(paths.ExecutionCompare, again)+"?with="+runs.Handle).want(http.StatusUnprocessableEntity).
		says("#with-wrong",
			"must have ended")
}

// TestPagesRefuseStrangers: no page, part or download without a session, no change from another
// site.
func TestPagesRefuseStrangers(t *testing.T) {
	t.Parallel()
	s, _, good, _ := history(t)
	for _, path := range []string{paths.Root, paths.Stats, paths.Inbox, paths.InboxCount, paths.Executions,
		paths.ExecutionsExport + "?as=csv", paths.Audit, paths.AuditExport + "?as=csv",
		paths.ExecutionURL(good.Handle), paths.At(paths.ExecutionCompare, good.Handle),
		paths.Sandbox, paths.Events} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.web.URL+path, nil)
		s.must(err)
		res, err := (&http.Client{CheckRedirect: func(*http.Request,
			[]*http.Request) error {
			return http.ErrUseLastResponse
		}}).Do(r)
		s.must(err)
		res.Body.Close()
		if res.StatusCode != http.StatusSeeOther || !strings.HasPrefix(res.Header.Get("Location"), paths.Login) {
			t.Errorf("%s: %d %s", path, res.StatusCode, res.Header.Get("Location"))
		}
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.web.URL+paths.AuditVerify, nil)
	s.must(err)
	r.Header.Set("Origin", "http://evil.example")
	if a := s.do(r); a.status != http.StatusForbidden {
		t.Errorf("another site may verify: %d", a.status)
	}
}

// TestAStoreThatFails shows a 500 without the cause.
func TestAStoreThatFails(t *testing.T) {
	t.Parallel()
	s, _, good, _ := history(t)
	s.must(s.store.Close())
	for _, path := range []string{paths.Root, paths.Stats, paths.Inbox, paths.Executions,
		paths.ExecutionsExport + "?as=csv", paths.Audit, paths.AuditExport + "?as=csv", paths.ExecutionURL(good.Handle),
		paths.At(paths.ExecutionCompare, good.Handle)} {
		if a := s.get(path); a.status != http.StatusInternalServerError || strings.Contains(a.text, "sql") ||
			a.doc.Find("h1").Length() != 1 {
			t.Errorf("%s: %d %.200s", path, a.status, a.text)
		}
	}
}

func (s *uiSite) waiting(p app.Profile, n int) {
	s.t.Helper()
	shown, _ := redact.New(nil).Text(strings.Repeat("print('a line of a script')\n", 700))
	s.must(s.store.Write(s.t.Context(), func(tx *store.Tx) error {
		for i := range n {
			if err := tx.Approvals.Add(s.t.Context(), app.Approval{ID: app.NewID(), Kind: app.ApprovalScript,
				Subject: fmt.Sprintf("%064d", i), ProfileHandle: p.Handle, State: app.ApprovalOpen, AskedAt: time.Now()}, shown); err != nil {
				return err
			}
		}
		return nil
	}))
}

func TestTheInboxCountsWhatItLists(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	s.login()
	p := s.keyed()
	s.waiting(p, 3)
	s.sendSkill(p, map[string]string{"SKILL.md": totals, "main.py": "set_result(1)"})
	s.request(nil)
	page := s.get(paths.Inbox)
	if n := page.doc.Find("#inbox li").Length(); n != 5 {
		t.Errorf("%d needs", n)
	}
	s.get(paths.Skills).says("nav", "5")
}

func TestUISearch(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	s.get(paths.Search).leads(paths.LoginURL(paths.Search))
	s.login()
	service := "Reporting database"
	_, err := s.access.Credentials.Set(t.Context(), s.person,
		credentials.Input{Name: "ORACLE_PASSWORD", Mode: app.ModeInjected, Service: &service,
			Value: app.NewSecret(uiSecrets()[0])})
	s.must(err)
	p := s.locked()
	x := s.runs(p, "print hello", app.StatusCompleted)
	for text, want := range map[string]string{
		"":             paths.Root,
		"over":         paths.Root,
		"revenue":      paths.ProfileURL(p.Handle),
		"PASSWORD ora": paths.CredentialURL("ORACLE_PASSWORD"),
		"reporting":    paths.CredentialURL("ORACLE_PASSWORD"),
		"invite":       paths.SettingsPeople,
		// by what people call them
		"backup": paths.SettingsBackups, "theme": paths.Settings + "#appearance", "dark mode": paths.Settings +
			"#appearance", "export": paths.SettingsMove, "statistics": paths.Stats, "latency": paths.Stats,
		"users": paths.SettingsPeople, "move": paths.SettingsMove, "log out": paths.Settings + "#sessions",
		"hello":  paths.ExecutionURL(x.Handle), // in its script
		x.Handle: paths.ExecutionURL(x.Handle),
		p.Handle: paths.ProfileURL(p.Handle),
	} {
		a := s.get(paths.Search + "?q=" + url.QueryEscape(text)).want(http.StatusOK)
		if got := a.doc.Find(".link-list a").First().AttrOr("href", ""); got != want {
			t.Errorf("%q: first is %q, want %q", text, got, want)
		}
	}
	if n := s.get(paths.Search).doc.Find(".link-list a[href='" + paths.ExecutionURL(x.Handle) + "']").Length(); n != 1 {
		t.Errorf("the latest execution stands %d times among the places", n)
	}
	s.get(paths.Search+"?q=nowhere-at-all").says("[aria-label=Results]", "No results for “nowhere-at-all”.")
	part := s.part(paths.Search + "?q=revenue")
	if part.doc.Find("nav").Length() != 0 || part.doc.Find(".link-list a").Length() == 0 {
		t.Errorf("the part is %s", part.text)
	}
	for _, token := range []string{p.ID, x.ID, uiToken} {
		a := s.get(paths.Search+"?q="+token).want(http.StatusOK).says("[aria-label=Results]",
			"Nothing was searched: this is a token")
		if strings.Contains(a.text, token) {
			t.Error("a token is repeated")
		}
	}
	if a := s.get(paths.Search + "?q=" + p.ID[4:]); a.doc.Find(".link-list a").Length() != 0 {
		t.Error("a token's characters find its profile")
	}
	s.get(paths.Search + "?q=" + url.QueryEscape(`<script>alert(1)</script>"`)).want(http.StatusOK).lacks("main script")
}

func TestUIKeysCanBeSwitchedOff(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	s.login()
	if got := s.get(paths.Settings).doc.Find("body").AttrOr("data-keys", ""); got != "on" {
		t.Errorf("keys are %q", got)
	}
	s.submit(s.get(paths.Settings), "form[action$='/keys']", "", "keys", "off").leads(paths.Settings)
	if got := s.get(paths.Root).doc.Find("body").AttrOr("data-keys", ""); got != "off" {
		t.Errorf("keys are %q", got)
	}
}
