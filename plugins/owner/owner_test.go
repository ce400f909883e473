package owner

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// ended returns the ID of an ended process, and a function that reaps it.
func ended(t *testing.T) (id ID, reap func()) {
	t.Helper()
	command := exec.Command("sleep", "1000")
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	id, err := idOf(command.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	if id.Dead() {
		t.Errorf("%s runs and counts as dead", id)
	}
	if err := command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	return id, func() { _ = command.Wait() }
}

func TestDead(t *testing.T) {
	self, err := Self()
	if err != nil {
		t.Fatal(err)
	}
	if self.Dead() {
		t.Errorf("%s, which is this process, counts as dead", self)
	}
	id, reap := ended(t)
	reap()
	if !id.Dead() {
		t.Errorf("%s has ended and does not count as dead", id)
	}
	where, ok := place()
	if !ok {
		t.Fatal("this host hides its boot or its pid namespaces")
	}
	boot, namespace, _ := strings.Cut(where, "-")
	if again := self[:strings.LastIndexByte(string(self), '-')] + "-1"; !again.Dead() {
		t.Errorf("%s counts as alive because its number was given out again", again)
	}
	for _, unknown := range []ID{
		"", "x", "1-2", "nowhere-1-1", id + "-1", "-" + id, ID(where), ID(where + "-0-0"), ID(where + "--1-0"),
		ID(where + "-!-1"),
		ID(strings.Replace(string(id), namespace, "1", 1)), ID(strings.Replace(string(id), boot, "00000000", 1)),
	} {
		if unknown.Dead() {
			t.Errorf("%q counts as dead, which nobody can know", unknown)
		}
	}
}

func TestZombieIsDead(t *testing.T) {
	id, reap := ended(t)
	defer reap()
	for !id.Dead() { // until the signal has arrived; go test bounds it
		continue
	}
}

func TestMkdirTempRemovesWhatTheDeadLeft(t *testing.T) {
	dir := t.TempDir()
	id, reap := ended(t)
	reap()
	const prefix = "airlock-test-"
	mine, err := MkdirTemp(dir, prefix)
	if err != nil {
		t.Fatal(err)
	}
	stays := map[string]bool{mine: true}
	for name, want := range map[string]bool{
		"other-" + string(id) + ".1": true, prefix + "1-2-3-4.1": true, prefix + "none": true,
		prefix + string(id) + ".1": false,
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Join(path, "below"), 0o700); err != nil {
			t.Fatal(err)
		}
		stays[path] = want
	}
	again, err := MkdirTemp(dir, prefix)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(again); err != nil || info.Mode().Perm() != 0o700 || again == mine {
		t.Errorf("made %s (%v, %v)", again, info, err)
	}
	for path, want := range stays {
		if _, err := os.Stat(path); (err == nil) != want {
			t.Errorf("%s: %v, and it should stay: %v", path, err, want)
		}
	}
}
