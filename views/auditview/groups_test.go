package auditview

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/app"
)

// TestGroupsAreOneSetup: another person, profile or action, or a long pause, begins a new group.
func TestGroupsAreOneSetup(t *testing.T) {
	t.Parallel()
	ada, bob := app.Actor{Kind: app.ActorPerson, Name: "Ada"}, app.Actor{Kind: app.ActorPerson, Name: "Bob"}
	noon := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	var rows []Row
	for i, e := range []struct {
		by      app.Actor
		action  string
		subject string
		minutes int
	}{
		{ada, "profile.lock", "p", 0}, {ada, "profile.link", "p", 1}, {ada, "credential.set", "KEY", 1},
		{ada, "credential.create", "KEY", 1},
		{ada, "credential.create", "OTHER", 1}, {ada, "profile.hosts", "p", 11}, {ada, "profile.hosts", "q", 11},
		{bob, "profile.hosts", "q", 12}, {bob, "profile.lock", "q", 30}, {bob, "credential.create", "KEY", 31},
		{bob, "credential.rotate", "KEY", 31}, {bob, "credential.create", "A", 32}, {bob, "credential.create", "B", 32},
	} {
		rows = append(rows, Row{Event: app.Event{
			Seq: int64(100 - i), Actor: e.by, Action: e.action, Subject: e.subject,
			At: noon.Add(-time.Duration(e.minutes) * time.Minute),
		}})
	}
	var got []string
	for _, g := range Groups(rows) {
		got = append(got, fmt.Sprint(len(g), " ", g.subject().Subject))
	}
	want := []string{"6 p", "1 q", "1 q", "2 q", "1 KEY", "1 A", "1 B"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
