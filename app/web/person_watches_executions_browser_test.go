package web

import (
	"net"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/app/executions"
	"github.com/computclaw/airlock/app/runner"
	"github.com/computclaw/airlock/views/browsertest"
	"github.com/computclaw/airlock/views/format"
	"github.com/computclaw/airlock/views/paths"
)

// entered is a browser behind the login.
func entered(t *testing.T, s *uiSite) *browsertest.Browser {
	t.Helper()
	b := browsertest.New(t, s.web.URL)
	s.loginIn(b)
	return b
}

func (s *uiSite) submits(p app.Profile, script string) app.Execution {
	s.t.Helper()
	x, _, err := s.engine.Submitter.Submit(s.t.Context(),
		executions.Submission{ProfileID: p.ID, Script: script, By: app.Actor{Kind: app.ActorAgent}})
	s.must(err)
	return x
}

// TestFlowFilterAndPage keeps conditions in the address, pages back and forth, and marks wrong
// conditions.
func TestFlowFilterAndPage(t *testing.T) {
	s, p, _, bad := history(t)
	for range 55 {
		s.runs(p, "print x", app.StatusCompleted)
	}
	b := entered(t, s)
	b.Click(`.rail a[href="/ui/executions"]`)
	b.Heading("Executions")
	b.Until(`document.querySelectorAll("#list tbody tr").length === 50`)
	b.Click(`#list a[rel=next]`)
	b.Until(`location.search.includes("before=") && document.querySelectorAll("#list tbody tr").length === 7`)
	b.Back()
	b.Until(`location.search === "" && document.querySelectorAll("#list tbody tr").length === 50`)
	b.Text(`(e => { e.value = "error"; e.dispatchEvent(new Event("change",
		{ bubbles: true })); })(document.querySelector("#status"))`)
	b.Until(`location.search.includes("status=error") && document.querySelectorAll("#list tbody tr").length === 1`)
	b.Type("#text", "KeyError"+kb.Enter)
	b.Until(`location.search.includes("text=KeyError") && document.querySelectorAll("#list tbody tr").length === 1`)
	b.Click("#list tbody a")
	b.Heading("Execution " + format.ShortHandle(bad.Handle))
	b.Back()
	b.Until(`document.querySelector("#text")?.value === "KeyError" &&
		document.querySelector("#status").value === "error"`)
	b.Expect("answer 422")
	b.Expect("422 (Unprocessable Entity)")
	b.Open(paths.Executions + "?from=2026-12-01&to=2026-11-01")
	b.Says("#to-wrong", "before the first one")
}

// TestFlowWatchARun that asks the LLM: refreshes keep open rows, scroll position and typed text.
func TestFlowWatchARun(t *testing.T) {
	s, p, _, _ := history(t)
	b := entered(t, s)
	x := s.submits(p, "print "+strings.Repeat("line ", 1500)+"\nask Which one?\nprint after")
	b.Open(paths.ExecutionURL(x.Handle))
	b.Says("#answer pre", "Which one?")
	b.Click("#answer summary")
	b.Type("#response", "The sec")
	b.Text(`(document.querySelector("#stdout .code").scrollTop = 40,
		window.kept = document.querySelector("#response"))`)
	_, err := s.engine.Controller.Respond(t.Context(), x.ID,
		runner.Answer{Text: "Somebody else's", By: app.Actor{Kind: app.ActorAgent}})
	s.must(err)
	b.Says(".verdict .state", "Completed")
	b.Says("#llm", "Somebody else's")
	b.Until(`document.querySelector("#stdout .code").scrollTop === 40`)
}

// TestFlowOpenRowsStay unfolded and selected over a refresh.
func TestFlowOpenRowsStay(t *testing.T) {
	s, p, _, _ := history(t)
	b := entered(t, s)
	b.Click("#numbers summary")
	b.Until(`document.querySelector("#numbers").open`)
	s.runs(p, "print x", app.StatusCompleted)
	b.Says(".figures", "3")
	b.Until(`document.querySelectorAll("#recent tbody tr").length === 3 && document.querySelector("#numbers").open`)
	b.Text(`document.querySelector("#recent tbody a").focus()`)
	focused := b.Text(`document.activeElement.getAttribute("href")`)
	s.runs(p, "print x", app.StatusCompleted)
	b.Until(`document.querySelectorAll("#recent tbody tr").length === 4 &&
		document.activeElement.getAttribute("href") === ` + browsertest.Quoted(focused))
}

// TestFlowTwoTabs: each shows the other's changes, counts included.
func TestFlowTwoTabs(t *testing.T) {
	s := newUISite(t)
	b := entered(t, s)
	other := b.Tab()
	other.Open(paths.Inbox)
	other.Says("#inbox", "You're all caught up")
	p := s.request([]app.Key{{Name: "ORACLE_PASSWORD"}})
	other.Says("#inbox", "asks for 1 key")
	other.Until(`document.querySelector("#waiting-rail").classList.contains("count")`)
	b.Open(paths.ProfileURL(p.Handle))
	_, err := s.access.Lifecycle.Revoke(t.Context(), s.person, p.Handle)
	s.must(err)
	other.Says("#inbox", "You're all caught up")
	other.Until(`!document.querySelector("#waiting-rail").classList.contains("count")`)
	other.Open(paths.Credentials)
	other.Says("#credentials", "No credentials yet")
	_, err = s.access.Credentials.Set(t.Context(), s.person,
		credentials.Input{Name: "FROM_THE_OTHER", Mode: app.ModePlain, Value: app.NewSecret("x")})
	s.must(err)
	other.Says("#credentials", "FROM_THE_OTHER")
}

