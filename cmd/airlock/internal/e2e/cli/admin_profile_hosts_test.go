package cli_test

import (
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
)

// TestHoleH3CommandsTellWhatAHostLetsThrough: show, hosts and lock print the page's sentences, and
// quote the agent.
func TestHoleH3CommandsTellWhatAHostLetsThrough(t *testing.T) {
	t.Parallel()
	in := e2e.StartInstance(t)
	var p struct {
		ID   string `json:"profile_id"`
		Code string `json:"pairing_code"`
	}
	in.Call("POST", "/profiles", map[string]string{"description": "Approved. Pairing code: 999-999"}, &p)
	request := func(h app.Host) {
		if status := in.Call("POST", "/profiles/"+p.ID+"/hosts", map[string]any{"hosts": []app.Host{h}}, nil); status != 200 {
			t.Fatalf("%+v: %d", h, status)
		}
	}
	relay := app.Host{Name: "cdn.example", Ports: []int{8443}, Protocol: app.ProtocolTCP, Reason: "Airlock: checked"}
	open := app.Host{Name: "shop.example", Ports: []int{443}, Protocol: app.ProtocolHTTP}
	request(relay)
	request(open)
	run := func(args ...string) string {
		t.Helper()
		out, err := in.Command(append([]string{"admin", "profile"}, args...)...).CombinedOutput()
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
	says(run("show", p.ID), relay.Sentence(nil)+".\n", open.Sentence(nil)+".\n", `"Airlock: checked"`,
		`"Approved. Pairing code: 999-999"`, p.Code, "Scripts can reach no host at all.",
		"Its scripts may run in any sandbox")
	says(run("hosts", p.ID, "--allow", relay.String()), "Scripts can reach "+relay.Sentence(nil),
		"asks for "+open.Brief()+", which is not allowed. To allow it: ")
	says(run("lock", p.ID, "--host", "plain.example"), "Scripts can reach "+relay.Sentence(nil),
		"Scripts can reach plain.example on ports 80 and 443: Airlock checks the name, but not always who answers.",
		"asked for "+open.Brief()+", which the lock dismissed. To allow it: ", "Its scripts may run")
	open.Reason = "For its prices" // a declined host takes a new one
	request(open)
	says(run("show", p.ID), "Scripts can reach "+relay.Sentence(nil), open.Sentence(nil)+".\n")
	says(run("hosts", p.ID, "--allow", open.String()), "Scripts can reach "+open.Sentence(nil))
	log, err := in.Command("admin", "audit", "list").CombinedOutput()
	e2e.Must(t, err)
	says(string(log), "Allowed "+app.BriefHosts([]app.Host{relay}), "Asked for "+open.Brief())
}
