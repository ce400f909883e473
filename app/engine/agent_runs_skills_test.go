package engine_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/app/engine/enginetest"
	"github.com/computclaw/airlock/app/executions"
	"github.com/computclaw/airlock/app/runner"
	"github.com/computclaw/airlock/app/skills/bundle"
	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/docker"
	"github.com/computclaw/airlock/plugins/docker/dockertest"
)

// dockerSkillWorld has boxes of the docker backend. The default image has this host's pandas, shell
// and Node for the examples. plain:1 has Python only.
func dockerSkillWorld(t *testing.T) *world {
	t.Helper()
	root, err := dockertest.Root("bash", "python3-pandas", "python3-pandas-lib", "python3-numpy", "python3-dateutil",
		"python3-tz", "python3-six", "nodejs")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"tzdata.zi", "zone.tab", "zone1970.tab", "iso3166.tab"} { // pandas reads them
		name = "usr/share/zoneinfo/" + name
		content, err := os.ReadFile("/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if root, err = dockertest.With(root, dockertest.File{Name: name, Mode: 0o644, Data: content}); err != nil {
			t.Fatal(err)
		}
	}
	plain, err := dockertest.Root()
	if err != nil {
		t.Fatal(err)
	}
	e := dockertest.New(t)
	if err := errors.Join(e.Import("skills:1", root), e.Import("plain:1", plain)); err != nil {
		t.Fatal(err)
	}
	change, _ := withPlugin(t, "engine-"+app.NewID(), func(h *plugins.HostConfig) { h.Name = docker.Name })
	w := newUnstarted(t)
	w.StartEngine(change, func(c *engine.Config) {
		c.Sandboxes[0].Config.Settings = map[string]string{"host": e.Host(), "image": "skills:1,plain:1"}
	})
	if h := w.Health(); !h.Ready {
		t.Fatalf("docker is not ready here: %s", h.Reason)
	}
	return w
}

// approve uploads a folder, approves it for the world's profile and returns its reference.
func (w *world) approve(folder string) string {
	w.T.Helper()
	b, err := bundle.ReadFolder(folder)
	w.Must(err)
	v, err := w.Skills.Upload(w.T.Context(), enginetest.Person, b)
	w.Must(err)
	_, err = w.Skills.Approve(w.T.Context(), enginetest.Person, v.Name, v.Number, v.Digest)
	w.Must(err)
	w.Must(w.Skills.Allow(w.T.Context(), enginetest.Person, v.Name, w.Profile.Handle))
	return v.Name
}

func (w *world) runSkill(ref, inputs string) (app.Execution, error) {
	w.T.Helper()
	x, _, err := w.Submitter.Submit(w.T.Context(), executions.Submission{
		ProfileID: w.Profile.ID, Skill: ref, Inputs: json.RawMessage(inputs), By: enginetest.Agent,
	})
	return x, err
}

// Skills in Skillbox's format run unchanged, also under a profile for approved skills only. Output
// in SANDBOX_OUTPUT is the result, files in SANDBOX_FILES_DIR are artifacts.
func TestRealSkillsRunUnchanged(t *testing.T) {
	realWorld(t).runExamples()
}

// The examples run on docker too, and a skill gets its requested image.
func TestRealSkillsOnDocker(t *testing.T) {
	w := dockerSkillWorld(t)
	w.runSkillsWithImages()
	w.runExamples()
}

// runSkillsWithImages runs a skill with each image that docker offers. Another is refused and named
// at the review.
func (w *world) runSkillsWithImages() {
	t := w.T
	for image, want := range map[string]string{"plain:1": "[false,false]", "skills:1": "[true,true]", "other:1": ""} {
		dir := t.TempDir()
		w.Must(os.WriteFile(filepath.Join(dir, "SKILL.md"), []byte("---\nname: "+strings.Replace(image, ":", "-", 1)+
			"\ndescription: A test.\nmetadata:\n  airlock.image: "+image+"\n---\n"), 0o600))
		w.Must(os.WriteFile(filepath.Join(dir, "main.py"), []byte("import importlib.util, shutil\n"+
			"set_result([importlib.util.find_spec('pandas') is not None, shutil.which('node') is not None])\n"), 0o600))
		ref := w.approve(dir)
		x, err := w.runSkill(ref, `{}`)
		if want == "" {
			enginetest.WantCode(t, err, app.CodeSandboxUnavailable)
			s, err := w.Skills.Get(t.Context(), ref)
			w.Must(err)
			missing := w.Skills.MissingNeeds(s.Versions[0], w.Profile.Placement)
			if len(missing) != 1 || missing[0] != "the image other:1" {
				t.Errorf("missing are %q", missing)
			}
			continue
		}
		w.Must(err)
		x = w.ended(x)
		if out, err := w.Reader.Output(t.Context(), x.Handle); err != nil || string(out.Result) != want {
			t.Errorf("%s: %s %s, result %s, %v", image, x.Status, x.Error, out.Result, err)
		}
	}
}

