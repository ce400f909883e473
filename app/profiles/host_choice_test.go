package profiles_test

import (
	"slices"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/profiles"
)

// TestMergeHosts: adding and removing hosts leaves the others unchanged.
func TestMergeHosts(t *testing.T) {
	t.Parallel()
	p := app.Profile{Hosts: []app.HostRequest{
		{Host: host("a.example"), Allowed: true}, {Host: host("b.example:8443"), Allowed: true},
		{Host: host("asked.example")}, {Host: host("unwanted.example")}, {Host: host("later.example")},
	}}
	p.Hosts[2].Reason = "to read"
	allowed, dismissed, err := profiles.MergeHosts(p, []app.Host{host("asked.example"), host("new.example")},
		[]app.Host{host("b.example:8443"), host("unwanted.example")})
	if err != nil || app.BriefHosts(allowed) != "a.example, asked.example, new.example" ||
		!slices.Equal(dismissed, []string{"b.example:8443", "unwanted.example"}) || allowed[1].Reason != "to read" {
		t.Errorf("%s (%+v), dismissed %v: %v", app.BriefHosts(allowed), allowed, dismissed, err)
	}
	if _, _, err := profiles.MergeHosts(p, nil, []app.Host{host("b.example")}); app.CodeOf(err) != app.CodeNotFound {
		t.Errorf("a host that is not there: %v", err)
	}
	both := []app.Host{host("a.example")}
	if _, _, err := profiles.MergeHosts(p, both, both); app.CodeOf(err) != app.CodeInvalidField {
		t.Errorf("allowed and removed at once: %v", err)
	}
}

// TestHoleH3RelayIsNotTakenOverUnseen: typing a host doesn't allow a requested relay. Other
// requested protocols are granted, declined ones too.
func TestHoleH3RelayIsNotTakenOverUnseen(t *testing.T) {
	t.Parallel()
	as := func(text string, protocol app.Protocol) app.Host {
		h := host(text)
		h.Protocol = protocol
		return h
	}
	p := app.Profile{
		Hosts: []app.HostRequest{{Host: as("cdn.example", app.ProtocolTCP)}, {Host: as("db.example:5432", app.ProtocolPostgres)}},
		Declined: []app.DeclinedHost{
			{Host: as("a.example:8080", app.ProtocolHTTP)}, {Host: as("b.example:443", app.ProtocolTCP)},
		},
	}
	typed := []app.Host{host("cdn.example"), host("db.example:5432"), host("a.example:8080"), host("b.example:443"), host("c.example:8080")}
	allowed, _, err := profiles.MergeHosts(p, typed, nil)
	want := "cdn.example, db.example:5432 (as PostgreSQL), a.example:8080 (over HTTP without encryption), b.example:443, c.example:8080"
	if got := app.BriefHosts(allowed); err != nil || got != want {
		t.Errorf("%s: %v", got, err)
	}
}
