package store

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
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
		_, broken, err = tx.Events.Verify(t.Context(), AuditMark{})
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
		events, err := tx.Events.List(t.Context(), AuditFilter{Before: 4, Limit: 2})
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
		if err := s.writer.Exec("DROP TRIGGER audit_events_no_update; DROP TRIGGER audit_events_no_delete;" +
			c.sql).Error; err != nil {
			t.Fatal(err)
		}
		if broken := verify(t, s); broken != c.broken {
			t.Errorf("%s: broken at %d, want %d", c.sql, broken, c.broken)
		}
	}
}

// Changing an event means rewriting all later ones, up to the newest, whose hash others may know.
func TestAuditHashesReachBack(t *testing.T) {
	s := open(t)
	chain(t, s, 5)
	var changed auditEventRow
	if err := s.writer.Raw("SELECT * FROM audit_events WHERE seq = 3").Scan(&changed).Error; err != nil {
		t.Fatal(err)
	}
	changed.Detail = "Revoked."
	for _, step := range []struct {
		sql  string
		args []any
	}{
		{"DROP TRIGGER audit_events_no_update", nil},
		{"UPDATE audit_events SET detail = ?, hash = ? WHERE seq = 3", []any{changed.Detail, changed.digest()}},
		{"UPDATE audit_events SET prev = ? WHERE seq = 4", []any{changed.digest()}},
	} {
		if err := s.writer.Exec(step.sql, step.args...).Error; err != nil {
			t.Fatal(err)
		}
	}
	if broken := verify(t, s); broken != 4 {
		t.Errorf("an event that was changed with its own hash, and the next one's word for it: broken at %d, want 4", broken)
	}
}

// Others verify chains by this digest, and every kept chain rests on it.
func TestAuditDigestIsKnown(t *testing.T) {
	r := auditEventRow{Seq: 2, At: 1001, ActorKind: "person", ActorName: "Ann", ActorAddress: "192.0.2.1",
		Action: "profile.lock", Subject: "p1", Detail: "Locked.", Prev: strings.Repeat("ab", 32)}
	text := `[2,1001,"person","Ann","192.0.2.1","profile.lock","p1","Locked.","` + r.Prev + `"]`
	if sum := sha256.Sum256([]byte(text)); r.digest() != hex.EncodeToString(sum[:]) ||
		r.digest() != "d8116e2358ea71d5e9fe7ba0bd7ade015fb25ab3262a2e1297657c9617a4b3fc" {
		t.Errorf("digest %s, want that of %s", r.digest(), text)
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
			return tx.Audit(t.Context(),
				app.Event{At: time.Now(), Actor: app.Actor{Kind: app.ActorAgent, Name: text, Address: text}, Action: "a",
					Subject: text, Detail: text})
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
		"", "'", `"; DROP TABLE profiles; --`, "%' OR 1=1 --", "a\x00b", "\xff\xfe", "\u202e\u0000", "?", "$1", "@name", ":x",
		"{{.}}",
		"<script>alert(1)</script>", "\r\nSet-Cookie: x", `\`, "😀", "e\u0301", "NULL", "null", "0", "[]", "{}", "*", "_", "%",
	}
}

func auditFilters() map[string]AuditFilter {
	from, to := time.UnixMilli(1100), time.UnixMilli(1200)
	return map[string]AuditFilter{
		"all": {}, "actor": {Kind: app.ActorPerson}, "name": {Kind: app.ActorPerson, Name: "Ann"},
		"action": {Action: "profile.lock"}, "kind of action": {Action: "profile"},
		"subject": {Subject: "p7"}, "range": {From: from, To: to},
		"action and subject":            {Action: "profile.lock", Subject: "p7"},
		"action of an actor in a range": {Kind: app.ActorPerson, Action: "profile.lock", From: from, To: to},
		"before":                        {Before: 9},
	}
}

func TestAuditFilters(t *testing.T) {
	s := open(t)
	at := func(i int) time.Time { return time.UnixMilli(int64(1000 + i)) }
	write(t, s, func(tx *Tx) error {
		for i := range 300 {
			e := app.Event{At: at(i), Actor: app.Actor{Kind: app.ActorPerson, Name: []string{"Ann", "Bob"}[i%2]},
				Action: "profile.lock", Subject: fmt.Sprint("p", i%10)}
			if i%3 == 0 {
				e.Actor, e.Action = app.Actor{Kind: app.ActorAgent, Address: "192.0.2.1"}, "profiles.odd"
			}
			if err := tx.Audit(t.Context(), e); err != nil {
				return err
			}
		}
		return nil
	})
	for name, f := range auditFilters() {
		want := 0
		for i := range 300 {
			kind, who, action := app.ActorPerson, []string{"Ann", "Bob"}[i%2], "profile.lock"
			if i%3 == 0 {
				kind, who, action = app.ActorAgent, "", "profiles.odd"
			}
			if (f.Kind == "" || f.Kind == kind) && (f.Name == "" || f.Name == who) &&
				(f.Action == "" || f.Action == action || f.Action+".lock" == action) &&
				(f.Subject == "" || f.Subject == fmt.Sprint("p", i%10)) && (f.From.IsZero() || !at(i).Before(f.From)) &&
				(f.To.IsZero() || at(i).Before(f.To)) && (f.Before == 0 || int64(i+1) < f.Before) {
				want++
			}
		}
		got, last := 0, int64(1<<60)
		for f.Limit = 7; ; {
			var events []app.Event
			if err := s.Read(t.Context(),
				func(tx *Tx) (err error) { events, err = tx.Events.List(t.Context(), f); return err }); err != nil {
				t.Fatal(err)
			}
			for _, e := range events {
				if e.Seq >= last {
					t.Errorf("%s: %d after %d", name, e.Seq, last)
				}
				last = e.Seq
			}
			if got += len(events); len(events) < f.Limit {
				break
			}
			f.Before = last
		}
		if got != want {
			t.Errorf("%s: %d events, want %d", name, got, want)
		}
	}
}

// Verified events are not read again; later ones must continue the chain.
func TestVerifyingGoesOnFromAMark(t *testing.T) {
	s := open(t)
	chain(t, s, 5)
	from := func(mark AuditMark) (end AuditMark, broken int64) {
		t.Helper()
		if err := s.Read(t.Context(),
			func(tx *Tx) (err error) { end, broken, err = tx.Events.Verify(t.Context(), mark); return err }); err != nil {
			t.Fatal(err)
		}
		return end, broken
	}
	mark, broken := from(AuditMark{})
	if broken != 0 || mark.Seq != 5 {
		t.Fatalf("%+v, broken at %d", mark, broken)
	}
	chain(t, s, 2)
	if end, broken := from(mark); broken != 0 || end.Seq != 7 {
		t.Errorf("%+v, broken at %d", end, broken)
	}
	if err := s.writer.Exec("DROP TRIGGER audit_events_no_update; " +
		"UPDATE audit_events SET detail = 'x' WHERE seq = 2").Error; err != nil {
		t.Fatal(err)
	}
	if _, broken := from(mark); broken != 0 {
		t.Errorf("what is before the mark was read again: %d", broken)
	}
	if _, broken := from(AuditMark{}); broken != 2 {
		t.Errorf("broken at %d, want 2", broken)
	}
	if err := s.writer.Exec("UPDATE audit_events SET detail = 'x' WHERE seq = 5").Error; err != nil {
		t.Fatal(err)
	}
	if _, broken := from(mark); broken != 5 {
		t.Errorf("the event of the mark was changed, and that is found at %d", broken)
	}
}
