package ssh

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/sandboxtest"
	"github.com/computclaw/airlock/plugins/ssh/sshtest"
)

// TestMachineOutOfTimeFirst: the machine knew a Check's deadline and could answer first. That was
// taken for its failure.
func TestMachineOutOfTimeFirst(t *testing.T) {
	m := sshtest.New(t, sshtest.Options{})
	_, cfg := sandboxtest.Open(t, Name, m.Settings())
	b := New()
	defer b.drop()
	if r, err := b.Check(t.Context(), cfg); err != nil || !r.Ready {
		t.Fatalf("%v, %+v", err, r)
	}
	before := b.link.Load()
	if r, err := b.Check(sandboxtest.Late(t.Context(), 50*time.Millisecond), cfg); err != nil || !r.Ready {
		t.Errorf("the machine was out of time: %v, %+v", err, r)
	}
	if l, _, err := b.openLink(t.Context()); err != nil || l != before {
		t.Errorf("boxes are opened over %p, error %v; the link before was %p", l, err, before)
	}
}

// TestHoleLinkLostDuringACheck: the machine was put out of use, with words about a plugin.
func TestHoleLinkLostDuringACheck(t *testing.T) {
	m := sshtest.New(t, sshtest.Options{})
	_, cfg := sandboxtest.Open(t, Name, m.Settings())
	b := New()
	defer b.drop()
	if r, err := b.Check(t.Context(), cfg); err != nil || !r.Ready {
		t.Fatalf("%v, %+v", err, r)
	}
	before := b.link.Load()
	signalAll(t, remoteOf(t, m), syscall.SIGSTOP) // so that the link is lost while the next Check waits
	if r, err := b.Check(t.Context(), cfg); err != nil || !r.Ready {
		t.Errorf("%v, %+v", err, r)
	}
	if b.link.Load() == before {
		t.Error("the link was not lost")
	}
}

// refused checks a machine that must not be found ready, and returns the reason.
func refused(t *testing.T, settings map[string]string) string {
	t.Helper()
	client, cfg := sandboxtest.Open(t, Name, settings)
	r, err := client.Check(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if r.Ready || r.Reason == "" || r.Tier != plugins.TierNone {
		t.Fatalf("%+v, want it refused", r)
	}
	if strings.Contains(r.Reason, "PRIVATE KEY") {
		t.Error("the reason shows the key")
	}
	if _, err := client.Run(t.Context(), plugins.Spec{ID: "x"}, strings.NewReader(""), &strings.Builder{}); err == nil {
		t.Error("an unready backend ran a box")
	}
	return r.Reason
}

func wantWords(t *testing.T, text string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(text, w) {
			t.Errorf("%q doesn't say %q", text, w)
		}
	}
}

func TestRefusals(t *testing.T) {
	m := sshtest.New(t, sshtest.Options{})
	stranger, other := sshtest.NewKey(t)
	t.Run("first contact", func(t *testing.T) {
		reason := refused(t, m.Settings("host_key="))
		wantWords(t, reason, ssh.FingerprintSHA256(m.HostKey), "AIRLOCK_SSH_HOST_KEY='"+line(m.HostKey)+"'")
		ready(t, m.Settings("host_key="+line(m.HostKey)))
	})
	t.Run("wrong host key", func(t *testing.T) {
		wantWords(t, refused(t, m.Settings("host_key="+line(other.PublicKey()))), "another host key",
			ssh.FingerprintSHA256(m.HostKey))
	})
	t.Run("wrong user key", func(t *testing.T) {
		wantWords(t, refused(t, m.Settings("key="+stranger)), "authorized_keys", line(other.PublicKey()))
	})
	t.Run("nobody listens", func(t *testing.T) {
		wantWords(t, refused(t, m.Settings("host="+m.Address+":1")), "can't be reached", "AIRLOCK_SSH_HOST")
	})
	t.Run("no such user", func(t *testing.T) {
		wantWords(t, refused(t, m.Settings("user=nosuchuser")), "authorized_keys", "AllowUsers", "locked")
	})
	t.Run("unknown setting", func(t *testing.T) {
		wantWords(t, refused(t, m.Settings("limts=polled")), "unknown setting", "AIRLOCK_PLUGIN_SSH_LIMITS")
	})
	t.Run("directory of somebody else", func(t *testing.T) {
		wantWords(t, refused(t, m.Settings("dir=/usr/lib/airlock-test")), "AIRLOCK_PLUGIN_SSH_DIR")
	})
}

