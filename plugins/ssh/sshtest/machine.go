package sshtest

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
)

// Machine is another host: an OpenSSH server in its own network namespace, behind a link that can
// be cut. There can be one at a time.
type Machine struct {
	Address string // without the port
	User    string
	Key     string // of the user, PEM
	HostKey ssh.PublicKey

	t      testing.TB
	dir    string
	signer ssh.Signer
	holder int    // process whose network namespace it is
	link   string // our end of it
	conf   string
	within []string
	sshd   *exec.Cmd
}

// Options of a machine.
type Options struct {
	Home   string   // mount options of the home directory, which is a tmpfs
	Shell  string   // of the user; /bin/sh if empty
	Conf   []string // more lines of sshd_config
	Within []string // cgroup directories that sshd lives in
}

const port = "2222"

// TestUID is the remote user's, if we are root. Otherwise it is our own: only root can log others
// in.
const TestUID = 54321

// New sets a machine up, until the end of the test. A missing sshd is a failure.
func New(t testing.TB, o Options) *Machine {
	t.Helper()
	ours, err := os.Readlink("/proc/self/ns/mnt")
	if init, ierr := os.Readlink("/proc/1/ns/mnt"); err != nil || ierr == nil && ours == init {
		t.Fatal("a machine is mounted over /etc and /run: the test needs a mount namespace of its own")
	}
	m := &Machine{t: t, dir: t.TempDir(), User: "airlocktest", within: o.Within}
	for _, dir := range []string{filepath.Dir(m.dir), m.dir} { // the remote user has to get to its home
		if err := os.Chmod(dir, 0o711); err != nil {
			t.Fatal(err)
		}
	}
	m.Key, m.signer = NewKey(t)
	hostKey, host := NewKey(t)
	m.HostKey = host.PublicKey()
	m.Write("host_key", hostKey, 0o600)
	m.Write("authorized_keys", "restrict "+Line(m.signer.PublicKey())+"\n", 0o644)
	m.account(o.Home, o.Shell)
	m.cable()
	m.conf = m.Write("sshd_config", strings.Join(append([]string{
		"Port " + port, "ListenAddress 0.0.0.0", "HostKey " + m.path("host_key"),
		"AuthorizedKeysFile " + m.path("authorized_keys"),
		"PidFile none", "UsePAM no", "StrictModes no", "PasswordAuthentication no", "KbdInteractiveAuthentication no",
		"UseDNS no",
	}, o.Conf...), "\n")+"\n", 0o600)
	m.Serve()
	t.Cleanup(m.end)
	return m
}

func (m *Machine) path(name string) string { return filepath.Join(m.dir, name) }

// Home is the user's home directory.
func (m *Machine) Home() string { return m.path("home") }

// Write makes a file of the machine's and returns its path.
func (m *Machine) Write(name, text string, mode os.FileMode) string {
	m.t.Helper()
	if err := os.WriteFile(m.path(name), []byte(text), mode); err != nil {
		m.t.Fatal(err)
	}
	return m.path(name)
}

// UID is the user's id.
func (m *Machine) UID() int {
	if uid := os.Getuid(); uid != 0 {
		return uid
	}
	return TestUID
}

// account gives the remote user a small home and a user list for these tests.
func (m *Machine) account(mountOptions, shell string) {
	m.t.Helper()
	if shell == "" {
		shell = "/bin/sh"
	}
	if mountOptions == "" {
		mountOptions = "size=64m"
	}
	if err := os.Mkdir(m.Home(), 0o755); err != nil {
		m.t.Fatal(err)
	}
	Run(m.t, "mount", "-t", "tmpfs", "-o", mountOptions+",mode=700", "airlock-test", m.Home())
	if err := os.Chown(m.Home(), m.UID(), os.Getgid()); err != nil {
		m.t.Fatal(err)
	}
	list, err := os.ReadFile("/etc/passwd")
	if err != nil {
		m.t.Fatal(err)
	}
	var keep []string
	for entry := range strings.Lines(string(list)) {
		if fields := strings.Split(entry, ":"); fields[0] != m.User &&
			(len(fields) < 3 || fields[2] != strconv.Itoa(m.UID())) {
			keep = append(keep, entry)
		}
	}
	gid := os.Getgid()
	if gid == 0 {
		gid = TestUID
	}
	keep = append(keep, fmt.Sprintf("%s:x:%d:%d::%s:%s\n", m.User, m.UID(), gid, m.Home(), shell))
	Run(m.t, "mount", "--bind", m.Write("passwd", strings.Join(keep, ""), 0o644), "/etc/passwd")
	Run(m.t, "mount", "-t", "tmpfs", "-o", "mode=755", "airlock-test", "/run")
	if err := os.Mkdir("/run/sshd", 0o755); err != nil { // sshd insists on it
		m.t.Fatal(err)
	}
}

// Install puts a Python package in place of the machine's own, for these tests only.
func (m *Machine) Install(name string) {
	m.t.Helper()
	const list = "/usr/lib/python3/dist-packages"
	Run(m.t, "mount", "-t", "tmpfs", "-o", "mode=755", "airlock-test", list)
	m.t.Cleanup(func() { Run(m.t, "umount", "-l", list) })
	if err := os.Mkdir(filepath.Join(list, name+"-1.dist-info"), 0o755); err != nil {
		m.t.Fatal(err)
	}
}

