package bubblewrap

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/memfile"
	"github.com/computclaw/airlock/plugins/sandboxtest"
	"github.com/google/go-cmp/cmp"
)

func TestPace(t *testing.T) {
	p := pollInterval{least: 100 * time.Millisecond, most: time.Second}
	idle, busy := usage{cpu: 1}, usage{cpu: 2}
	for i, look := range []struct {
		u    usage
		want time.Duration
	}{
		{idle, 100 * time.Millisecond},
		{idle, 200 * time.Millisecond},
		{idle, 400 * time.Millisecond},
		{idle, 800 * time.Millisecond},
		{idle, time.Second},
		{idle, time.Second},
		{busy, 100 * time.Millisecond},
		{busy, 200 * time.Millisecond},
	} {
		if got := p.next(look.u); got != look.want {
			t.Errorf("look %d: %s until the next, want %s", i, got, look.want)
		}
	}
}

func TestParseSettings(t *testing.T) {
	tests := []struct {
		in   map[string]string
		want settings
		err  string
	}{
		{in: nil, want: settings{root: "/", limits: "auto", box: "template"}},
		{
			in: map[string]string{"bwrap": "/opt/bwrap", "root": "/srv/root", "usr_local": "true", "limits": "polled",
				"cgroup": "/sys/fs/cgroup/a", "box": "fresh"},
			want: settings{bwrap: "/opt/bwrap", root: "/srv/root", usrLocal: true, limits: "polled",
				cgroup: "/sys/fs/cgroup/a", box: "fresh"},
		},
		{in: map[string]string{"limit": "polled"}, err: "unknown setting; there are AIRLOCK_PLUGIN_BUBBLEWRAP_BOX, "},
		{in: map[string]string{"limits": "none"}, err: "none of auto"},
		{in: map[string]string{"root": "srv"}, err: "absolute"},
		{in: map[string]string{"root": "/srv/../etc"}, err: "clean"},
		{in: map[string]string{"usr_local": "maybe"}, err: "usr_local"},
	}
	for _, tt := range tests {
		got, err := parseSettings(tt.in)
		if tt.err != "" {
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%v: error %v, want %q", tt.in, err, tt.err)
			}
			continue
		}
		if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(settings{})); err != nil || diff != "" {
			t.Errorf("%v: %v %s", tt.in, err, diff)
		}
	}
}

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

// TestOnlySmallFilesForEverybodyAreCopied: a copy belongs to the script, and a large one would take
// memory.
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
	// one that was made private since then is bound, as it would have been
	args := string(l.arguments(purpose{}, fds{copies: []int{0}, files: make([]int, len(etcFiles()))}))
	if want := "--ro-bind\x00" + root + "/etc/services\x00/etc/services\x00"; !strings.Contains(args, want) {
		t.Errorf("%q lacks %q", args, want)
	}
}

// TestFactsThatOnlyRootReadsNeedNoMount, and those that a group reads do: an unprivileged Airlock's
// groups stay in its boxes.
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

// TestABoxOpensWithTheFewestFiles: bubblewrap holds all descriptors of its set-up at once.
func TestABoxOpensWithTheFewestFiles(t *testing.T) {
	backend := New(WithGuest(sandboxtest.Guest(t)))
	if r, err := backend.Check(t.Context(), plugins.Config{Instance: "test-files"}); err != nil || !r.Ready {
		t.Fatalf("%v, %+v", err, r)
	}
	h, err := backend.ready.Host(Name)
	if err != nil {
		t.Fatal(err)
	}
	source := filepath.Join(t.TempDir(), "small")
	if err := os.WriteFile(source, []byte("small"), 0o644); err != nil {
		t.Fatal(err)
	}
	for n := len(h.layout.copies); n < maxCopies; n++ { // as on a host that has more of them
		h.layout.copies = append(h.layout.copies, [2]string{source, fmt.Sprintf("/etc/copy%d", n)})
	}
	spec := plugins.Spec{ID: "few", Limits: plugins.Limits{Files: least().Files}}
	var out bytes.Buffer
	exit, err := backend.Run(t.Context(), spec, strings.NewReader("{\"echo\":true}\nheard"), &out)
	if err != nil || exit.Code != 0 || !strings.Contains(out.String(), "heard") {
		t.Errorf("%v, %+v, %q", err, exit, out.String())
	}
}

// TestLayoutReplacesRoots: every place that programs look for roots in leads to the bundle, the
// runtime's own are found under another name, and nothing of the runtime is shown that wasn't.
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

