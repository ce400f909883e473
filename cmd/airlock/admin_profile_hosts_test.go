package main

import (
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
)

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
	says(run("show", p.ID), "Asked for: "+relay.Sentence(nil), "Asked for: "+open.Sentence(nil), `"Airlock: checked"`, `"Approved. Pairing code: 999-999"`, p.Code, "They can reach no host at all.", "Its scripts run")
	says(run("hosts", p.ID, "--allow", relay.String()), "They can reach "+relay.Sentence(nil), "asks for "+open.Brief())
	says(run("lock", p.ID, "--host", "plain.example"), "They can reach "+relay.Sentence(nil), "They can reach plain.example on ports 80 and 443: Airlock checks the name, not who answers.", "asked for "+open.Brief(), "Its scripts run")
	request(open)
	says(run("show", p.ID), "They can reach "+relay.Sentence(nil), "Asked for: "+open.Sentence(nil))
	says(run("hosts", p.ID, "--allow", open.String()), "They can reach "+open.Sentence(nil))
	log, err := in.command("admin", "audit", "list").CombinedOutput()
	must(t, err)
	says(string(log), "Allowed "+app.BriefHosts([]app.Host{relay}), "Asked for "+open.Brief())
}
