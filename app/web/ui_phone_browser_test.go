package web

import (
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/executions"
	"github.com/computclaw/airlock/views/browsertest"
	"github.com/computclaw/airlock/views/paths"
)

// TestUIDoorAndSearchOnAPhone: with a thumb a person logs out and in again, and finds an old run by
// a word of its output.
func TestUIDoorAndSearchOnAPhone(t *testing.T) {
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
