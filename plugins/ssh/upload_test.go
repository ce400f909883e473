package ssh

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/computclaw/airlock/plugins/ssh/sshtest"
)

func TestManyBoxes(t *testing.T) {
	for _, sessions := range []string{"10", "1"} {
		t.Run(sessions, func(t *testing.T) {
			m := sshtest.New(t, sshtest.Options{Conf: []string{"MaxSessions " + sessions}})
			client, _ := ready(t, m.Settings())
			var wg sync.WaitGroup
			for i := range 30 {
				wg.Go(func() {
					if got := says(t, client, fmt.Sprintf("import time; time.sleep(1); print(%d)",
						i*i)); got != strconv.Itoa(i*i) {
						t.Errorf("box %d printed %q", i, got)
					}
				})
			}
			wg.Wait()
		})
	}
}

func TestNothingSecretIsThere(t *testing.T) {
	m := sshtest.New(t, sshtest.Options{})
	client, _ := ready(t, m.Settings())
	secret := "canary-" + token()
	open(t, client, secret)
	// the first lines of all keys are alike, and other tests have some in their environment
	needles := []string{secret, strings.Split(m.Key, "\n")[3]}
	for _, kind := range []string{"cmdline", "environ"} {
		files, _ := filepath.Glob("/proc/[0-9]*/" + kind)
		for _, file := range files {
			text, err := os.ReadFile(file)
			for _, needle := range needles {
				if err == nil && bytes.Contains(text, []byte(needle)) {
					t.Errorf("%s shows a secret", file)
				}
			}
		}
	}
	err := filepath.WalkDir(m.Home(), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if !strings.HasPrefix(d.Name(), "airlock-") || info.Mode().Perm() != 0o500 {
			t.Errorf("%s (%s) was left on the machine", path, info.Mode())
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(m.Home(), ".cache/airlock"))
	if err != nil || info.Mode().Perm() != 0o700 || int(info.Sys().(*syscall.Stat_t).Uid) != m.UID() {
		t.Errorf("%v, %v, want a directory of the remote user's own", info, err)
	}
}

func TestUploads(t *testing.T) {
	m := sshtest.New(t, sshtest.Options{})
	ready(t, m.Settings())
	programs, err := filepath.Glob(filepath.Join(m.Home(), ".cache/airlock/*"))
	if err != nil || len(programs) != 2 {
		t.Fatalf("%v, %v, want two programs", programs, err)
	}
	inodes := func() (all []uint64) {
		for _, p := range programs {
			info, err := os.Stat(p)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, info.Sys().(*syscall.Stat_t).Ino)
		}
		return all
	}
	before := inodes()
	old := filepath.Join(m.Home(), ".cache/airlock/airlock-remote-"+strings.Repeat("0", 64))
	if err := os.WriteFile(old, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if os.Getuid() == 0 {
		if err := os.Chown(old, m.UID(), m.UID()); err != nil {
			t.Fatal(err)
		}
	}
	ready(t, m.Settings())
	if after := inodes(); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Error("programs that were there were sent again")
	}
	if _, err := os.Stat(old); !os.IsNotExist(err) {
		t.Errorf("another version is still there: %v", err)
	}
	for _, p := range programs { // another file in its place: the old one may be running
		if err := os.Remove(p); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte("#!/bin/sh\ntouch \"$HOME/executed\"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		if os.Getuid() == 0 {
			if err := os.Chown(p, m.UID(), m.UID()); err != nil {
				t.Fatal(err)
			}
		}
	}
	client, _ := ready(t, m.Settings())
	if got := says(t, client, "print('right')"); got != "right" {
		t.Errorf("printed %q", got)
	}
	if _, err := os.Stat(filepath.Join(m.Home(), "executed")); !os.IsNotExist(err) {
		t.Errorf("a program with another digest was executed: %v", err)
	}
}

func TestNoisyAccount(t *testing.T) {
	m := sshtest.New(t, sshtest.Options{Shell: "/bin/bash"})
	const noise = "echo Welcome to airlock-land; echo; seq 1000; echo >&2 warning\n"
	if err := os.WriteFile(filepath.Join(m.Home(), ".bashrc"), []byte(noise), 0o644); err != nil {
		t.Fatal(err)
	}
	client, _ := ready(t, m.Settings())
	if got := says(t, client, "print('heard')"); got != "heard" {
		t.Errorf("printed %q", got)
	}
}

// TestScope replaces systemd-run by a stand-in that notes its arguments and becomes the command.
// Tests have no user manager.
func TestScope(t *testing.T) {
	m := sshtest.New(t, sshtest.Options{})
	fake := m.Write("systemd-run", `#!/bin/sh
echo "$@" >> "$HOME/scopes"
while [ "$1" != -- ]; do shift; done
shift
exec "$@"
`, 0o755)
	sshtest.Run(t, "mount", "--bind", fake, "/usr/bin/systemd-run")
	t.Cleanup(func() { sshtest.Run(t, "umount", "/usr/bin/systemd-run") })
	ready(t, m.Settings("limits=auto"))
	text, err := os.ReadFile(filepath.Join(m.Home(), "scopes"))
	if err != nil {
		t.Fatal(err)
	}
	const flags = "--user --scope --quiet --collect -p Delegate=yes -- "
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(lines) != 2 || lines[0] != flags+"true" ||
		!strings.HasPrefix(lines[1], flags+m.Home()+"/.cache/airlock/airlock-remote-") {
		t.Errorf("systemd-run was called with %q", lines)
	}
	ready(t, m.Settings("limits=polled"))
	if again, err := os.ReadFile(filepath.Join(m.Home(), "scopes")); err != nil || !bytes.Equal(again, text) {
		t.Errorf("a scope was made although limits are to be polled: %q, %v", again, err)
	}
}
