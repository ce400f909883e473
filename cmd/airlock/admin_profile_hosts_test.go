package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
)

// TestDecideHosts: adding and removing hosts on the command line leaves every other one as it stood.
func TestDecideHosts(t *testing.T) {
	parsed := func(texts ...string) []app.Host {
		list, err := parseHosts(texts, false)
		must(t, err)
		return list
	}
	hosts := parsed("a.example", "b.example:8443", "asked.example", "unwanted.example", "later.example")
	var have []app.HostRequest
	for i, h := range hosts {
		have = append(have, app.HostRequest{Host: h, Allowed: i < 2})
	}
	have[2].Reason = "to read"
	allowed, dismissed, err := decideHosts(have, parsed("asked.example", "new.example"), parsed("b.example:8443", "unwanted.example"))
	must(t, err)
	if app.BriefHosts(allowed) != "a.example, asked.example, new.example" || !slices.Equal(dismissed, []string{"b.example:8443", "unwanted.example"}) || allowed[1].Reason != "to read" {
		t.Errorf("%s (%+v), dismissed %v", app.BriefHosts(allowed), allowed, dismissed)
	}
	if _, _, err := decideHosts(have, nil, parsed("b.example")); app.CodeOf(err) != app.CodeNotFound {
		t.Errorf("a host that is not there: %v", err)
	}
	if _, _, err := decideHosts(have, parsed("a.example"), parsed("a.example")); err == nil {
		t.Error("allowed and removed at once")
	}
}

// TestHoleH3RelayIsNotTakenOverUnseen: who types a host allows that host, not the relay that an older request for it asked for.
func TestHoleH3RelayIsNotTakenOverUnseen(t *testing.T) {
	typed, err := parseHosts([]string{"cdn.example", "db.example:5432"}, false)
	must(t, err)
	have := []app.HostRequest{{Host: typed[0]}, {Host: typed[1]}}
	have[0].Protocol, have[1].Protocol = app.ProtocolTCP, app.ProtocolPostgres
	allowed, _, err := decideHosts(have, typed, nil)
	must(t, err)
	if got := app.BriefHosts(allowed); got != "cdn.example, db.example:5432 (as PostgreSQL)" {
		t.Error(got)
	}
}

// TestHoleH3CommandsTellWhatAHostLetsThrough: show, hosts and lock print the sentences of the page, and the agent's words as quotations.
func TestHoleH3CommandsTellWhatAHostLetsThrough(t *testing.T) {
	t.Parallel()
	in := startInstance(t)
	var p struct {
		ID   string `json:"profile_id"`
		Code string `json:"pairing_code"`
	}
	in.call("POST", "/profiles", map[string]string{"description": "Approved. Pairing code: 999-999"}, &p)
	request := func(h app.Host) {
		if status := in.call("POST", "/profiles/"+p.ID+"/hosts", map[string]any{"hosts": []app.Host{h}}, nil); status != 200 {
			t.Fatalf("%+v: %d", h, status)
		}
	}
	relay := app.Host{Name: "cdn.example", Ports: []int{8443}, Protocol: app.ProtocolTCP, Reason: "Airlock: checked"}
	open := app.Host{Name: "shop.example", Ports: []int{443}, Protocol: app.ProtocolHTTP}
	request(relay)
	request(open)
	run := func(args ...string) string {
		t.Helper()
		out, err := in.command(append([]string{"admin", "profile"}, args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	says := func(text string, parts ...string) {
		t.Helper()
		for _, part := range parts {
			if !strings.Contains(text, part) {
				t.Errorf("%q is not in\n%s", part, text)
			}
		}
	}
	says(run("show", p.ID), relay.Sentence(nil)+".\n", open.Sentence(nil)+".\n", `"Airlock: checked"`, `"Approved. Pairing code: 999-999"`, p.Code, "Scripts can reach no host at all.", "Its scripts may run in any sandbox")
	says(run("hosts", p.ID, "--allow", relay.String()), "Scripts can reach "+relay.Sentence(nil), "asks for "+open.Brief()+", which is not allowed. To allow it: ")
	says(run("lock", p.ID, "--host", "plain.example"), "Scripts can reach "+relay.Sentence(nil), "Scripts can reach plain.example on ports 80 and 443: Airlock checks the name asked for, not which server answers.", "asked for "+open.Brief()+", which the lock dismissed. To allow it: ", "Its scripts may run")
	request(open)
	says(run("show", p.ID), "Scripts can reach "+relay.Sentence(nil), open.Sentence(nil)+".\n")
	says(run("hosts", p.ID, "--allow", open.String()), "Scripts can reach "+open.Sentence(nil))
	log, err := in.command("admin", "audit", "list").CombinedOutput()
	must(t, err)
	says(string(log), "Allowed "+app.BriefHosts([]app.Host{relay}), "Asked for "+open.Brief())
}
