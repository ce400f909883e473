package docker

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/moby/moby/client"
	"golang.org/x/sys/unix"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/docker/dockertest"
	"github.com/computclaw/airlock/plugins/owner"
	"github.com/computclaw/airlock/plugins/probe"
)

func TestNoEngine(t *testing.T) {
	w := newWorld(t, map[string]string{"host": "unix://" + filepath.Join(t.TempDir(), "nobody"), "image": testImage})
	if why := w.unready(t); !strings.Contains(why, "AIRLOCK_PLUGIN_DOCKER_HOST") {
		t.Errorf("reason %q", why)
	}
	w.cfg.Settings["host"] = "tcp://127.0.0.1:1"
	if why := w.unready(t); !strings.Contains(why, "AIRLOCK_PLUGIN_DOCKER_HOST") {
		t.Errorf("reason %q", why)
	}
	if _, _, err := w.do(t, plugins.Spec{}, python("pass")); err == nil {
		t.Error("a box without an engine")
	}
}

func TestUnknownRuntime(t *testing.T) {
	settings := sharedSettings()
	settings["runtime"] = "nowhere"
	w := newWorld(t, settings)
	if why := w.unready(t); !strings.Contains(why, "AIRLOCK_PLUGIN_DOCKER_RUNTIME") {
		t.Errorf("reason %q", why)
	}
	noneLeft(t, shared, w.cfg.Instance)
}

// TestEngineKilled kills the engine under a running box, whose containers stay. The run fails with
// a reason, and the restarted engine leaves nothing of the box.
func TestEngineKilled(t *testing.T) {
	d := dockertest.New(t)
	if err := d.Import(testImage, base); err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, map[string]string{"host": d.Host(), "image": testImage})
	w.ready(t)
	done := w.start(t.Context(), t, "box", python(sleeper))
	d.Kill(t)
	if end := <-done; end.err == nil || !strings.Contains(end.err.Error(), "went away") {
		t.Errorf("the run ended with %+v", end)
	}
	if _, _, err := w.do(t, plugins.Spec{ID: "next"}, python("pass")); err == nil ||
		!strings.Contains(err.Error(), "AIRLOCK_PLUGIN_DOCKER_HOST") {
		t.Errorf("a box without an engine: %v", err)
	}
	if err := d.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, time.Minute, func() []string { return leftovers(t, d)(w.cfg.Instance) })
	if out, _, err := w.do(t, plugins.Spec{}, python("print('again')")); err != nil || out != "again\n" {
		t.Errorf("with the engine back: %q, %v", out, err)
	}
}

// TestEngineRestarts stops the engine in order, as an upgrade does. It kills the box, and may or
// may not report that.
func TestEngineRestarts(t *testing.T) {
	d := dockertest.New(t)
	if err := d.Import(testImage, base); err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, map[string]string{"host": d.Host(), "image": testImage})
	w.ready(t)
	done := w.start(t.Context(), t, "box", python(sleeper))
	if err := d.Stop(); err != nil {
		t.Fatal(err)
	}
	if err := d.Start(); err != nil {
		t.Fatal(err)
	}
	select {
	case end := <-done:
		killed := end.err == nil && end.exit.Code == 137 &&
			strings.Contains(end.exit.Diagnostic, "stopped the container or the engine")
		if lost := end.err != nil && strings.Contains(end.err.Error(), "the engine at "); !killed && !lost {
			t.Errorf("the run ended with %+v", end)
		}
	case <-time.After(time.Minute):
		t.Fatal("the run did not end")
	}
	eventually(t, time.Minute, func() []string { return leftovers(t, d)(w.cfg.Instance) })
	w.ready(t)
}

// TestSweep checks which leftovers go: an own stopped and a running box, and boxes of two other
// instances, one of them killed (hole M4).
func TestSweep(t *testing.T) {
	w := newWorld(t, sharedSettings())
	w.ready(t)
	other := newWorld(t, sharedSettings())
	other.cfg.Instance += "-other"
	other.ready(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	theirs := other.start(ctx, t, "theirs", python(sleeper))
	mine := w.start(t.Context(), t, "running", python(sleeper))
	b, err := w.checked().newBox(plugins.Spec{ID: "created", Limits: probeLimits()})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.create(t.Context(), w.checked().images[0], plugins.GuestArgv); err != nil {
		t.Fatal(err)
	}
	killed := newWorld(t, sharedSettings())
	killed.cfg.Instance += "-killed"
	killed.ready(t)
	self := string(killed.checked().owner)
	// had this one's number, and started earlier
	killed.checked().owner = owner.ID(self[:strings.LastIndexByte(self, '-')] + "-1")
	if b, err = killed.checked().newBox(plugins.Spec{ID: "created", Limits: probeLimits()}); err != nil {
		t.Fatal(err)
	}
	if err := b.create(t.Context(), killed.checked().images[0], plugins.GuestArgv); err != nil {
		t.Fatal(err)
	}
	next := newWorld(t, sharedSettings()) // a new process of the same instance knows no box
	next.cfg.Instance = w.cfg.Instance
	next.ready(t)
	<-mine
	noneLeft(t, shared, w.cfg.Instance)
	noneLeft(t, shared, killed.cfg.Instance)
	if left := leftovers(t, shared)(other.cfg.Instance); len(left) != 1 {
		t.Errorf("another instance has %v, want its one container", left)
	}
	cancel()
	if end := <-theirs; end.err != nil {
		t.Error(end.err)
	}
	noneLeft(t, shared, other.cfg.Instance)
}

func eventually(t testing.TB, within time.Duration, wrongs func() []string) {
	t.Helper()
	for deadline := time.Now().Add(within); ; time.Sleep(50 * time.Millisecond) {
		found := wrongs()
		if len(found) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Errorf("still there: %s", strings.Join(found, "\n\t"))
			return
		}
	}
}

