package cli_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
	"github.com/computclaw/airlock/plugins/docker/dockertest"
)

// TestSkillsGetTheImageAndTheTimeThatTheyAskFor on docker, among the operator's images and limits.
// Others are refused with what is allowed, and run nothing.
func TestSkillsGetTheImageAndTheTimeThatTheyAskFor(t *testing.T) {
	t.Parallel()
	const image = "airlock-skill:1"
	engine, settings := e2e.DockerSettings(t)
	root, err := dockertest.Root()
	e2e.Must(t, err)
	root, err = dockertest.With(root, dockertest.File{Name: "etc/skill-image", Mode: 0o644})
	e2e.Must(t, err)
	e2e.Must(t, engine.Import(image, root))
	d := filesDesk{e2e.StartInstance(t, append(settings, settings[1]+","+image, "AIRLOCK_SANDBOX=docker", "AIRLOCK_POOL=1",
		"AIRLOCK_LIMIT_MEMORY=256MiB", "AIRLOCK_LIMIT_CPU=1")...)}
	allowed := strings.TrimPrefix(settings[1], "AIRLOCK_DOCKER_IMAGE=")
	profile, strict := d.PlaceProfile("docker"), d.PlaceProfile("docker", "--image", allowed)
	const program = "import os\nset_result(os.path.exists('/etc/skill-image'))\n"
	if x := d.run(profile, map[string]any{"script": program}); x.Status != "completed" || x.Result != false {
		t.Errorf("a script: %+v", x)
	}
	for _, c := range []struct {
		name, metadata, program string
		refused                 string // begins what is said; "" if it runs
		status                  string
		result                  any
	}{
		{"image", "image: " + image, program, "", "completed", true},
		{"time", "timeout: 2", "import time\ntime.sleep(30)\n", "", "timeout", nil},
		{"other", "image: other:1", program, "it asks for the image other:1; the operator allows " + image + ", " + allowed, "", nil},
	} {
		status, text, _ := d.Do("POST", "/skills", profile, "application/zip", packed(t, skillMD("---\nname: "+c.name+
			"\ndescription: Tries limits\nmetadata:\n  airlock."+c.metadata+"\n---\n"), member{name: "main.py", content: c.program}))
		var v struct{ Digest string }
		if err := json.Unmarshal(text, &v); err != nil || status != http.StatusCreated {
			t.Fatalf("%s: %d %s", c.name, status, text)
		}
		d.Admin("", "skill", "approve", v.Digest)
		if c.refused != "" {
			d.refusesToPlace(profile, c.name, c.refused)
			continue
		}
		if x := d.run(profile, map[string]any{"skill": c.name}); x.Status != c.status || x.Result != c.result {
			t.Errorf("%s: %+v", c.name, x)
		}
	}
	d.Admin("", "skill", "allow", "image", strict)
	d.refusesToPlace(strict, "image", "it asks for the image "+image+"; its profile requires "+allowed)
}

func (d filesDesk) refusesToPlace(profile, skill, reason string) {
	d.T.Helper()
	before := d.Count("SELECT count(*) FROM executions")
	status, text, _ := d.do("POST", "/execute", profile, []byte(`{"skill":"`+skill+`"}`))
	if status != http.StatusServiceUnavailable || !strings.Contains(string(text), `"sandbox_unavailable"`) ||
		!strings.Contains(string(text), skill+"@1 was not run: "+reason) ||
		d.Count("SELECT count(*) FROM executions") != before {
		d.T.Errorf("%s: %d %s", skill, status, text)
	}
}