func TestAdvice(t *testing.T) {
	tests := []struct {
		err    error
		sysctl map[string]string
		want   string
	}{
		{syscall.EPERM, nil, "deploy/seccomp/airlock.json --security-opt systempaths=unconfined"},
		{syscall.EPERM, map[string]string{"kernel.unprivileged_userns_clone": "0"}, "unprivileged_userns_clone=1"},
		{syscall.ENOSPC, map[string]string{"user.max_user_namespaces": "0"}, "max_user_namespaces="},
		{errors.New("bwrap: setting up uid map: Permission denied"),
			map[string]string{"kernel.apparmor_restrict_unprivileged_userns": "1"}, "deploy/apparmor/airlock-bwrap"},
		{errors.New("bwrap: Can't mount proc on /newroot/proc: Operation not permitted"), nil,
			"systempaths=unconfined"},
		{errors.New("mount proc: operation not permitted"), nil, "systempaths=unconfined"},
		{errors.New("something else"), nil, ""},
	}
	for _, tt := range tests {
		got := advise(tt.err, surroundings{sysctl: func(name string) string { return tt.sysctl[name] }})
		if !strings.Contains(got, tt.want) || (tt.want == "") != (got == "") {
			t.Errorf("%v: %q, want %q", tt.err, got, tt.want)
		}
	}
}

// With the shipped profile and --cap-drop ALL the advice was to use the shipped profile.
func TestAdviceForRootWithoutCapabilities(t *testing.T) {
	none := func(string) string { return "" }
	const caps = "--cap-add SETUID --cap-add SETGID"
	if got := advise(syscall.EPERM, surroundings{sysctl: none, powerless: true}); !strings.Contains(got, caps) {
		t.Errorf("%q", got)
	}
	if got := advise(syscall.EPERM, surroundings{sysctl: none}); strings.Contains(got, caps) {
		t.Errorf("%q, but it has them", got)
	}
}

func TestPythonPackages(t *testing.T) {
	const status = `Package: python3-httpx
Status: install ok installed
Architecture: all
Version: 0.23.3-1
Description: HTTP client
 Package: python3-fake

Package: python3-gone
Status: deinstall ok config-files
Version: 1

Package: libc6
Status: install ok installed
Architecture: amd64
Version: 2.36

Package: vim
Status: install ok installed
Version: 9
`
	want := []string{"libc6 2.36 amd64", "python3-httpx 0.23.3-1 all"}
	if diff := cmp.Diff(want, pythonPackages([]byte(status))); diff != "" {
		t.Error(diff)
	}
}

func TestSupported(t *testing.T) {
	for version, want := range map[string]bool{"3.9.0": true, "3.11.2": true, "3.8.20": false, "2.7.18": false,
		"4.0": false, "": false, "three": false} {
		if supported(version) != want {
			t.Errorf("supported(%q) = %v", version, !want)
		}
	}
}

func TestSealedFileCannotChange(t *testing.T) {
	f, err := memfile.Sealed("x", []byte("content"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	path := "/proc/self/fd/" + strconv.Itoa(int(f.Fd()))
	if w, err := os.OpenFile(path, os.O_RDWR, 0); err == nil {
		defer w.Close()
		if _, err := w.Write([]byte("other")); err == nil {
			t.Error("a sealed file was written to")
		}
		if err := w.Truncate(0); err == nil {
			t.Error("a sealed file was cut")
		}
	}
}

// TestUnready goes through a real plugin, like everything a person will see.
func TestUnready(t *testing.T) {
	client, cfg := sandboxtest.Open(t, Name, nil)
	for name, tt := range map[string]struct {
		settings map[string]string
		want     string
	}{
		"unknown setting": {map[string]string{"limts": "polled"}, "unknown setting"},
		"no bwrap":        {map[string]string{"bwrap": "/nonexistent/bwrap"}, "bwrap"},
		"bwrap fails":     {map[string]string{"bwrap": "/bin/false"}, "--version"},
		"no runtime":      {map[string]string{"root": "/nonexistent"}, "usr"},
		"no cgroup":       {map[string]string{"cgroup": "/nonexistent"}, "Leave out the settings limits and cgroup"},
	} {
		t.Run(name, func(t *testing.T) {
			cfg.Settings = tt.settings
			r, err := client.Check(t.Context(), cfg)
			if err != nil {
				t.Fatal(err)
			}
			if r.Ready || r.Tier != plugins.TierNone || !strings.Contains(r.Reason, tt.want) {
				t.Errorf("%+v, want a reason with %q", r, tt.want)
			}
			if _, err := client.Run(t.Context(), plugins.Spec{ID: "x"}, strings.NewReader(""),
				&strings.Builder{}); err == nil {
				t.Error("an unready backend ran a box")
			}
		})
	}
}
