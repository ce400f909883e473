package web

import (
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/executions"
	"github.com/computclaw/airlock/views/browsertest"
	"github.com/computclaw/airlock/views/paths"
)

// TestUILoginAndSearchOnAPhone finds an old run by a word of its output.
func TestUILoginAndSearchOnAPhone(t *testing.T) {
	s := newUISite(t)
	p := s.locked()
	found := s.runs(p, "print the quokka sleeps", app.StatusCompleted)
	s.reaches(app.StatusCompleted, executions.Submission{ProfileID: p.ID, Script: "print nothing of note"})
	b := browsertest.New(t, s.web.URL)
	b.Size(390, 844)
	s.loginIn(b)
	b.Click(".bar button")
	b.Until(`document.querySelector("#more").matches(":popover-open")`)
	b.Click(`#more form[action="/ui/logout"] button`)
	b.Until(`location.pathname === "/ui/login" && document.querySelector("#name")`)
	b.Open(paths.Executions)
	b.Until(`document.querySelector("#name")`)
	b.Type("#name", uiName)
	b.Type("#password", uiPassword)
	b.Click("form .primary")
	b.Heading("Executions") // where they were going
	b.Until(`document.querySelectorAll("#list tbody tr").length === 2`)
	b.Type("#text", "quokka")
	b.Click("form.filter .button:not(.quiet)")
	b.Until(`document.querySelectorAll("#list tbody tr").length === 1`)
	b.Says("#list mark", "quokka")
	picture(b, "history-390")
	if got := b.Text(`document.documentElement.scrollWidth`); got != "390" {
		t.Errorf("the page is %s wide", got)
	}
	b.Click("#list tbody a")
	b.Until(`location.pathname === ` + browsertest.Quoted(paths.ExecutionURL(found.Handle)))
	b.Says("#stdout-text", "the quokka sleeps")
}

// TestUIFreshPersonOnAPhone gets from link and admin token to a locked profile in 15 taps.
func TestUIFreshPersonOnAPhone(t *testing.T) {
	s := newUISiteWithoutPeople(t)
	p := s.requestOfThree()
	b := browsertest.New(t, s.web.URL)
	b.Size(390, 844)
	taps := 0
	tap := func(selector string) {
		taps++
		b.Click(selector)
	}
	fill := func(selector, text string) {
		tap(selector)
		b.Text(`document.activeElement.setRangeText(` + browsertest.Quoted(text) + `)`) // as pasting does, lines too
	}
	b.Open(paths.ProfileURL(p.Handle))
	fill("#token", uiToken)
	tap("form .primary")
	b.Heading("Create your account")
	fill("#name", uiName)
	fill("#password", uiPassword)
	fill("#password-again", uiPassword)
	tap("form .primary")
	b.Heading("Monthly revenue report")
	fill(`#value\.ORACLE_PASSWORD`, uiSecrets()[0])
	tap(`label:has([name="mode.ORACLE_PASSWORD"][value=injected])`)
	fill(`#value\.SIMPHONY_API_KEY`, uiSecrets()[1])
	fill(`#value\.SIGNING_KEY`, uiPEM)
	tap(`label:has([name="mode.SIGNING_KEY"][value=injected])`)
	tap(`[name="allow.0"]`)
	tap(`[name="allow.1"]`)
	tap(".lock .primary")
	b.Heading("Lock Monthly revenue report")
	b.Says(".sentences", "SIGNING_KEY is injected")
	b.Until(`document.activeElement.id === "main"`) // then the page has scrolled to its top
	tap(".lock button.primary")
	b.Says(".state", "Locked")
	if taps != 15 {
		t.Errorf("%d taps", taps)
	}
	if got := s.value("SIGNING_KEY"); got != uiPEM {
		t.Errorf("stored %q", got)
	}
}
