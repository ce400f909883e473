package store

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/app"
)

func chain(t *testing.T, s *Store, n int) {
	t.Helper()
	err := s.Write(t.Context(), func(tx *Tx) error {
		for i := range n {
			if err := tx.Audit(t.Context(), app.Event{
				At: time.UnixMilli(int64(1000 + i)), Actor: app.Actor{Kind: app.ActorPerson, Name: "Ann", Address: "192.0.2.1"},
				Action: "profile.lock", Subject: fmt.Sprint("p", i), Detail: "Locked.",
			}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func verify(t *testing.T, s *Store) (broken int64) {
	t.Helper()
	if err := s.Read(t.Context(), func(tx *Tx) (err error) {
		broken, err = tx.VerifyAudit(t.Context())
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return broken
}

func TestAuditChain(t *testing.T) {
	s := open(t)
	chain(t, s, 1005) // more than one page of the walk
	if broken := verify(t, s); broken != 0 {
		t.Fatalf("an untouched chain is broken at %d", broken)
	}
	err := s.Read(t.Context(), func(tx *Tx) error {
		events, err := tx.AuditEvents(t.Context(), 4, 2)
		if err != nil {
			return err
		}
		if len(events) != 2 || events[0].Seq != 3 || events[1].Seq != 2 || events[0].Prev != events[1].Hash {
			t.Errorf("events before 4: %+v", events)
		}
		want := app.Event{
			Seq: 3, At: time.UnixMilli(1002).UTC(), Actor: app.Actor{Kind: app.ActorPerson, Name: "Ann", Address: "192.0.2.1"},
			Action: "profile.lock", Subject: "p2", Detail: "Locked.", Prev: events[1].Hash, Hash: events[0].Hash,
		}
		if diff := cmp.Diff(want, events[0]); diff != "" {
			t.Error(diff)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestAuditNoticesEveryChange(t *testing.T) {
	for _, c := range []struct {
		sql    string
		broken int64
	}{
		{"UPDATE audit_events SET detail = 'Revoked.' WHERE seq = 3", 3},
		{"UPDATE audit_events SET at = at + 1 WHERE seq = 3", 3},
		{"UPDATE audit_events SET actor_name = 'Bob' WHERE seq = 3", 3},
		{"UPDATE audit_events SET actor_name = '', actor_address = 'Ann192.0.2.1' WHERE seq = 3", 3},
		{"UPDATE audit_events SET hash = 'x' WHERE seq = 3", 3},
		{"DELETE FROM audit_events WHERE seq = 3", 3},
		{"DELETE FROM audit_events WHERE seq = 1", 1},
		{"DELETE FROM audit_events WHERE seq >= 5", 5},
		{"DELETE FROM audit_events", 1},
	} {
		s := open(t)
		chain(t, s, 5)
		if err := s.writer.Exec("DROP TRIGGER audit_events_no_update; DROP TRIGGER audit_events_no_delete;" + c.sql).Error; err != nil {
			t.Fatal(err)
		}
		if broken := verify(t, s); broken != c.broken {
			t.Errorf("%s: broken at %d, want %d", c.sql, broken, c.broken)
		}
	}
}

func TestAuditTakesHostileTexts(t *testing.T) {
	s := open(t)
	long := make([]byte, 1<<20)
	for i := range long {
		long[i] = "é"[i%2]
	}
	for _, text := range append(hostileTexts(), string(long)) {
		err := s.Write(t.Context(), func(tx *Tx) error {
			return tx.Audit(t.Context(), app.Event{At: time.Now(), Actor: app.Actor{Kind: app.ActorAgent, Name: text, Address: text}, Action: "a", Subject: text, Detail: text})
		})
		if err != nil {
			t.Errorf("%.40q: %v", text, err)
		}
	}
	if broken := verify(t, s); broken != 0 {
		t.Errorf("the chain is broken at %d", broken)
	}
}

func TestAFailedChangeLeavesNoEvent(t *testing.T) {
	s := open(t)
	_ = s.Write(t.Context(), func(tx *Tx) error {
		if err := tx.Audit(t.Context(), app.Event{At: time.Now(), Actor: app.System(), Action: "a"}); err != nil {
			t.Error(err)
		}
		return fmt.Errorf("the change failed")
	})
	if n := count(t, s, "SELECT count(*) FROM audit_events"); n != 0 {
		t.Errorf("%d events of a change that was rolled back", n)
	}
	chain(t, s, 2)
	if broken := verify(t, s); broken != 0 {
		t.Errorf("the chain is broken at %d after a rollback", broken)
	}
}

// hostileTexts are what somebody may send where text is expected.
func hostileTexts() []string {
	return []string{
		"", "'", `"; DROP TABLE profiles; --`, "%' OR 1=1 --", "a\x00b", "\xff\xfe", "\u202e\u0000", "?", "$1", "@name", ":x", "{{.}}",
		"<script>alert(1)</script>", "\r\nSet-Cookie: x", `\`, "😀", "e\u0301", "NULL", "null", "0", "[]", "{}", "*", "_", "%",
	}
}