type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	dir  string
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{dir: t.TempDir()}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageCertSign,
	}
	a.key = newKey(t)
	raw, err := x509.CreateCertificate(rand.Reader, template, template, &a.key.PublicKey, a.key)
	if err != nil {
		t.Fatal(err)
	}
	if a.cert, err = x509.ParseCertificate(raw); err != nil {
		t.Fatal(err)
	}
	a.write(t, "ca.pem", "CERTIFICATE", raw)
	return a
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func (a *authority) write(t *testing.T, name, kind string, raw []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(a.dir, name), pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: raw}),
		0o600); err != nil {
		t.Fatal(err)
	}
}

// issue writes a certificate for 127.0.0.1 and its key.
func (a *authority) issue(t *testing.T, cert, key string) {
	t.Helper()
	own := newKey(t)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: cert}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter:    time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, a.cert, &own.PublicKey, a.key)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalECPrivateKey(own)
	if err != nil {
		t.Fatal(err)
	}
	a.write(t, cert, "CERTIFICATE", raw)
	a.write(t, key, "EC PRIVATE KEY", der)
}

// TestTLS checks that a tcp engine with client certificates serves no certificate of another
// authority.
func TestTLS(t *testing.T) {
	a := newAuthority(t)
	a.issue(t, "server.pem", "server-key.pem")
	a.issue(t, "cert.pem", "key.pem")
	host := fmt.Sprintf("tcp://127.0.0.1:%d", freePort(t))
	d := dockertest.New(t, "--host", host, "--tlsverify", "--tlscacert", filepath.Join(a.dir, "ca.pem"),
		"--tlscert", filepath.Join(a.dir, "server.pem"), "--tlskey", filepath.Join(a.dir, "server-key.pem"))
	if err := d.Import(testImage, base); err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, map[string]string{"host": host, "cert_path": a.dir, "image": testImage})
	w.ready(t)
	if out, exit, err := w.do(t, plugins.Spec{}, python("print('over TLS')")); err != nil || exit.Code != 0 ||
		out != "over TLS\n" {
		t.Errorf("output %q, %+v, %v", out, exit, err)
	}
	noneLeft(t, d, w.cfg.Instance)

	stranger := newAuthority(t)
	stranger.issue(t, "cert.pem", "key.pem")
	w.cfg.Settings["cert_path"] = stranger.dir
	if why := w.unready(t); !strings.Contains(why, "certificate") {
		t.Errorf("with another authority's certificates: %q", why)
	}
	w.cfg.Settings["cert_path"] = ""
	delete(w.cfg.Settings, "cert_path")
	if why := w.unready(t); why == "" {
		t.Error("without certificates")
	}
}