func (w *world) runExamples() {
	t := w.T
	_, err := w.Access.CodeRules.Set(t.Context(), enginetest.Person, w.Profile.Handle, app.MayRunApprovedSkills)
	w.Must(err)
	for name, c := range map[string]struct{ inputs, want, artifact string }{
		"row-totals": {`{"csv":"month,sold\nJan,2\nFeb,3\nJan,5\n","by":"month","sum":["sold"]}`,
			`{"rows":3,"totals":[{"month":"Feb","sold":3},{"month":"Jan","sold":7}]}`, "totals.csv"},
		"text-stats": {`{"text":"one two\nthree"}`, `{"lines":2,"words":3,"characters":13}`, ""},
		"json-diff":  {`{"before":{"a":1},"after":{"a":2}}`, `[{"path":"/a","before":1,"after":2}]`, ""},
	} {
		ref := w.approve(filepath.Join("..", "..", "examples", "skills", name))
		x, err := w.runSkill(ref, c.inputs)
		w.Must(err)
		x, err = w.Reader.Await(t.Context(), x, time.Minute)
		w.Must(err)
		out, err := w.Reader.Output(t.Context(), x.Handle)
		w.Must(err)
		left, err := w.Reader.Artifacts(t.Context(), x)
		w.Must(err)
		if c.artifact != "" && (len(left) != 1 || left[0].Name != c.artifact) {
			t.Errorf("%s left %+v", name, left)
		}
		if x.Status != app.StatusCompleted || string(out.Result) != c.want || x.Skill != name+"@1" ||
			x.Manifest.Skill == "" || x.Manifest.Skill != x.SkillDigest {
			t.Errorf("%s: %s %s, result %s, skill %s %+v\n%s", name, x.Status, x.Error, out.Result, x.Skill, x.Manifest, out.Stderr)
		}
	}
	_, err = w.runSkill("json-diff", `{"before":1}`)
	enginetest.WantCode(t, err, app.CodeInvalidField)
	_, err = w.runSkill("no-such", `{}`)
	enginetest.WantCode(t, err, app.CodeSkillNotFound)
}

