package cli_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
)

// TestAdminSkillCommands: a person reads an uploaded version, approves its digest, revokes it and
// deletes the skill.
func TestAdminSkillCommands(t *testing.T) {
	t.Parallel()
	d := filesDesk{e2e.StartInstance(t, "AIRLOCK_SANDBOX=bubblewrap", "AIRLOCK_POOL=1")}
	profile := d.PlaceProfile("bubblewrap")
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
	d.checkMissing(profile)
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

// checkMissing uploads a skill that imports a missing module: agent, person and submitter are told
// its name.
func (d filesDesk) checkMissing(profile string) {
	d.T.Helper()
	var packed bytes.Buffer
	w := zip.NewWriter(&packed)
	for path, content := range map[string]string{
		"SKILL.md": "---\nname: lacking\ndescription: Imports\n---\n", "main.py": "import json, not_there\n",
		"requirements.txt": "Not.Here>=1\n",
	} {
		f, err := w.Create(path)
		e2e.Must(d.T, err)
		_, err = f.Write([]byte(content))
		e2e.Must(d.T, err)
	}
	e2e.Must(d.T, w.Close())
	status, text, _ := d.Do("POST", "/skills", profile, "application/zip", packed.Bytes())
	var v struct {
		Digest  string
		Missing []string
	}
	if err := json.Unmarshal(text, &v); err != nil || status != http.StatusCreated ||
		strings.Join(v.Missing, " ") != "not-here not_there" {
		d.T.Errorf("the upload: %d %s", status, text)
	}
	if _, text, _ := d.do("GET", "/skills/lacking", profile, nil); !bytes.Contains(text, []byte(`"missing":["not-here","not_there"]`)) {
		d.T.Errorf("its agent reads %s", text)
	}
	d.Admin("", "skill", "approve", v.Digest)
	status, text, _ = d.do("POST", "/execute", profile, []byte(`{"skill":"lacking","inputs":{}}`))
	if status != http.StatusConflict || !bytes.Contains(text, []byte(`"package_missing"`)) ||
		!bytes.Contains(text, []byte("lacks not-here, not_there")) {
		d.T.Errorf("submitted: %d %s", status, text)
	}
}