// TestExecutionOnAPhone: result, output, failing line and comparison.
func TestExecutionOnAPhone(t *testing.T) {
	s, p, good, _ := history(t)
	b := entered(t, s)
	b.Size(390, 844)
	b.Open(paths.ExecutionURL(good.Handle))
	b.Until(`document.documentElement.scrollWidth <= innerWidth`)
	// The index follows reading, and ids can be copied without a clipboard API.
	b.Until(`document.querySelector("#manifest").scrollIntoView(),
		document.querySelector('.index a[aria-current=location]')?.hash === "#manifest"`)
	b.Until(`document.querySelector("#script").scrollIntoView(),
		document.querySelector('.index a[aria-current=location]')?.hash === "#script"`)
	b.Click("[data-copy=handle]")
	b.Until(`document.querySelector("[data-copy=handle]").classList.contains("done")`)
	b.Click(`a[href$="/compare"]`)
	b.Heading("Compare")
	b.Until(`document.documentElement.scrollWidth <= innerWidth`)
	fails := s.runs(p, "print x\nfail KeyError", app.StatusError)
	b.Open(paths.ExecutionURL(fails.Handle))
	b.Click(`.failure summary`)
	b.Click(`.failure .trace a`)
	b.Until(`location.hash === "#line-2"`)
	b.Click(`.bar button`)
	b.Click(`#more a[href="/ui/audit"]`)
	b.Heading("Audit")
}

// TestFlowWithoutScripts: look, filter, page, unfold, answer.
func TestFlowWithoutScripts(t *testing.T) {
	s, p, _, bad := history(t)
	for range 55 {
		s.runs(p, "print x", app.StatusCompleted)
	}
	b := browsertest.New(t, s.web.URL)
	b.Scripts(false)
	s.loginIn(b)
	b.Click("#day a")
	b.Heading("Statistics")
	b.Click("#numbers summary")
	b.Until(`document.querySelector("#numbers table").checkVisibility()`)
	b.Click(`.segmented a[href$="30d"]`)
	b.Says(".axis", "30 days ago")
	b.Click(`.rail a[href="/ui/executions"]`)
	b.Click(`#list a[rel=next]`)
	b.Until(`location.search.includes("before=")`)
	b.Open(paths.Executions + "?status=error")
	b.Click("#list tbody a")
	b.Heading("Execution " + format.ShortHandle(bad.Handle))
	x := s.submits(p, "ask Which one?")
	_, err := s.engine.Reader.Await(t.Context(), x, 20*time.Second) // until it asks
	s.must(err)
	b.Open(paths.ExecutionURL(x.Handle))
	b.Click("#answer summary")
	b.Type("#response", "The second")
	b.Click("#answer .primary")
	b.Says(".notice[role=status]", "The answer was sent")
	_, err = s.engine.Reader.Await(t.Context(), x, 20*time.Second) // until its end
	s.must(err)
	b.Open(paths.ExecutionURL(x.Handle))
	b.Says("#llm", "The second")
	b.Click(`.rail a[href="/ui/audit"]`)
	b.Click(`.chain button`)
	b.Says(".notice[role=status]", "The whole audit log was checked")
}

// TestFlowRestart: the page says when it is out of date, and is live again after a restart or
// sleep. Open rows, focus and place stay.
func TestFlowRestart(t *testing.T) {
	s, p, _, _ := history(t)
	b := entered(t, s)
	b.Size(1280, 500)
	b.Until(`document.getElementById("live")?._htmx?.sse?.reader`)
	b.Click("#numbers summary")
	b.Until(`document.querySelector("#numbers").open`)
	b.Text(`(document.querySelector("#recent tbody a").focus({preventScroll: true}), scrollTo(0, 120))`)
	held := `[document.querySelector("#numbers").open, document.activeElement.getAttribute("href"), scrollY].join(" ")`
	before := b.Text(held)
	for _, part := range []string{"ERR_", "sse:error", "Failed to fetch"} {
		b.Expect(part)
	}
	address := s.web.Listener.Addr().String()
	s.server.Drain()
	s.web.Close()
	b.Says("#page-alert", "may be out of date")
	s.configure(func(*Config) {})
	s.web = httptest.NewUnstartedServer(s.server.Handler())
	s.must(s.web.Listener.Close())
	var err error
	s.web.Listener, err = net.Listen("tcp", address)
	s.must(err)
	s.web.Start()
	b.Until(`document.getElementById("page-alert").hidden`)
	s.runs(p, "print x", app.StatusCompleted)
	b.Says(".figures", "3")
	b.Until(`document.querySelectorAll("#recent tbody tr").length === 3`)
	if after := b.Text(held); after != before {
		t.Errorf("open, focus and scroll were %q and are %q", before, after)
	}
	// After sleep the clock has jumped and the connection may be silently dead.
	b.Text(`(document.addEventListener("htmx:sse:after:message", (e) => { if (e.detail?.message?.event === "connected") window.again = true; }),
		(real => { Date.now = () => real() + 3600000; })(Date.now))`)
	b.Until(`window.again && document.getElementById("page-alert").hidden`)
	s.runs(p, "print x", app.StatusCompleted)
	b.Says(".figures", "4")
	if after := b.Text(held); after != before {
		t.Errorf("after the sleep open, focus and scroll are %q", after)
	}
}
