package admin

import (
	"slices"
	"testing"

	"github.com/computclaw/airlock/app"
)

// TestDecideHosts: adding and removing hosts on the command line leaves every other one as it
// stood.
func TestDecideHosts(t *testing.T) {
	parsed := func(texts ...string) []app.Host {
		list, err := parseHosts(texts, false)
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	hosts := parsed("a.example", "b.example:8443", "asked.example", "unwanted.example", "later.example")
	var have []app.HostRequest
	for i, h := range hosts {
		have = append(have, app.HostRequest{Host: h, Allowed: i < 2})
	}
	have[2].Reason = "to read"
	allowed, dismissed, err := decideHosts(have, parsed("asked.example", "new.example"),
		parsed("b.example:8443", "unwanted.example"))
	if err != nil {
		t.Fatal(err)
	}
	if app.BriefHosts(allowed) != "a.example, asked.example, new.example" ||
		!slices.Equal(dismissed, []string{"b.example:8443", "unwanted.example"}) || allowed[1].Reason != "to read" {
		t.Errorf("%s (%+v), dismissed %v", app.BriefHosts(allowed), allowed, dismissed)
	}
	if _, _, err := decideHosts(have, nil, parsed("b.example")); app.CodeOf(err) != app.CodeNotFound {
		t.Errorf("a host that is not there: %v", err)
	}
	if _, _, err := decideHosts(have, parsed("a.example"), parsed("a.example")); err == nil {
		t.Error("allowed and removed at once")
	}
}

// TestHoleH3RelayIsNotTakenOverUnseen: who types a host allows that host, not the relay that an
// older request for it asked for.
func TestHoleH3RelayIsNotTakenOverUnseen(t *testing.T) {
	typed, err := parseHosts([]string{"cdn.example", "db.example:5432"}, false)
	if err != nil {
		t.Fatal(err)
	}
	have := []app.HostRequest{{Host: typed[0]}, {Host: typed[1]}}
	have[0].Protocol, have[1].Protocol = app.ProtocolTCP, app.ProtocolPostgres
	allowed, _, err := decideHosts(have, typed, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := app.BriefHosts(allowed); got != "cdn.example, db.example:5432 (as PostgreSQL)" {
		t.Error(got)
	}
}

// TestADeclinedHostIsAllowedAsItWasAskedFor: the command that a hint names grants what the agent
// asked for, and not another protocol.
func TestADeclinedHostIsAllowedAsItWasAskedFor(t *testing.T) {
	at := func(name string, port int, protocol app.Protocol) app.Host {
		return app.Host{Name: name, Ports: []int{port}, Protocol: protocol}
	}
	declined := []app.DeclinedHost{{Host: at("a.example", 8080, app.ProtocolHTTP)}, {Host: at("b.example", 443, app.ProtocolTCP)}}
	got := asDeclined([]app.Host{at("a.example", 8080, ""), at("b.example", 443, ""), at("c.example", 8080, "")}, declined)
	for i, want := range []app.Protocol{app.ProtocolHTTP, "", ""} {
		if got[i].Protocol != want {
			t.Errorf("%s is allowed as %q, want %q", got[i], got[i].Protocol, want)
		}
	}
}
