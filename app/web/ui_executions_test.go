package web

import (
	"net/http"
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
		says("#result-text", `{ "a": [ 2 ], "b": 1 }`).says(".verdict", "fake, full").says("#network",
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
	x, err = s.engine.Reader.ByHandle(t.Context(), runs.Handle)
	s.must(err)
	if !x.Status.Terminal() {
		t.Errorf("it still runs after the revocation: %s", x.Status)
	}
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
	s.server.Drain() // ends the stream, so a shutdown doesn't wait for it
	for buf := make([]byte, 4096); ; {
		if _, err := res.Body.Read(buf); err != nil {
			return
		}
	}
}