func freePort(tb testing.TB) int {
	tb.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// A rootless engine mounts devices instead of making them, which once counted as the host's files,
// so no such engine passed. It is refused only for limits that it can't hold without delegated
// cgroups. The test compares the engine's own claims with the proof.
func TestRootlessEngine(t *testing.T) {
	d := newRootless(t)
	if err := d.Import(testImage, base); err != nil {
		t.Fatal(err)
	}
	holds := heldByRootless(t, d)
	w := newWorld(t, map[string]string{"host": d.Host(), "image": testImage})
	r, err := w.Check(t.Context(), w.cfg)
	if err != nil || len(r.Controls) < 10 {
		t.Fatalf("%v: %s, %d controls", err, r.Reason, len(r.Controls))
	}
	t.Cleanup(func() { _ = w.Close() })
	var tried []string
	for _, c := range r.Controls {
		held, limit := holds[c.Name]
		switch {
		case !limit && !c.Proved && !c.NotApplicable:
			t.Errorf("%s: %s", c.Name, c.Detail)
		case !limit:
			continue
		case c.Proved != held:
			t.Errorf("the engine says %v, the proof found %+v", held, c)
		case !held && !strings.Contains(c.Fix, "rootless"):
			t.Errorf("the operator isn't told what to do: %+v", c)
		}
		tried = append(tried, c.Name)
	}
	if slices.Sort(tried); !slices.Equal(tried, []string{probe.ControlMemory, probe.ControlPids, probe.ControlCPU}) {
		t.Errorf("limits that were tried: %q", tried)
	}
	usable := holds[probe.ControlMemory] && holds[probe.ControlPids]
	if r.Ready != usable || !usable &&
		(!strings.Contains(r.Reason, "did not hold") || !strings.Contains(r.Reason, groupsFix)) {
		t.Errorf("ready %v for an engine that holds %v: %s", r.Ready, holds, r.Reason)
	}
	if held := r.Enforced["cpu"] == "cgroup"; held != holds[probe.ControlCPU] {
		t.Errorf("it says that limits are held so: %v", r.Enforced)
	}
}

// heldByRootless returns which limits a rootless engine claims to hold, by control. It fails for
// cgroup version 1, which is never delegated.
func heldByRootless(t *testing.T, d *dockertest.Engine) map[string]bool {
	t.Helper()
	answer, err := d.Client(t).Info(t.Context(), client.InfoOptions{})
	if err != nil {
		t.Fatal(err)
	}
	info := answer.Info
	var groups unix.Statfs_t
	if err := unix.Statfs("/sys/fs/cgroup", &groups); err != nil {
		t.Fatal(err)
	}
	t.Logf("control groups of version %s, driver %s, security %q", info.CgroupVersion, info.CgroupDriver,
		info.SecurityOptions)
	if !slices.Contains(info.SecurityOptions, "name=rootless") {
		t.Errorf("the engine is not rootless: %q", info.SecurityOptions)
	}
	unified := groups.Type == unix.CGROUP2_SUPER_MAGIC
	if (info.CgroupVersion == "2") != unified || !unified && info.CgroupDriver != "none" {
		t.Errorf("unified control groups: %v, but the engine says version %s, driver %s", unified, info.CgroupVersion,
			info.CgroupDriver)
	}
	delegated := unified && info.CgroupDriver != "none"
	return map[string]bool{
		probe.ControlMemory: delegated && info.MemoryLimit, probe.ControlPids: delegated && info.PidsLimit,
		probe.ControlCPU: delegated && info.CPUCfsQuota,
	}
}

// rootlessUID is a user that nobody is; its containers get the uids from rootlessFirst on.
const (
	rootlessUID   = 64242
	rootlessFirst = 400_000
)

// asUser runs a command as that user, in rootlesskit's namespaces. $1 is the directory with the
// account's files. They cover this host's own in a private mount namespace, as does a device for
// tunnels, which not every host has.
const asUser = `
dir=$1 uid=$2; shift 2
for file in passwd group subuid subgid; do touch /etc/$file; mount --bind "$dir/etc/$file" "/etc/$file"; done
mkdir -p /dev/net && mount -t tmpfs -o mode=755 net /dev/net && mknod -m 666 /dev/net/tun c 10 200
exec setpriv --reuid "$uid" --regid "$uid" --clear-groups env HOME="$dir" XDG_RUNTIME_DIR="$dir/run" \
    rootlesskit --net=slirp4netns --mtu=65520 --disable-host-loopback \
	--port-driver=none --copy-up=/etc --copy-up=/run --propagation=rslave \
    sh -c 'rm -f /run/docker /run/containerd /run/xtables.lock; exec "$@"' sh "$@"
`

// newRootless starts an engine with an ordinary user's rights until the end of the test. It needs
// rootlesskit, slirp4netns and uidmap.
func newRootless(tb testing.TB) *dockertest.Engine {
	tb.Helper()
	dir := dockertest.Directory(tb)
	uid := strconv.Itoa(rootlessUID)
	must := func(err error) {
		if err != nil {
			tb.Fatal(err)
		}
	}
	must(os.Mkdir(filepath.Join(dir, "etc"), 0o755))
	must(os.Mkdir(filepath.Join(dir, "run"), 0o700))
	must(os.Chown(filepath.Join(dir, "run"), rootlessUID, rootlessUID))
	must(os.Chown(dir, rootlessUID, rootlessUID))
	ids := "op:" + strconv.Itoa(rootlessFirst) + ":65536\n"
	for file, text := range map[string]string{
		"passwd": "root:x:0:0::/root:/bin/sh\nop:x:" + uid + ":" + uid + "::" + dir + ":/bin/sh\n",
		"group":  "root:x:0:\nop:x:" + uid + ":\n", "subuid": ids, "subgid": ids,
	} {
		must(os.WriteFile(filepath.Join(dir, "etc", file), []byte(text), 0o644))
	}
	return dockertest.NewUnder(tb, dir, "unshare", "--mount", "--propagation", "private", "sh", "-c", asUser, "sh",
		dir, uid)
}
