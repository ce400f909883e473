package web

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/store"
	"github.com/computclaw/airlock/views/paths"
)

// waiting adds scripts of 20 KiB that wait for an approval.
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

// TestTheInboxCountsWhatItLists: the number on every page is that of the Inbox.
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
