package web

import (
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/executions"
	"github.com/computclaw/airlock/views/browsertest"
	"github.com/computclaw/airlock/views/paths"
)

// TestUIInABrowser walks the main path by mouse and keyboard over plain HTTP.
func TestUIInABrowser(t *testing.T) {
	s := newUISite(t)
	b := browsertest.New(t, s.web.URL)
	b.Open(paths.Root)
	b.Type("#name", uiName)
	b.Type("#password", uiPassword)
	b.Click("form .primary")
	b.Heading("Overview")

	// The copy button works without a clipboard API.
	b.Click("[data-copy=invitation]")
	b.Until(`document.querySelector("[data-copy=invitation]").classList.contains("done")`)
	b.Until(`!document.querySelector("[data-copy=invitation]").classList.contains("done")`)
	// TestCopiedStaysWhileThePageChanges: a refresh keeps the "copied" notice.
	b.Text(`(window.changed = 0, document.addEventListener("htmx:after:swap",
		(e) => { if (e.target.id === "overview") changed++; }),
			document.querySelector("[data-copy=invitation]").classList.add("done"),
				document.body.dispatchEvent(new Event("sandbox")))`)
	b.Until(`changed > 0`)
	b.Until(`document.querySelector("[data-copy=invitation]").matches(".done")`)

	b.Click(`.rail a[href="/ui/credentials"]`)
	b.Heading("Credentials")
	b.Click(`.head .primary`)
	b.Heading("Add a credential")
	b.Type("#name", "ORACLE_PASSWORD")
	b.Type("#value", uiSecrets()[0])
	b.Until(`document.querySelector("[value=sealed]").checked &&
		document.querySelector("[name='place.query']").checkVisibility()`)
	b.Click("[value=injected]")
	b.Until(`!document.querySelector("[name='place.query']").checkVisibility()`) // those are for sealed values
	b.Click(".foot .primary")
	b.Heading("Credentials")
	b.Until(`document.querySelector(".notice[role=status]")?.innerText.includes("added")`)

	b.Click(`.rail a[href="/ui/profiles"]`)
	b.Heading("Profiles")
	p := s.request([]app.Key{{Name: "ORACLE_PASSWORD", Description: "To read revenue"}, {Name: "ORACLE_DSN"}},
		"db.example.com:1521")
	b.Until(`document.querySelector("#profiles")?.innerText.includes("Monthly revenue report")`)
	b.Click(`#profiles a[href="` + paths.ProfileURL(p.Handle) + `"]`)
	b.Heading("Monthly revenue report")
	b.Until(`document.querySelector("#pairing").innerText === ` + browsertest.Quoted(p.PairingCode))
	b.Type(`#value\.ORACLE_DSN`, uiSecrets()[1])
	b.Click(`[name="mode.ORACLE_DSN"][value=injected]`)
	b.Click(`[name="allow.0"]`)

	// The agent changes its request: the form stays and says so.
	_, err := s.access.Hosts.Propose(t.Context(), app.Actor{Kind: app.ActorAgent}, p.Handle,
		[]app.Host{{Name: "late.example.com"}})
	s.must(err)
	b.Until(`document.querySelector("[data-changed]").hidden === false`)
	b.Until(`document.querySelector("#value\\.ORACLE_DSN").value === ` + browsertest.Quoted(uiSecrets()[1]))
	b.Click(`.lock .primary`)
	b.Heading("Lock Monthly revenue report")
	b.Until(`document.querySelector(".sentences").
		innerText.includes("Scripts can reach db.example.com on port 1521 over raw TCP")`)
	b.Click(`.lock button.primary`)
	b.Click(`.tabs a:last-child`)
	b.Until(`document.querySelector("#profile-id")?.checkVisibility() === false`) // masked
	b.Click(`.masked:has(#profile-id) summary`)
	b.Until(`document.querySelector("#profile-id")?.innerText === ` + browsertest.Quoted(p.ID))

	// Executions appear and change by themselves.
	b.Click(`.rail a[href="/ui/executions"]`)
	b.Heading("Executions")
	_, _, err = s.engine.Submitter.Submit(t.Context(),
		executions.Submission{ProfileID: p.ID, Script: "print hello.\nask Which one?", By: app.Actor{Kind: app.ActorAgent}})
	s.must(err)
	b.Until(`document.querySelector("#list")?.innerText.includes("Waiting for LLM")`)
	b.Click(`#list tbody a`)
	b.Until(`document.querySelector("#answer pre")?.innerText === "Which one?"`)
	b.Until(`document.querySelector("#stdout-text")?.innerText.includes("hello.")`)
	b.Click("#answer summary")
	b.Type("#response", "The second")
	b.Click("#answer .primary")
	b.Until(`document.querySelector(".verdict .state")?.innerText.trim() === "Completed"`)
	b.Until(`document.querySelector("#stdout-text")?.innerText.includes("answer: The second")`)

	// The overview follows too, and stays whole.
	b.Click(`.rail a[href="/ui"]`)
	b.Heading("Overview")
	b.Until(`document.querySelector("#recent")?.innerText.includes("Completed")`)
	_, _, err = s.engine.Submitter.Submit(t.Context(),
		executions.Submission{ProfileID: p.ID, Script: "print x\nfail KeyError: 'nope'",
			By: app.Actor{Kind: app.ActorAgent}})
	s.must(err)
	b.Until(`document.querySelector("section#recent tbody")?.innerText.includes("Error")`)

	// Cancel asks first, then stops.
	x, _, err := s.engine.Submitter.Submit(t.Context(),
		executions.Submission{ProfileID: p.ID, Script: "hang", By: app.Actor{Kind: app.ActorAgent}})
	s.must(err)
	b.Open(paths.ExecutionURL(x.Handle))
	b.Until(`document.querySelector(".verdict .state")?.innerText.trim() === "Running"`)
	b.Click(`form[data-confirm] button`)
	b.Until(`document.querySelector("#confirm").open`)
	b.Click(`#confirm [value=yes]`)
	b.Until(`document.querySelector(".verdict .state")?.innerText.trim() === "Cancelled"`)

	b.Back()
	b.Until(`localStorage.length === 0 && sessionStorage.length === 0`)

	b.Until(`document.getElementById("live")?._htmx?.sse?.reader`)
	b.Expect("ERR_")
	b.Expect("Failed to fetch")
	s.server.Drain()
	s.web.Close()
	b.Until(`document.getElementById("page-alert").innerText.includes("may be out of date")`)
}
