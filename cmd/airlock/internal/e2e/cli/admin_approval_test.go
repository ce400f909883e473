package cli_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
)

// TestAdminApprovalCommands: a person sets what a profile may run, and decides about its scripts. A
// changed byte asks again. The agent reads why a script is refused.
func TestAdminApprovalCommands(t *testing.T) {
	t.Parallel()
	d := filesDesk{e2e.StartInstance(t, "AIRLOCK_SANDBOX=bubblewrap", "AIRLOCK_POOL=1")}
	profile := d.PlaceProfile("bubblewrap")
	d.Admin("", "profile", "may-run", profile, "approved_scripts")
	type answer struct {
		ID       string `json:"execution_id"`
		Status   string
		NextStep string `json:"next_step"`
		Error    json.RawMessage
	}
	submit := func(script string, want int) (x answer) {
		t.Helper()
		body, err := json.Marshal(map[string]string{"script": script})
		e2e.Must(t, err)
		status, text, _ := d.do("POST", "/execute", profile, body)
		if err := json.Unmarshal(text, &x); err != nil || status != want {
			t.Fatalf("%d %s, want %d", status, text, want)
		}
		return x
	}
	until := func(id, want string) (x answer) {
		t.Helper()
		e2e.Eventually(t, time.Minute, "it is "+want, func() bool {
			_, text, _ := d.do("GET", "/executions/"+id, "", nil)
			e2e.Must(t, json.Unmarshal(text, &x))
			return x.Status == want
		})
		return x
	}
	waits := func(script string) (execution, approval string) {
		t.Helper()
		x := submit(script, http.StatusAccepted)
		_, link, _ := strings.Cut(x.NextStep, d.URL+"/ui/approvals/")
		approval, _, found := strings.Cut(link, ",")
		if x.Status != "awaiting_approval" || !found || !strings.Contains(d.Admin("", "approval", "list"), approval) {
			t.Fatalf("%+v; the list has %s", x, d.Admin("", "approval", "list"))
		}
		return x.ID, approval
	}
	const script = "set_result(1)"
	first, approval := waits(script)
	if got := d.Admin("", "approval", "show", approval); !strings.Contains(got, script) {
		t.Errorf("a person is shown %q", got)
	}
	d.Admin("", "approval", "approve", approval, "--once")
	until(first, "completed")
	second, approval := waits(script) // once
	d.Admin("", "approval", "approve", approval, "--always")
	until(second, "completed")
	until(submit(script, http.StatusAccepted).ID, "completed")
	changed, other := waits(script + " ")
	d.Admin("", "approval", "refuse", other, "--reason", "Leave out the blank.")
	if x := until(changed, "cancelled"); !strings.Contains(string(x.Error), "Leave out the blank.") {
		t.Errorf("the agent reads %s", x.Error)
	}
	if x := submit(script+" ", http.StatusForbidden); !strings.Contains(string(x.Error), "Leave out the blank.") {
		t.Errorf("the agent reads %s", x.Error)
	}
	d.Admin("", "approval", "revoke", approval)
	last, _ := waits(script)
	d.Admin("", "profile", "may-run", profile, "approved_skills")
	until(last, "cancelled")
	if x := submit(script, http.StatusForbidden); !strings.Contains(string(x.Error), `"script_not_allowed"`) {
		t.Errorf("the agent reads %s", x.Error)
	}
	for want, args := range map[string][]string{"choose one": {"approve", approval}, "conflict": {"approve", approval, "--once"},
		"not_found": {"refuse", "nosuch", "--reason", "x"}, "the reason is empty": {"refuse", other}} {
		out, err := d.Command(append([]string{"admin", "approval"}, args...)...).CombinedOutput()
		if err == nil || !strings.Contains(string(out), want) {
			t.Errorf("%v: %v, want %q in\n%s", args, err, want, out)
		}
	}
}
