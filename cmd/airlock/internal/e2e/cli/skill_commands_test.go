package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/computclaw/airlock/app/skills/bundle"
	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
)

// TestSkillCommands: a folder is checked, pushed and pulled unchanged, executable bits included.
// Errors name file and line, and nothing is sent.
func TestSkillCommands(t *testing.T) {
	t.Parallel()
	d := filesDesk{e2e.StartInstance(t, "AIRLOCK_SANDBOX=bubblewrap", "AIRLOCK_POOL=1")}
	profile := d.PlaceProfile("bubblewrap")
	dir := t.TempDir()
	folder, copied := filepath.Join(dir, "totals"), filepath.Join(dir, "copied")
	write := func(path, content string, mode os.FileMode) {
		t.Helper()
		path = filepath.Join(folder, path)
		e2e.Must(t, os.MkdirAll(filepath.Dir(path), 0o700))
		e2e.Must(t, os.WriteFile(path, []byte(content), mode))
	}
	write("SKILL.md", "---\nname: totals\ndescription: Sums\nmetadata:\n  airlock.input-schema: '{\"type\":\"object\"}'\n---\n", 0o600)
	write("main.py", "set_result(1)", 0o600)
	write("tools/helper.sh", "echo", 0o700)
	write("wrong.json", "[]", 0o600)
	b, err := bundle.ReadFolder(folder)
	e2e.Must(t, err)
	run := func(ok bool, want string, args ...string) {
		t.Helper()
		command := d.Command(append([]string{"skill"}, args...)...)
		command.Env = append(command.Env, "AIRLOCK_URL="+d.URL, "AIRLOCK_PROFILE="+profile)
		out, err := command.CombinedOutput()
		if (err == nil) != ok || !strings.Contains(string(out), want) {
			t.Errorf("%v: %v, want %q in\n%s", args, err, want, out)
		}
	}
	run(true, b.Digest(), "check", folder)
	run(false, "inputs: got array, want object", "check", folder, "--inputs", filepath.Join(folder, "wrong.json"))
	run(true, "totals@1 "+b.Digest(), "push", folder)
	run(true, "totals@1 "+b.Digest(), "push", folder)
	run(true, b.Digest(), "pull", "totals@1", copied)
	if again, err := bundle.ReadFolder(copied); err != nil || again.Digest() != b.Digest() {
		t.Errorf("pulled %s, %v; pushed %s", again.Digest(), err, b.Digest())
	}
	run(false, "is not empty", "pull", "totals", copied)
	write("SKILL.md", "---\nname: Totals\ndescription: Sums\n---\n", 0o600)
	for _, command := range []string{"check", "push"} {
		run(false, "SKILL.md:2", command, folder)
	}
	run(false, "skill_not_found", "pull", "no-such")
	if n := d.Count("select count(*) from skill_versions"); n != 1 {
		t.Errorf("%d versions are kept", n)
	}
}
