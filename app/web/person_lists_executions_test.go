package web

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/executions"
	"github.com/computclaw/airlock/views/paths"
)

func TestUIExecutions(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	s.login()
	s.get(paths.Executions).want(http.StatusOK).says(".empty", "No executions yet")
	p := s.locked()
	good := s.runs(p, "print hello there\nresult {\"b\":1,\"a\":[2]}", app.StatusCompleted)
	bad := s.runs(p, "print x\nfail KeyError: 'nope'\nprint y", app.StatusError)
	asks := s.runs(p, "ask Which one?", app.StatusAwaitingLLM)

	list := s.get(paths.Executions).want(http.StatusOK).says("tbody", "Completed").says("tbody",
		"Waiting for LLM").says("tbody .message", "KeyError: 'nope'")
	if n := list.doc.Find("tbody tr").Length(); n != 3 {
		t.Errorf("%d rows", n)
	}
	if n := s.get(paths.Executions + "?status=completed&profile=" + p.Handle).doc.Find("tbody tr").Length(); n != 1 {
		t.Errorf("%d completed rows", n)
	}
	s.get(paths.Executions + "?status=odd").want(http.StatusBadRequest)
	part := s.part(paths.Executions)
	if part.doc.Find("tbody tr").Length() != 3 || part.doc.Find("h1, form").Length() != 0 {
		t.Errorf("the part is not the list alone: %.200s", part.text)
	}

	s.get(paths.ExecutionURL(good.Handle)).want(http.StatusOK).says(".verdict .state", "Completed").says("#stdout-text",
		"hello there").
		says("#result-text", `{ "b": 1, "a": [ 2 ] }`).says(".verdict", "fake, full").says("#network",
		"no connection").lacks("main .button.danger")
	a := s.get(paths.ExecutionURL(bad.Handle)).want(http.StatusOK).says(".why", "KeyError: 'nope'")
	if got := a.doc.Find(".lines .failing").AttrOr("id", ""); got != "line-2" {
		t.Errorf("the failing line is %q", got)
	}

	page := s.get(paths.ExecutionURL(asks.Handle)).says("#answer", "Which one?").says(".verdict",
		"Answer due in").says(".verdict", "paused")
	if end, err := time.Parse(time.RFC3339Nano, page.doc.Find(".verdict time[data-left]").AttrOr("datetime", "")); err != nil ||
		end.Before(time.Now().Add(9*time.Minute)) || end.After(time.Now().Add(11*time.Minute)) {
		t.Errorf("the question ends at %v: %v", end, err)
	}
	if strings.Contains(page.text, asks.ID) || strings.Contains(page.text, p.ID) {
		t.Error("the page shows a token")
	}
	s.submit(page, "#answer form", "answer", "response", "").want(http.StatusUnprocessableEntity).
		says("#response-wrong",
			"The answer is empty")
	s.submit(page, "#answer form", "answer", "response", "The second").leads(paths.ExecutionURL(asks.Handle))
	x, err := s.engine.Reader.Await(t.Context(), asks, 20*time.Second)
	s.must(err)
	if x.Status != app.StatusCompleted {
		t.Fatalf("status %s: %s", x.Status, x.Error)
	}
	s.get(paths.ExecutionURL(asks.Handle)).says("#llm", "The second").says("#llm", uiName).says("#stdout-text",
		"answer: The second false")
	s.submit(page, "#answer form", "answer", "response", "Again").want(http.StatusUnprocessableEntity).says(".errors",
		"no longer waits")

	hangs := s.runs(p, "hang", app.StatusRunning)
	s.submit(s.get(paths.ExecutionURL(hangs.Handle)), "form[action$='/cancel']",
		"").leads(paths.ExecutionURL(hangs.Handle))
	s.get(paths.ExecutionURL(hangs.Handle)).says(".verdict .state", "Cancelled")
	s.post(paths.At(paths.ExecutionCancel, hangs.Handle)).leads(paths.ExecutionURL(hangs.Handle))

	// Revoking ends what runs; deleting keeps the history.
	runs := s.runs(p, "hang", app.StatusRunning)
	s.post(paths.At(paths.ProfileRevoke, p.Handle)).leads(paths.ProfileURL(p.Handle))
	within(t, "end of what ran", func() bool {
		x, err := s.engine.Reader.ByHandle(t.Context(), runs.Handle)
		return err == nil && x.Status.Terminal()
	})
	s.post(paths.At(paths.ProfileDelete, p.Handle), "typed", "Monthly revenue report").leads(paths.Profiles)
	s.get(paths.ExecutionURL(good.Handle)).want(http.StatusOK).says(".verdict", "(deleted)")
	s.get(paths.ExecutionURL("nosuchhandle")).want(http.StatusNotFound)
}