// cable makes the other network namespace and the link to it.
func (m *Machine) cable() {
	m.t.Helper()
	holder := exec.Command("sleep", "infinity")
	holder.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET, Pdeathsig: syscall.SIGKILL}
	if err := holder.Start(); err != nil {
		m.t.Fatal(err)
	}
	m.t.Cleanup(func() {
		_ = holder.Process.Kill()
		_ = holder.Wait()
	})
	m.holder = holder.Process.Pid
	m.link = "air" + strconv.Itoa(m.holder)
	far, net := m.link+"r", fmt.Sprintf("10.99.%d.", m.holder%256)
	m.Address = net + "2"
	ours := net + "1"
	Run(m.t, "ip", "link", "add", m.link, "type", "veth", "peer", "name", far, "netns", strconv.Itoa(m.holder))
	Run(m.t, "ip", "addr", "add", ours+"/30", "dev", m.link)
	Run(m.t, "ip", "link", "set", m.link, "up")
	m.runInNamespace("ip", "addr", "add", m.Address+"/30", "dev", far)
	m.runInNamespace("ip", "link", "set", far, "up")
	m.runInNamespace("ip", "link", "set", "lo", "up")
	Run(m.t, "ip", "link", "set", "lo", "up")
	m.t.Cleanup(func() { _ = exec.Command("ip", "link", "del", m.link).Run() })
}

func (m *Machine) runInNamespace(args ...string) {
	m.t.Helper()
	Run(m.t, "nsenter", append([]string{"--net=/proc/" + strconv.Itoa(m.holder) + "/ns/net", "--"}, args...)...)
}

// Hosts reports whether a process is on this machine and not another test's.
func (m *Machine) Hosts(pid string) bool {
	m.t.Helper()
	ours, err := os.Readlink(fmt.Sprintf("/proc/%d/ns/net", m.holder))
	if err != nil {
		m.t.Fatal(err)
	}
	its, err := os.Readlink("/proc/" + pid + "/ns/net")
	return err == nil && its == ours
}

// Serve starts sshd and waits until it accepts connections.
func (m *Machine) Serve() {
	m.t.Helper()
	var enter strings.Builder
	for _, dir := range m.within {
		fmt.Fprintf(&enter, "echo $$ > %s/cgroup.procs && ", dir)
	}
	m.sshd = exec.Command("nsenter", "--net=/proc/"+strconv.Itoa(m.holder)+"/ns/net", "--", "/bin/sh", "-c",
		enter.String()+"exec /usr/sbin/sshd -D -e -f "+m.conf)
	log, err := os.OpenFile(m.path("sshd.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		m.t.Fatal(err)
	}
	defer log.Close()
	m.sshd.Stderr = log
	m.sshd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := m.sshd.Start(); err != nil {
		m.t.Fatal(err)
	}
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		conn, err := net.DialTimeout("tcp", net.JoinHostPort(m.Address, port), time.Second)
		if err == nil {
			conn.Close()
			return
		}
		if time.Now().After(deadline) {
			text, _ := os.ReadFile(m.path("sshd.log"))
			m.t.Fatalf("sshd does not answer (is openssh-server installed?): %v\n%s", err, text)
		}
	}
}

// Kill kills sshd, but not what serves connections that there are.
func (m *Machine) Kill() {
	m.t.Helper()
	if err := m.sshd.Process.Kill(); err != nil {
		m.t.Fatal(err)
	}
	_ = m.sshd.Wait()
}

func (m *Machine) end() {
	_ = m.sshd.Process.Kill()
	_ = m.sshd.Wait()
	_ = exec.Command("umount", "-l", "/run").Run()
	_ = exec.Command("umount", "-l", "/etc/passwd").Run()
	_ = exec.Command("umount", "-l", m.Home()).Run()
	if m.t.Failed() {
		text, _ := os.ReadFile(m.path("sshd.log"))
		m.t.Logf("sshd's log:\n%s", text)
	}
}

// Cut pulls the cable: no packet passes, and nobody is told.
func (m *Machine) Cut() { Run(m.t, "ip", "link", "set", m.link, "down") }

// Mend undoes Cut.
func (m *Machine) Mend() { Run(m.t, "ip", "link", "set", m.link, "up") }

// Settings are right ones, as of AIRLOCK_PLUGIN_SSH_…; more ("name=value") override them.
func (m *Machine) Settings(more ...string) map[string]string {
	s := map[string]string{
		"host": net.JoinHostPort(m.Address, port), "user": m.User, "key": m.Key, "host_key": Line(m.HostKey),
		"limits": "polled",
	}
	for _, pair := range more {
		name, value, _ := strings.Cut(pair, "=")
		s[name] = value
	}
	return s
}

// NewKey makes a key pair; the first result is PEM.
func NewKey(t testing.TB) (string, ssh.Signer) {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKey(private, "")
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.NewSignerFromKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(block)), signer
}

// Run runs a command, which has to succeed.
func Run(t testing.TB, name string, args ...string) {
	t.Helper()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
}

// Line is a public key as it's written into files and settings.
func Line(key ssh.PublicKey) string { return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key))) }
