package bubblewrap

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLayout(t *testing.T) {
	root := t.TempDir()
	for _, dir := range []string{"usr/local", "usr/src", "etc/ssl/certs", "lib"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("usr/bin", filepath.Join(root, "bin")); err != nil {
		t.Fatal(err)
	}
	l, err := findLayout(root, false)
	if err != nil {
		t.Fatal(err)
	}
	want := layout{
		usr: root + "/usr", links: [][2]string{{"usr/bin", "/bin"}},
		binds:   [][2]string{{root + "/lib", "/lib"}, {root + "/etc/ssl/certs", "/etc/ssl/certs"}},
		masked:  readableFacts("/proc"),
		covered: []string{"/usr/src", "/usr/local"},
	}
	if diff := cmp.Diff(want, l, cmp.AllowUnexported(layout{})); diff != "" {
		t.Error(diff)
	}
	if _, err := findLayout(t.TempDir(), false); err == nil {
		t.Error("a root without usr: no error")
	}
}

// TestFactsThatOnlyRootReadsNeedNoMount checks group-readable facts too: boxes keep an unprivileged
// Airlock's groups.
func TestFactsThatOnlyRootReadsNeedNoMount(t *testing.T) {
	proc := t.TempDir()
	for name, mode := range map[string]os.FileMode{"cmdline": 0o444, "keys": 0o440, "timer_list": 0o400, "uptime": 0o444} {
		if err := os.WriteFile(filepath.Join(proc, name), nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{"/proc/cmdline", "/proc/keys"}, readableFacts(proc)); diff != "" {
		t.Error(diff)
	}
}