// ssh-keygen takes one file, and hosts have several keys, so the shown command failed with "Too
// many arguments".
func TestShownCommandPrintsFingerprints(t *testing.T) {
	m := sshtest.New(t, sshtest.Options{})
	reason := refused(t, m.Settings("host_key="))
	_, command, _ := strings.Cut(reason, "on the machine itself (")
	command, _, found := strings.Cut(command, "); if")
	if !found {
		t.Fatalf("no command in %q", reason)
	}
	dir, want := t.TempDir(), []string{}
	for _, kind := range []string{"ecdsa", "ed25519"} {
		_, key := sshtest.NewKey(t)
		if err := os.WriteFile(filepath.Join(dir, "ssh_host_"+kind+"_key.pub"),
			ssh.MarshalAuthorizedKey(key.PublicKey()),
			0o644); err != nil {
			t.Fatal(err)
		}
		want = append(want, ssh.FingerprintSHA256(key.PublicKey()))
	}
	out, err := exec.Command("sh", "-c", strings.ReplaceAll(command, "/etc/ssh", dir)).CombinedOutput()
	if err != nil {
		t.Errorf("%s: %v", command, err)
	}
	wantWords(t, string(out), want...)
}

// The fix for a machine without processor limits must name that machine, not this one.
func TestFixesAreForTheOtherMachine(t *testing.T) {
	m := sshtest.New(t, sshtest.Options{})
	client, cfg := sandboxtest.Open(t, Name, m.Settings("limits=polled"))
	r, err := client.Check(t.Context(), cfg)
	if err != nil || !r.Ready {
		t.Fatalf("%v, %+v", err, r)
	}
	fixes := ""
	for _, c := range r.Controls {
		fixes += c.Fix
	}
	wantWords(t, fixes, "loginctl enable-linger")
	if strings.Contains(fixes, "BUBBLEWRAP") {
		t.Errorf("another backend's variable: %q", fixes)
	}
}

func TestFullDisk(t *testing.T) {
	m := sshtest.New(t, sshtest.Options{Home: "size=1m"})
	wantWords(t, refused(t, m.Settings()), "No space left", "AIRLOCK_PLUGIN_SSH_DIR")
	entries, err := os.ReadDir(filepath.Join(m.Home(), ".cache/airlock"))
	if err != nil || len(entries) != 0 {
		t.Errorf("%v, %v are left of the upload", entries, err)
	}
}

func TestHomeThatExecutesNothing(t *testing.T) {
	m := sshtest.New(t, sshtest.Options{Home: "noexec"})
	wantWords(t, refused(t, m.Settings()), "noexec", "AIRLOCK_PLUGIN_SSH_DIR")
}

func TestMissingPrograms(t *testing.T) {
	m := sshtest.New(t, sshtest.Options{})
	for path, want := range map[string]string{"/usr/bin/bwrap": "bubblewrap is not installed",
		"/usr/bin/python3": "no /usr/bin/python3"} {
		t.Run(path, func(t *testing.T) {
			real, err := filepath.EvalSymlinks(path)
			if err != nil {
				t.Fatal(err)
			}
			sshtest.Run(t, "mount", "--bind", "/dev/null", real)
			t.Cleanup(func() { sshtest.Run(t, "umount", real) })
			wantWords(t, refused(t, m.Settings()), want, "apt-get install", m.User+"@")
		})
	}
}