func TestUIPaging(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	s.login()
	p := s.locked()
	for range 52 {
		s.runs(p, "print x", app.StatusCompleted)
	}
	first := s.get(paths.Executions)
	older := first.doc.Find(".foot a").AttrOr("href", "")
	second := s.get(older).want(http.StatusOK)
	if a, b := first.doc.Find("tbody tr").Length(), second.doc.Find("tbody tr").Length(); a != 50 || b != 2 {
		t.Errorf("%d and %d rows", a, b)
	}
	if first.doc.Find("#list").AttrOr("hx-get", "") == "" || second.doc.Find("#list").AttrOr("hx-get", "") != "" {
		t.Error("the first page is live and the others stand still")
	}
	for i := range 52 {
		_, err := s.access.Profiles.Describe(t.Context(), s.person, p.Handle, "name "+strconv.Itoa(i))
		s.must(err)
	}
	audit := s.get(paths.Audit).want(http.StatusOK).says(".chain", "Audit log verified")
	s.get(audit.doc.Find(".foot a").AttrOr("href", "")).want(http.StatusOK)
}

func TestUIEvents(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	s.login()
	p := s.locked()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.web.URL+paths.Events, nil)
	s.must(err)
	res, err := s.client.Do(r)
	s.must(err)
	defer res.Body.Close()
	if res.Header.Get("Content-Type") != "text/event-stream" || res.Header.Get("X-Accel-Buffering") != "no" {
		t.Errorf("headers %v", res.Header)
	}
	_, _, err = s.engine.Submitter.Submit(t.Context(),
		executions.Submission{ProfileID: p.ID, Script: "print x", By: app.Actor{Kind: app.ActorAgent}})
	s.must(err)
	seen := ""
	for buf := make([]byte, 4096); !strings.Contains(seen, "event: executions\n"); {
		n, err := res.Body.Read(buf)
		s.must(err)
		seen += string(buf[:n])
	}
	if strings.Contains(seen, p.ID) {
		t.Error("the stream carries a token")
	}
	s.server.Drain() // ends the stream
	for buf := make([]byte, 4096); ; {
		if _, err := res.Body.Read(buf); err != nil {
			return
		}
	}
}

// TestUIListSaysWhatRan: rows show the label, the result or first statement, the exception, and
// search hits.
func TestUIListSaysWhatRan(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	s.login()
	p := s.locked()
	row := func(query string, x app.Execution) string {
		page := s.get(paths.Executions + "?" + query).want(http.StatusOK)
		return strings.Join(strings.Fields(page.doc.Find("#x-"+x.Handle+" .message").Text()), " ")
	}
	labelled := s.reaches(app.StatusCompleted, executions.Submission{ProfileID: p.ID, Label: "Month end",
		Script: "import os\nresult {\"total\": 12.50}\nprint the quokka\u00a0sleeps"})
	plain := s.runs(p, "# of the day\nimport httpx\nprint rates", app.StatusCompleted)
	failed := s.runs(p, `fail HTTPStatusError: Client error '401 Unauthorized'\nFor more information check: https://a.test/401`,
		app.StatusError)
	for x, want := range map[*app.Execution]string{
		&labelled: `Month end {"total":12.50}`, &plain: "print rates", &failed: "HTTPStatusError: Client error '401 Unauthorized'",
	} {
		if got := row("", *x); got != want {
			t.Errorf("a row says %q, want %q", got, want)
		}
	}
	s.get(paths.Executions).says(".result-count", "3 executions")
	found := s.get(paths.Executions+"?text=QUOKKA").want(http.StatusOK).says(".result-count", "1 execution")
	if got := found.doc.Find(".message mark").Text(); got != "quokka" {
		t.Errorf("marked is %q", got)
	}
	if got := row("text=quokka", labelled); !strings.Contains(got, "print the quokka sleeps") {
		t.Errorf("the match is shown as %q", got)
	}
	byLabel := s.get(paths.Executions+"?label="+url.QueryEscape("Month end")).says(".result-count", "1 execution")
	if byLabel.doc.Find("#x-"+labelled.Handle).Length() != 1 || byLabel.doc.Find("#label").AttrOr("value", "") != "Month end" ||
		byLabel.doc.Find("details.more-filters[open]").Length() != 1 {
		t.Error("the filter of labels doesn't find, or doesn't show what it looks for")
	}
	if csv := s.get(paths.ExecutionsExport + "?as=csv&label=Month+end").want(http.StatusOK).text; strings.Count(csv, "\n") != 2 ||
		!strings.Contains(csv, "Month end") {
		t.Errorf("the export has %s", csv)
	}
	s.get(paths.Executions+"?label=nothing").says(".empty", "No execution matches")
	s.get(paths.Root).says("#recent .message", "print rates")
	s.get(paths.ProfileURL(p.Handle)).says(".runs .message", "print rates")
}

