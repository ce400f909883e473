package bubblewrap

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
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
		binds:   [][2]string{{root + "/lib", "/lib"}, {root + "/etc/ssl/certs", "/etc/ssl/system/1"}},
		masked:  readableFacts("/proc"),
		covered: []string{"/usr/src", "/usr/local"},
		made: [][2]string{{"/tmp/.airlock/ca.pem", "/etc/ssl/cert.pem"},
			{"/tmp/.airlock/ca.pem", "/etc/ssl/certs/ca-certificates.crt"}},
	}
	if diff := cmp.Diff(want, l, cmp.AllowUnexported(layout{})); diff != "" {
		t.Error(diff)
	}
	if _, err := findLayout(t.TempDir(), false); err == nil {
		t.Error("a root without usr: no error")
	}
}

func TestOnlySmallFilesForEverybodyAreCopied(t *testing.T) {
	root := t.TempDir()
	for _, dir := range []string{"usr", "etc/java-9", "etc/ssl"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, mode := range map[string]os.FileMode{"services": 0o644, "protocols": 0o640, "java-9/a.cfg": 0o600} {
		if err := os.WriteFile(filepath.Join(root, "etc", name), []byte("small"), mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "etc/mime.types"), make([]byte, maxCopied+1), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../services", filepath.Join(root, "etc/ssl/openssl.cnf")); err != nil {
		t.Fatal(err)
	}
	l, err := findLayout(root, false)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][2]string{{root + "/etc/services", "/etc/services"}}, l.copies); diff != "" {
		t.Error(diff)
	}
	var bound []string
	for _, bind := range l.binds {
		bound = append(bound, bind[1])
	}
	slices.Sort(bound)
	if diff := cmp.Diff([]string{"/etc/java-9/a.cfg", "/etc/mime.types", "/etc/protocols", "/etc/ssl/openssl.cnf"},
		bound); diff != "" {
		t.Error(diff)
	}
	args := string(l.arguments(purpose{}, fds{copies: []int{0}, files: make([]int, len(etcFiles()))}))
	if want := "--ro-bind\x00" + root + "/etc/services\x00/etc/services\x00"; !strings.Contains(args, want) {
		t.Errorf("%q lacks %q", args, want)
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

// TestLayoutReplacesRoots checks that all paths of roots lead to the bundle, and nothing new is
// shown.
func TestLayoutReplacesRoots(t *testing.T) {
	root := t.TempDir()
	for _, file := range []string{"etc/ssl/certs/ca-certificates.crt", "etc/ssl/certs/one.pem",
		"etc/ssl/certs/java/cacerts", "usr/lib/ssl/misc", "etc/pki/tls/certs/ca-bundle.crt", "etc/pki/tls/private/key",
		"usr/local/lib/python3.12/site-packages/certifi/cacert.pem", "etc/java-17/security/java.security"} {
		if err := os.MkdirAll(filepath.Join(root, filepath.Dir(file)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, file), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	l, err := findLayout(root, false)
	if err != nil {
		t.Fatal(err)
	}
	made := map[string]string{}
	for _, link := range l.made {
		made[link[1]] = link[0]
	}
	want := map[string]string{
		"/etc/ssl/certs/ca-certificates.crt": "/tmp/.airlock/ca.pem", "/etc/ssl/cert.pem": "/tmp/.airlock/ca.pem",
		"/etc/pki/tls/certs/ca-bundle.crt": "/tmp/.airlock/ca.pem", "/etc/pki/tls/cert.pem": "/tmp/.airlock/ca.pem",
		"/usr/lib/ssl/cert.pem": "/tmp/.airlock/ca.pem", "/etc/ssl/certs/java/cacerts": "/tmp/.airlock/cacerts",
		"/etc/ssl/certs/one.pem": "/etc/ssl/system/3/one.pem", "/usr/lib/ssl/misc": "/etc/ssl/system/5/misc",
		"/usr/lib/ssl/certs": "/etc/ssl/system/3", "/etc/ssl/system/roots.pem": "/etc/ssl/system/3/ca-certificates.crt",
	}
	if diff := cmp.Diff(want, made); diff != "" {
		t.Error(diff)
	}
	binds := map[string]string{}
	for _, bind := range l.binds {
		binds[bind[1]] = strings.TrimPrefix(bind[0], root)
	}
	if diff := cmp.Diff(map[string]string{"/etc/ssl/system/3": "/etc/ssl/certs", "/etc/ssl/system/5": "/usr/lib/ssl",
		"/etc/ssl/system/1": "/etc/pki/tls/certs", "/etc/java-17/security": "/etc/java-17/security"}, binds); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"/usr/lib/ssl"}, l.remade); diff != "" {
		t.Error(diff)
	}
}
