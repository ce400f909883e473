package cli_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
)

// TestAdminSkillCommands: a person reads a version that an agent uploaded, approves its digest,
// revokes it and deletes the skill, beside the server.
func TestAdminSkillCommands(t *testing.T) {
	t.Parallel()
	d := filesDesk{e2e.StartInstance(t, "AIRLOCK_SANDBOX=bubblewrap", "AIRLOCK_POOL=1")}
	profile := d.Placed("bubblewrap")
	_, text, _ := d.do("POST", "/execute?wait=30", profile, []byte(`{"script":"set_result(6 * 7)"}`))
	var ran struct {
		ID string `json:"execution_id"`
	}
	e2e.Must(t, json.Unmarshal(text, &ran))
	status, text, _ := d.do("POST", "/skills", profile,
		[]byte(`{"execution_id":"`+ran.ID+`","name":"answer","description":"Multiplies"}`))
	var v struct{ Digest string }
	if err := json.Unmarshal(text, &v); err != nil || status != http.StatusCreated {
		t.Fatalf("%d %s", status, text)
	}
	for _, c := range []struct {
		what string
		ok   bool
		args []string
		want string
	}{
		{"list", true, []string{"list"}, "answer@1"},
		{"show", true, []string{"show", v.Digest}, "set_result(6 * 7)"},
		{"another digest", false, []string{"approve", "sha256:0"}, "not_found"},
		{"approve", true, []string{"approve", v.Digest}, "approved answer@1"},
		{"no profile", false, []string{"allow", "answer", "nobody"}, "not_found"},
		{"off", true, []string{"switch", "answer", "off"}, ""},
		{"no version", false, []string{"revoke", "answer"}, "name the version"},
		{"revoke", true, []string{"revoke", "answer@1", "--reason", "wrong"}, "revoked answer@1"},
		{"delete", true, []string{"delete", "answer"}, ""},
		{"again", false, []string{"delete", "answer"}, "not_found"},
	} {
		out, err := d.Command(append([]string{"admin", "skill"}, c.args...)...).CombinedOutput()
		if (err == nil) != c.ok || !strings.Contains(string(out), c.want) {
			t.Errorf("%s: %v, want %q in\n%s", c.what, err, c.want, out)
		}
	}
}