// approveSkill uploads a skill as an agent and approves it.
func (s *uiSite) approveSkill(p app.Profile, name string, files map[string]string) {
	s.t.Helper()
	s.sendSkill(p, files)
	skill, err := s.engine.Skills.Get(s.t.Context(), name)
	s.must(err)
	v := skill.Versions[0]
	_, err = s.engine.Skills.Approve(s.t.Context(), s.person, name, v.Number, v.Digest)
	s.must(err)
}

// ends waits for the end of an execution.
func (s *uiSite) ends(x app.Execution, err error) app.Execution {
	s.t.Helper()
	s.must(err)
	x, err = s.engine.Reader.Await(s.t.Context(), x, time.Minute)
	s.must(err)
	if !x.Status.Terminal() {
		s.t.Fatalf("%s after a minute", x.Status)
	}
	return x
}

// TestExecutionsTellTheirSkill in lists, search, exports, comparisons and the API. A re-run keeps
// the version.
func TestExecutionsTellTheirSkill(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	s.login()
	p := s.keyed()
	run := func(ref string) app.Execution {
		t.Helper()
		x, _, err := s.engine.Submitter.Submit(t.Context(), executions.Submission{ProfileID: p.ID, Skill: ref,
			Inputs: json.RawMessage(`{"month":"1"}`), By: s.person})
		return s.ends(x, err)
	}
	s.approveSkill(p, "totals", map[string]string{"SKILL.md": totals, "main.py": "set_result(1)"})
	first := run("totals")
	s.approveSkill(p, "totals", map[string]string{"SKILL.md": totals, "main.py": "set_result(2)"})
	second := run("totals")
	again, err := s.engine.Submitter.Rerun(t.Context(), first.Handle, executions.Again{By: s.person})
	again = s.ends(again, err)
	s.runs(p, "print launch", app.StatusCompleted)
	if first.Skill != "totals@1" || second.Skill != "totals@2" || again.Skill != "totals@1" ||
		again.SkillDigest != first.SkillDigest {
		t.Fatalf("ran %s, then %s, and again %s", first.Skill, second.Skill, again.Skill)
	}

	for query, want := range map[string]string{"": "4 executions", "skill=totals": "3 executions",
		"skill=totals@1": "2 executions", "text=totals": "3 executions", "text=launch": "1 execution"} {
		page := s.get(paths.Executions+"?"+query).says(".result-count", want)
		if strings.HasPrefix(query, "skill") && page.doc.Find("details.more-filters[open] #skill").
			AttrOr("value", "") != strings.TrimPrefix(query, "skill=") {
			t.Errorf("%s: the form doesn't show what it looks for", query)
		}
	}
	s.get(paths.Executions).says("#x-"+second.Handle+" .message", "totals@2")
	s.get(paths.Executions+"?skill=total").says(".empty", "No execution matches")
	csv := s.get(paths.ExecutionsExport + "?as=csv&skill=" + url.QueryEscape("totals@2")).want(http.StatusOK).text
	if strings.Count(csv, "\n") != 2 || !strings.Contains(csv, "totals@2") || !strings.Contains(csv, second.SkillDigest) {
		t.Errorf("the export has %s", csv)
	}
	compared := s.get(paths.At(paths.ExecutionCompare, second.Handle)+"?with="+first.Handle).
		says(".compare", "totals@1").says(".compare", "totals@2").says("form", "totals@1: ")
	if row := compared.doc.Find("tr.differs th"); !strings.Contains(row.Text(), "Skill") {
		t.Errorf("what differs: %s", row.Text())
	}

	get := func(query string) (answer struct {
		Executions []struct{ Skill string }
		Next       string
	}) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.web.URL+"/executions?"+query, http.NoBody)
		s.must(err)
		r.Header.Set("Authorization", "Bearer "+p.ID)
		s.must(json.Unmarshal([]byte(s.do(r).want(http.StatusOK).text), &answer))
		return answer
	}
	if got := get("skill=totals@2"); len(got.Executions) != 1 || got.Executions[0].Skill != "totals@2" {
		t.Errorf("%+v", got)
	}
	if got := get("skill=totals&limit=1"); len(got.Executions) != 1 || !strings.Contains(got.Next, "skill=totals") {
		t.Errorf("%+v", got)
	}
}