// A skill has settings, set_result, read-only files and artifacts, in Python and by the command
// airlock. A revoked version doesn't start.
func TestRealSkillHasWhatScriptsHave(t *testing.T) {
	w := realWorld(t)
	write := func(name, entry, code string) string {
		dir := t.TempDir()
		w.Must(os.WriteFile(filepath.Join(dir, "SKILL.md"),
			[]byte("---\nname: "+name+"\ndescription: A test.\n---\nRead me.\n"), 0o600))
		w.Must(os.WriteFile(filepath.Join(dir, entry), []byte(code), 0o600))
		return w.approve(dir)
	}
	python := write("in-python", "main.py", `
import os
try:
    open(__file__, "a")
    raise SystemExit("the bundle can be written")
except OSError:
    pass
assert os.environ["SKILL_INSTRUCTIONS"].strip() == "Read me."
open(os.path.join(os.environ["SANDBOX_FILES_DIR"], "left.txt"), "w").write("left")
set_result({"keys": sorted(settings.keys()), "host": settings.get("DB_HOST")})
`)
	shell := write("in-shell", "main.sh", "set -eu\nprintf '{\"host\": \"%s\"}' \"$(airlock setting DB_HOST)\" | airlock result -\n")
	for _, ref := range []string{python, shell} {
		x, err := w.runSkill(ref, `{}`)
		w.Must(err)
		x, err = w.Reader.Await(t.Context(), x, time.Minute)
		w.Must(err)
		out, err := w.Reader.Output(t.Context(), x.Handle)
		w.Must(err)
		if x.Status != app.StatusCompleted || !strings.Contains(string(out.Result), `"host":"`) {
			t.Errorf("%s: %s %s, result %s\n%s", ref, x.Status, x.Error, out.Result, out.Stderr)
		}
	}
	fails := write("that-fails", "main.py", "def half(n):\n    return n / 0\n\nhalf(1)\n")
	x, err := w.runSkill(fails, `{}`)
	w.Must(err)
	x = w.ended(x)
	summary, traceback := app.SplitTraceback(x.Error)
	if summary != "ZeroDivisionError: division by zero" ||
		!strings.Contains(traceback, `skill/main.py", line 4, in <module>`+"\n    half(1)\n") ||
		strings.Count(traceback, "File ") != 2 || x.ErrorLine != 0 {
		t.Errorf("%s at line %d\n%s", summary, x.ErrorLine, traceback)
	}
	for name, want := range map[string]string{"exit 3": "exit code 3", "kill -9 $$": "signal 9"} {
		x, err := w.runSkill(write("shell-"+name[:4], "main.sh", name+"\n"), `{}`)
		w.Must(err)
		if summary, _ := app.SplitTraceback(w.ended(x).Error); summary != "SystemExit: main.sh ended with "+want+"; see stderr" {
			t.Errorf("%s: %q", name, summary)
		}
	}
	asks := write("that-asks", "main.sh", "set -eu\nanswer=$(airlock ask 'which \"month\"?')\nprintf '\"%s\"' \"$answer\" | airlock result -\n")
	node := ""
	if _, err := os.Stat("/usr/bin/node"); err == nil {
		node = write("node-asks", "main.js", "const {execFileSync} = require('child_process')\n"+
			"const said = execFileSync('airlock', ['ask', 'which \"month\"?'], {encoding: 'utf8'}).trim()\n"+
			"execFileSync('airlock', ['result', '-'], {input: JSON.stringify(said)})\n")
	}
	for _, ref := range []string{asks, node} {
		if ref == "" {
			continue
		}
		x, err := w.runSkill(ref, `{}`)
		w.Must(err)
		x = w.UntilStatus(x, app.StatusAwaitingLLM)
		if x.Request == nil || x.Request.Prompt != `which "month"?` {
			t.Fatalf("%s asks %+v", ref, x.Request)
		}
		_, err = w.Controller.Respond(t.Context(), x.ID, runner.Answer{Text: "May", By: enginetest.Agent})
		w.Must(err)
		x = w.UntilStatus(x, app.StatusCompleted)
		if out, err := w.Reader.Output(t.Context(), x.Handle); err != nil || string(out.Result) != `"May"` {
			t.Errorf("%s: %s, %v", ref, out.Result, err)
		}
	}
	w.Must(w.Access.Switches.Pause(t.Context(), enginetest.Person))
	x, err = w.runSkill(python, `{}`)
	w.Must(err)
	_, err = w.Skills.Revoke(t.Context(), enginetest.Person, python, 1, "It is wrong.")
	w.Must(err)
	w.Must(w.Access.Switches.Resume(t.Context(), enginetest.Person))
	w.Scheduler.Wake()
	if x = w.UntilStatus(x, app.StatusError); !strings.Contains(x.Error, "revoked") || !x.StartedAt.IsZero() {
		t.Errorf("a revoked version ended with %q", x.Error)
	}
}

// TestRealSkillWithoutItsPackagesIsRefused checks that missing packages are named before queueing.
// Names of distributions count too.
func TestRealSkillWithoutItsPackagesIsRefused(t *testing.T) {
	w := realWorld(t)
	write := func(name, code, requirements string) string {
		dir := t.TempDir()
		for file, content := range map[string]string{
			"SKILL.md": "---\nname: " + name + "\ndescription: A test.\n---\n", "main.py": code, "requirements.txt": requirements,
		} {
			w.Must(os.WriteFile(filepath.Join(dir, file), []byte(content), 0o600))
		}
		return w.approve(dir)
	}
	known := func() bool { _, ok := w.Sandboxes.InstalledFor(w.Profile.Placement); return ok }
	for end := time.Now().Add(30 * time.Second); !known(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("nobody finds out what boxes have")
		}
	}
	lacking := write("lacking", "import json, not_there.deep, PIL\n", "PyYAML>=1\nAlso_Missing[x]==2 # why\n")
	_, err := w.runSkill(lacking, `{}`)
	enginetest.WantCode(t, err, app.CodePackageMissing)
	if want := "the skill lacking@1 was not run: the sandbox bubblewrap lacks also-missing, not_there"; err == nil ||
		!strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}
	if n := w.Scheduler.CountQueued(); n != 0 {
		t.Errorf("%d executions are queued", n)
	}
	s, err := w.Skills.Get(t.Context(), lacking)
	w.Must(err)
	missing := w.Skills.MissingNeeds(s.Versions[0], w.Profile.Placement)
	if strings.Join(missing, " ") != "also-missing not_there" {
		t.Errorf("missing are %v", missing)
	}
	x, err := w.runSkill(write("having", "import yaml, PIL\ntry:\n    import not_there\nexcept ImportError:\n    set_result(1)\n",
		"PyYAML>=1\nPillow\ndataclasses\n"), `{}`)
	w.Must(err)
	w.UntilStatus(x, app.StatusCompleted)
}

