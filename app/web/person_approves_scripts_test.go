package web

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/paths"
)

// TestAPersonDecidesAboutAScript: from the profile's rule through the Inbox to the diff and the
// decision.
func TestAPersonDecidesAboutAScript(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	s.login()
	p := s.locked()
	page := s.get(paths.ProfileURL(p.Handle)+"?tab=settings").says("#edit", "What may run")
	s.submit(page, "#edit form[action$='/edit']", "", "may_run", "approved_scripts")
	s.get(paths.ProfileURL(p.Handle)+"?tab=access").says("main", "Runs only scripts and skills that a person approved.")

	first := s.submits(p, "print one\nresult 1")
	if first.Status != app.StatusAwaitingApproval {
		t.Fatalf("submitted as %s", first.Status)
	}
	inbox := s.get(paths.Inbox).says("#inbox", "A script waits for your approval")
	s.get(paths.ExecutionURL(first.Handle)).says(".verdict .state", "Waiting for approval")
	link := inbox.doc.Find("#inbox a.button").AttrOr("href", "")
	review := s.get(link).want(http.StatusOK).says("#script-text", "print one").lacks("#diff")
	s.submit(review, "#approve form", "always").leads(link)
	s.until(first, app.StatusCompleted)
	s.get(link).says("main", "Approved always")

	second := s.submits(p, "print two\nresult 1")
	link = s.get(paths.Inbox).doc.Find("#inbox a.button").AttrOr("href", "")
	review = s.get(link).says("#diff .removed", "print one").says("#diff .added", "print two")
	s.submit(review, "#refuse form", "", "reason", " ").want(http.StatusUnprocessableEntity).says("#reason-wrong", "empty")
	s.submit(review, "#refuse form", "", "reason", "It prints the wrong number.").leads(link)
	if x := s.until(second, app.StatusCancelled); !strings.Contains(x.Error, "It prints the wrong number.") {
		t.Errorf("the agent reads %q", x.Error)
	}
	s.get(link).says("main", "Refused").says("main", "It prints the wrong number.")
	s.get(paths.Approvals).says("#approvals", "Refused").says("#approvals", "Approved always")
	s.get(paths.Inbox).says("#inbox", "You're all caught up")
	s.get(paths.Executions + "?status=awaiting_approval").want(http.StatusOK)
	s.get(paths.ApprovalURL("nosuchapproval")).want(http.StatusNotFound)
}

// until waits for an end.
func (s *uiSite) until(x app.Execution, status app.Status) app.Execution {
	s.t.Helper()
	x, err := s.engine.Reader.Await(s.t.Context(), x, 20*time.Second)
	s.must(err)
	if x.Status != status {
		s.t.Fatalf("status %s, want %s: %s", x.Status, status, x.Error)
	}
	return x
}
