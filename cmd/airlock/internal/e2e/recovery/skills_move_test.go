package recovery_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
)

// savedSkill saves a script that ran as a skill, and returns its digest.
func savedSkill(t *testing.T, in *e2e.Instance, profile, script string) string {
	t.Helper()
	x := in.Await(in.Submit(profile, script, 30*time.Second), 30*time.Second)
	body, err := json.Marshal(map[string]string{"execution_id": x.ID, "name": "answer", "description": "Multiplies"})
	e2e.Must(t, err)
	status, text, _ := in.Do(http.MethodPost, "/skills", profile, "application/json", body)
	var v struct{ Digest string }
	if err := json.Unmarshal(text, &v); err != nil || v.Digest == "" {
		t.Fatalf("%d %s", status, text)
	}
	return v.Digest
}

// runsSkill asserts that a skill runs with a result, or is refused with a code.
func runsSkill(t *testing.T, in *e2e.Instance, profile, skill, want string) {
	t.Helper()
	var answer struct {
		e2e.Execution
		Error json.RawMessage `json:"error"`
	}
	code := in.Call(http.MethodPost, "/execute", map[string]any{"profile_id": profile, "skill": skill}, &answer)
	if code != http.StatusAccepted {
		var refused struct{ Code string }
		if err := json.Unmarshal(answer.Error, &refused); err != nil || refused.Code != want {
			t.Errorf("%s: %d %s, want %s", skill, code, answer.Error, want)
		}
		return
	}
	if x := in.Await(answer.Execution, 30*time.Second); string(x.Result) != want {
		t.Errorf("%s: %+v, want %s", skill, x, want)
	}
}

func artifact(in *e2e.Instance, profile string, x e2e.Execution, name string) (int, string) {
	in.T.Helper()
	status, content, _ := in.Do(http.MethodGet, "/executions/"+x.ID+"/artifacts/"+name, profile, "", nil)
	return status, string(content)
}

// TestApprovedSkillsRunAfterAMoveAndAfterARestore: files come along; revoked and unreviewed skills
// run nowhere. Contents of artifacts come along if ticked.
func TestApprovedSkillsRunAfterAMoveAndAfterARestore(t *testing.T) {
	t.Parallel()
	old := e2e.StartInstance(t, "AIRLOCK_SANDBOX=bubblewrap", "AIRLOCK_POOL=1")
	profile := old.PlaceProfile("bubblewrap")
	first, second := savedSkill(t, old, profile, "set_result(6 * 7)"), savedSkill(t, old, profile, "set_result(6 * 8)")
	savedSkill(t, old, profile, "set_result(6 * 9)")
	old.Admin("", "skill", "approve", first)
	old.Admin("", "skill", "approve", second)
	old.Admin("", "skill", "revoke", "answer@1", "--reason", "wrong")
	runsSkill(t, old, profile, "answer", "48")
	left := old.Await(old.Submit(profile, "save_file('left.txt', 'what it left')", 30*time.Second), 30*time.Second)

	target, person := t.TempDir(), old.Person()
	for path, fields := range map[string]url.Values{"/ui/settings/backups": {"on": {"yes"}, "every": {"weekly"}, "keep": {"5"},
		"artifacts": {"yes"}, "kind": {"directory"}, "directory": {target}, "passphrase": {movingWords}, "again": {movingWords}}} {
		response, err := person.Client.PostForm(old.URL+path, fields)
		e2e.Must(t, err)
		e2e.Must(t, response.Body.Close())
	}
	response, err := person.Client.PostForm(old.URL+"/ui/settings/backups/now", nil)
	e2e.Must(t, err)
	e2e.Must(t, response.Body.Close())
	e2e.Eventually(t, time.Minute, "the backup is verified",
		func() bool { return old.Count("SELECT count(*) FROM backups WHERE status = 'verified'") == 1 })
	backups, err := filepath.Glob(filepath.Join(target, "*.airlock"))
	e2e.Must(t, err)
	exported := filepath.Join(t.TempDir(), "instance.airlock")
	old.Admin(movingWords+"\n", "export", exported)
	old.Stop()

	words := filepath.Join(t.TempDir(), "words")
	e2e.Must(t, os.WriteFile(words, []byte(movingWords+"\n"), 0o600))
	imported := e2e.StartInstance(t, "AIRLOCK_SANDBOX=bubblewrap", "AIRLOCK_POOL=1")
	imported.Admin(movingWords+"\n", "import", exported)
	restored := e2e.NewInstance(t, "AIRLOCK_SANDBOX=bubblewrap", "AIRLOCK_POOL=1")
	restored.Admin("", "restore", backups[0], "--passphrase-file", words)
	restored.Start()
	t.Cleanup(restored.Stop)
	if status, content := artifact(restored, profile, left, "left.txt"); content != "what it left" {
		t.Errorf("the backup brought an artifact as %d %s", status, content)
	}
	if status, content := artifact(imported, profile, left, "left.txt"); status != http.StatusNotFound {
		t.Errorf("an export without contents brought %d %s", status, content)
	}
	for _, in := range []*e2e.Instance{imported, restored} {
		runsSkill(t, in, profile, "answer", "48")
		runsSkill(t, in, profile, "answer@1", "skill_revoked")
		runsSkill(t, in, profile, "answer@3", "skill_not_approved")
	}
}
