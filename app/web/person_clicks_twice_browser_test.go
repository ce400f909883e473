package web

import (
	"testing"

	"github.com/computclaw/airlock/views/browsertest"
	"github.com/computclaw/airlock/views/paths"
)

// TestFlowPartThatFails: a failed refresh keeps the old part and adds a line, not an error page.
func TestFlowPartThatFails(t *testing.T) {
	s, p, _, _ := history(t)
	b := entered(t, s)
	nudge := `document.body.dispatchEvent(new Event("executions"))`
	// The list was answered with a page that contains the same list.
	b.Expect("answer 422")
	b.Expect("status of 422")
	b.Open(paths.Executions)
	b.Until(`document.getElementById("live")?._htmx?.sse?.reader`)
	b.Text(`document.querySelector("#list").setAttribute("hx-get", ` +
		browsertest.Quoted(paths.Executions+"?from=2026-12-01&to=2026-11-01") + `)`)
	b.Text(nudge)
	b.Says("#page-alert", "couldn't be updated")
	b.Until(`document.querySelectorAll("main").length === 1 && document.querySelectorAll("#list").length === 1 &&
		document.querySelectorAll("#list tbody tr").length === 2`)

	// The page of something that is gone.
	b.Open(paths.ProfileURL(p.Handle))
	b.Until(`document.getElementById("live")?._htmx?.sse?.reader`)
	b.Until(`document.querySelectorAll("#runs tbody tr").length === 2`)
	_, err := s.access.Lifecycle.Revoke(t.Context(), s.person, p.Handle)
	s.must(err)
	b.Expect("answer 404")
	b.Expect("status of 404")
	s.must(s.access.Profiles.Delete(t.Context(), s.person, p.Handle))
	b.Text(nudge)
	b.Says("#page-alert", "couldn't be updated")
	b.Until(`document.querySelectorAll("main").length === 1 && document.querySelectorAll("#live").length === 1 &&
		document.querySelectorAll("#runs tbody tr").length === 2`)
}

// asking counts a tab's requests to addresses with this ending: asked, and over when finished.
func asking(b *browsertest.Browser, end string) {
	b.Text(`(real => {
		window.asked = window.over = 0;
		window.fetch = (url, how) => {
			if (!String(url).endsWith(` + browsertest.Quoted(end) + `) || !how.headers["HX-Boosted"]) return real(url, how);
			window.asked++;
			return (window.hold || Promise.resolve()).then(() => real(url, how));
		};
		document.addEventListener("htmx:finally:request", ({ detail: { ctx: { request } } }) => {
			if (request.action.endsWith(` + browsertest.Quoted(end) + `) && request.headers["HX-Boosted"]) window.over++;
		});
	})(window.fetch)`)
}

// TestFlowDoubleClick runs a script once and adds one step of history.
func TestFlowDoubleClick(t *testing.T) {
	s, _, good, _ := history(t)
	b := entered(t, s)
	b.Open(paths.ExecutionURL(good.Handle))
	b.Until(`document.querySelector("#rerun form")?._htmx`)
	asking(b, "/rerun")
	b.Text(`(form => { form.requestSubmit(); form.requestSubmit(); })(document.querySelector("#rerun form"))`)
	b.Says(".toast", "again")
	b.Until("window.over > 0")
	if got := b.Text("window.asked"); got != "1" {
		t.Errorf("a double click ran the script %s times", got)
	}
	b.Until(`document.querySelector('.rail a[href="/ui/audit"]')?._htmx`)
	asking(b, "/audit")
	b.Text(`(link => { link.click(); link.click(); })(document.querySelector('.rail a[href="/ui/audit"]'))`)
	b.Heading("Audit")
	b.Until("window.over > 0")
	if got := b.Text("window.asked"); got != "1" {
		t.Errorf("a double click went to the page %s times", got)
	}
}

// TestFlowElsewhereMeanwhile: a late page doesn't replace one requested after it.
func TestFlowElsewhereMeanwhile(t *testing.T) {
	s, _, _, _ := history(t)
	b := entered(t, s)
	b.Until(`document.querySelector('.rail a[href="/ui/executions"]')?._htmx`)
	asking(b, paths.Executions)
	b.Text(`(window.hold = new Promise((go) => { window.go = go; }), "")`)
	b.Click(`.rail a[href="/ui/executions"]`)
	b.Until("window.asked === 1")
	b.Click(`.rail a[href="/ui/inbox"]`)
	b.Heading("Inbox")
	b.Text("window.go()")
	b.Until("window.over === 1")
	if got := b.Text(`location.pathname + " " + document.querySelector("h1").innerText`); got != "/ui/inbox Inbox" {
		t.Errorf("what was left behind came back: %s", got)
	}
}