// A skill runs within the operator's limits: a longer run time is cut, and a reviewer is told.
func TestRealSkillWithinLimits(t *testing.T) {
	w := realWorld(t)
	write := func(name, front string) string {
		dir := t.TempDir()
		w.Must(os.WriteFile(filepath.Join(dir, "SKILL.md"),
			[]byte("---\nname: "+name+"\ndescription: A test.\n"+front+"\n---\n"), 0o600))
		w.Must(os.WriteFile(filepath.Join(dir, "main.py"), []byte("set_result(1)\n"), 0o600))
		return w.approve(dir)
	}
	for _, c := range []struct{ name, front, missing string }{
		{"within", "metadata:\n  airlock.timeout: 900", ""},
		{"long", "timeout: 16m", "16m0s of run time (runs are ended after 15m0s)"},
	} {
		ref := write(c.name, c.front)
		s, err := w.Skills.Get(t.Context(), ref)
		w.Must(err)
		missing := w.Skills.MissingNeeds(s.Versions[0], w.Profile.Placement)
		if got := strings.Join(missing, ", "); got != c.missing {
			t.Errorf("%s lacks %q", c.name, got)
		}
		x, err := w.runSkill(ref, `{}`)
		w.Must(err)
		if x = w.ended(x); x.Status != app.StatusCompleted || x.Timeout != 15*time.Minute {
			t.Errorf("%s: %s %s, timeout %s", c.name, x.Status, x.Error, x.Timeout)
		}
	}
	if n := w.Scheduler.CountQueued(); n != 0 {
		t.Errorf("%d executions are queued", n)
	}
}

// The largest accepted inputs reach a shell and a Node program. One byte more is refused before
// queueing. Python takes more.
func TestRealSkillGetsInputsAsLargeAsTheEnvironmentTakes(t *testing.T) {
	w := realWorld(t)
	write := func(name, entry, code string) string {
		dir := t.TempDir()
		w.Must(os.WriteFile(filepath.Join(dir, "SKILL.md"),
			[]byte("---\nname: "+name+"\ndescription: A test.\n---\n"), 0o600))
		w.Must(os.WriteFile(filepath.Join(dir, entry), []byte(code), 0o600))
		return w.approve(dir)
	}
	inputs := func(n int) string { return `["ü` + strings.Repeat("x", n-len(`["ü"]`)) + `"]` }
	most := 128<<10 - len("SANDBOX_INPUT=") - 1
	run := func(ref string, n int) {
		t.Helper()
		x, err := w.runSkill(ref, " "+inputs(n)+"\n")
		w.Must(err)
		x = w.ended(x)
		if out, err := w.Reader.Output(t.Context(), x.Handle); err != nil || string(out.Result) != strconv.Itoa(n) {
			t.Errorf("%s with %d bytes: %s %s, result %s, %v\n%s", ref, n, x.Status, x.Error, out.Result, err, out.Stderr)
		}
	}
	programs := []string{write("in-shell", "main.sh", `printf %s "$SANDBOX_INPUT" | wc -c | airlock result -`+"\n")}
	if _, err := os.Stat("/usr/bin/node"); err == nil {
		programs = append(programs, write("in-node", "main.js", "const fs = require('fs')\nfs.writeFileSync(process.env.SANDBOX_OUTPUT, "+
			"String(Buffer.byteLength(process.env.SANDBOX_INPUT)))\n"))
	}
	for _, ref := range programs {
		run(ref, most)
		_, err := w.runSkill(ref, inputs(most+1))
		enginetest.WantCode(t, err, app.CodeTooLarge)
	}
	large := t.TempDir()
	w.Must(os.WriteFile(filepath.Join(large, "SKILL.md"), []byte("---\nname: large\ndescription: A test.\n---\n"), 0o600))
	w.Must(os.WriteFile(filepath.Join(large, "data.bin"), bytes.Repeat([]byte("\x00\xff\n"), 100<<10), 0o600))
	w.Must(os.WriteFile(filepath.Join(large, "main.sh"), []byte(`wc -c <"${0%/*}/data.bin" | airlock result -`), 0o600))
	x, err := w.runSkill(w.approve(large), `{}`)
	w.Must(err)
	if out, err := w.Reader.Output(t.Context(), w.ended(x).Handle); err != nil || string(out.Result) != "307200" {
		t.Errorf("a large skill: result %s, %v, %s", out.Result, err, out.Stderr)
	}
	run(write("in-python", "main.py", "import os\nset_result(len(os.environ['SANDBOX_INPUT'].encode()))\n"), most+1)
}

func (w *world) ended(x app.Execution) app.Execution {
	w.T.Helper()
	x, err := w.Reader.Await(w.T.Context(), x, time.Minute)
	w.Must(err)
	return x
}
