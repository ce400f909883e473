package web

import (
	"net/http"
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/paths"
)

func TestUIRevokeAndUndo(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	s.login()
	p := s.locked()
	s.get(paths.ProfileURL(p.Handle)).lacks(".undo")
	ask := s.get(paths.At(paths.ProfileRevoke, p.Handle)).want(http.StatusOK).says(".sentences",
		"For ten minutes you can undo it")
	s.submit(ask, "main form", "").leads(paths.ProfileURL(p.Handle))
	page := s.get(paths.ProfileURL(p.Handle)).says(".undo", "Running scripts were stopped.").says(".state", "Revoked")
	if a := s.get("/profiles/" + p.ID); a.status == http.StatusOK {
		t.Log("an agent may still read a revoked profile")
	}
	s.submit(page, ".undo form", "").leads(paths.ProfileURL(p.Handle))
	s.get(paths.ProfileURL(p.Handle)).says(".state", "Locked").says(".notice[role=status]",
		"Revocation undone.").lacks(".undo")
	s.runs(p, "print hello", app.StatusCompleted)
	s.submit(page, ".undo form", "").want(http.StatusUnprocessableEntity).says(".errors", "is not revoked")
	s.submit(ask, "main form", "").leads(paths.ProfileURL(p.Handle))
	s.post(paths.At(paths.ProfileEdit, p.Handle), "name", "Another name").leads(paths.ProfileURL(p.Handle) + "?tab=settings")
	s.get(paths.ProfileURL(p.Handle)).lacks(".undo")
	s.submit(page, ".undo form", "").want(http.StatusUnprocessableEntity).says(".errors",
		"has changed since it was revoked")
	s.get(paths.Audit).says("tbody", "Revocation undone")
}

// TestUIDeletingAProfileAsksForItsName with scripts and without.
func TestUIDeletingAProfileAsksForItsName(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	s.login()
	p := s.locked()
	ask := s.get(paths.At(paths.ProfileDelete, p.Handle)).want(http.StatusOK).says("label[for=typed]",
		"Type Monthly revenue report to confirm")
	for _, wrong := range []string{"", "Monthly", p.Handle} {
		s.submit(ask, "main form", "", "typed", wrong).want(http.StatusUnprocessableEntity).says("#typed-wrong",
			"That is not its name.").says(".sentences", "This can't be undone.")
	}
	s.get(paths.ProfileURL(p.Handle)).want(http.StatusOK)
	// as a phone's keyboard has it
	s.submit(ask, "main form", "", "typed", "monthly revenue  report ").leads(paths.Profiles)
	s.get(paths.ProfileURL(p.Handle)).want(http.StatusNotFound)

	long, err := s.access.Profiles.Create(t.Context(), s.person, strings.Repeat("A long name ", 6))
	s.must(err)
	ask = s.get(paths.At(paths.ProfileDelete, long.Handle)).says("label[for=typed]",
		"Type "+long.Handle[:8]+" to confirm")
	s.submit(ask, "main form", "", "typed", long.Handle[:8]).leads(paths.Profiles)
}

func TestUIDuplicate(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	s.login()
	p := s.locked()
	to := s.post(paths.At(paths.ProfileCopy, p.Handle)).want(http.StatusSeeOther).header.Get("Location")
	copied := s.get(to).want(http.StatusOK).says("h1", "Copy of Monthly revenue report").says(".state",
		"Being set up").says(".notice[role=status]", "Profile duplicated.")
	if copied.doc.Find("form[action$='/setup']").Length() != 1 || to == paths.ProfileURL(p.Handle) {
		t.Error("it is not a form of its own")
	}
	s.post(paths.At(paths.ProfileCopy, "none")).want(http.StatusNotFound)
}

func TestUIProfileList(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	s.login()
	s.get(paths.Profiles).lacks(".search-form")
	p := s.locked()
	for range 3 {
		s.runs(p, "print hello", app.StatusCompleted)
	}
	s.runs(p, "fail KeyError: 'nope'", app.StatusError)
	s.request([]app.Key{{Name: "ORACLE_DSN"}}, "db.example.com")
	page := s.get(paths.Profiles).want(http.StatusOK).says(".beats .visually-hidden", "Last 4 executions: 3 completed, 1 error")
	if n := page.doc.Find("tbody tr").Length(); n != 2 {
		t.Errorf("%d rows", n)
	}
	for query, rows := range map[string]int{"?state=locked": 1, "?state=revoked": 0, "?q=oracle_dsn": 1,
		"?q=DB.EXAMPLE+revenue": 1, "?q=" + p.ID: 0, "?q=" + p.ID[4:12]: 0, "?q=&state=": 2,
		"?state=unlocked&q=dsn": 1} {
		a := s.get(paths.Profiles + query).want(http.StatusOK)
		if n := a.doc.Find("tbody tr").Length(); n != rows {
			t.Errorf("%s: %d rows, want %d", query, n, rows)
		}
		if rows == 0 {
			a.says(".empty h2", "No profile matches")
		}
	}
	one := s.get(paths.ProfileURL(p.Handle)).says("#beats", "3 completed, 1 error")
	if n := one.doc.Find("#beats .beat").Length(); n != 4 {
		t.Errorf("%d ticks", n)
	}
	if href := one.doc.Find("#beats .beat.error").AttrOr("href",
		""); href == "" || s.get(href).status != http.StatusOK {
		t.Errorf("a tick leads to %q", href)
	}
}

// TestUIHostsLeftOutAtTheLockAreDecided: the summary names them; nobody is asked again.
func TestUIHostsLeftOutAtTheLockAreDecided(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	s.login()
	p := s.request(nil, "api.example.com", "other.example.com")
	s.submit(s.get(paths.ProfileURL(p.Handle)), "form[action$='/setup']", "review", "allow.0",
		"yes").leads(paths.At(paths.ProfileLock, p.Handle))
	lock := s.get(paths.At(paths.ProfileLock, p.Handle)).says(".left-out",
		"Requested but not allowed: other.example.com.")
	s.submit(lock, ".lock form", "").leads(paths.ProfileURL(p.Handle))
	s.get(accessOf(p)).lacks("#requests").says(".sentences", "api.example.com")
	s.get(paths.Inbox).says("#inbox", "You're all caught up")
}
