package egress

import (
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/egress/rules"
)

func TestAdviceFitsTheProfileAsItIsNow(t *testing.T) {
	at := time.Date(2026, 11, 26, 9, 30, 0, 0, time.UTC)
	request := func(entry string, allowed bool) app.HostRequest {
		return app.HostRequest{Host: allow(t, entry)[0], Allowed: allowed}
	}
	advice := rules.Advice{SetupURL: "https://airlock.test/ui/profiles/p1", Profile: app.Profile{Handle: "p1",
		Hosts: []app.HostRequest{request("open.test:443", false), request("since.test:443", true), request("db.test:443", true),
			request("*.inside.test", true), request("*.db.test", true)},
		Declined: []app.DeclinedHost{{Host: allow(t, "no.test:443")[0], At: at}},
	}}
	for _, c := range []struct {
		host    string
		port    int
		rule    string
		want    []string
		without string
	}{
		{"open.test", 443, rules.NotListed, []string{"It stands as a request on https://airlock.test/ui/profiles/p1", "adds your reason"}, "declined"},
		{"open.test", 0, rules.NotListed, []string{"It stands as a request"}, "asks for it"},
		{"new.test", 443, rules.NotListed, []string{`{"host":"new.test:443"`, "asks for it", "/ui/profiles/p1"}, "It stands"},
		{"since.test", 443, rules.NotListed, []string{"allowed it since", "Submit the script again"}, "POST"},
		{"no.test", 443, rules.NotListed, []string{"A person declined it on 2026-11-26T09:30:00Z", "Asking again does not help",
			"with the new reason"}, "It stands"},
		{"no.test", 0, rules.NotListed, []string{"A person declined it"}, "It stands"},
		{"db.test", 5432, rules.Port, []string{"allows db.test on port 443 only", `{"host":"db.test:5432"`}, "since"},
		{"inside.test", 443, rules.NotListed, []string{"allows the names below inside.test, not the name itself", "asks for it"}, "since"},
		{"pypi.org", 443, rules.NotListed, []string{"can't be installed", "GET /packages"}, "POST"},
	} {
		e := advice.Explain(app.Connection{Host: c.host, Port: c.port, Rule: c.rule, Verdict: app.VerdictDenied})
		for _, want := range c.want {
			if !strings.Contains(e.Hint, want) {
				t.Errorf("%s:%d: the hint lacks %q: %s", c.host, c.port, want, e.Hint)
			}
		}
		if strings.Contains(e.Hint, c.without) {
			t.Errorf("%s:%d: the hint says %q: %s", c.host, c.port, c.without, e.Hint)
		}
	}
}

// A port on which a placeholder is relayed as it is once left an agent with a bare 401.
func TestARelayedPortOfASealedHostIsNoted(t *testing.T) {
	l := newLab(t)
	l.web("api.test", 8443, l.tls("api.test"), reflect)
	s := l.session(Limits{}, []string{"api.test:8443"}, "api.test:443")
	conn := dial(t, s, "api.test", 8443)
	_ = conn.Close()
	row := lastRow(t, s)
	if note := (rules.Advice{}).Note(row); row.Verdict != app.VerdictAllowed || !strings.Contains(note, "api.test:8443") {
		t.Errorf("%+v: %q", row, note)
	}
	if note := (rules.Advice{}).Note(app.Connection{Verdict: app.VerdictAllowed, Rule: "api.test"}); note != "" {
		t.Errorf("an ordinary row is noted: %q", note)
	}
}

func TestQuestionsThatNobodyAnswersAreRows(t *testing.T) {
	s := session(t, newWorld(t).gateway(), nil)
	s.Refused("7.113.0.203.in-addr.arpa")
	s.Refused("1.0.ip6.arpa")
	s.Unanswered("1.0.ip6.arpa", "TXT")
	if rows := s.Ledger(); len(rows) != 0 {
		t.Errorf("reverse names made rows: %+v", rows)
	}
	s.Unanswered("_mongodb._tcp.db.test", "SRV")
	row := lastRow(t, s)
	if row.Rule != rules.Record || row.Method != "SRV" || !strings.Contains(rules.Explain(row).Hint, "mongodb://") {
		t.Errorf("%+v: %v", row, rules.Explain(row))
	}
}
