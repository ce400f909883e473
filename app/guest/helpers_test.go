package guest

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/computclaw/airlock/plugins/wire"
)

// initBinary is a real airlock-init, built once for all tests of the package.
var initBinary string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "airlock-init")
	if err != nil {
		panic(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		panic(err)
	}
	initBinary = filepath.Join(dir, "airlock-init")
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", initBinary,
		"github.com/computclaw/airlock/cmd/airlock-init")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		panic(string(out))
	}
	code := m.Run()
	os.RemoveAll(dir)
	if code == 0 {
		if err := goleak.Find(); err != nil {
			println(err.Error())
			code = 1
		}
	}
	os.Exit(code)
}

// enter prepares what every backend promises to the guest: own namespaces, /proc, /tmp, resolver
// configuration, no capabilities.
const enter = `
set -e
mount -t tmpfs tmpfs /mnt
touch /mnt/airlock-init
mount --bind "$1" /mnt/airlock-init
echo "nameserver 127.0.0.1" >/mnt/resolv.conf
echo "hosts: files dns" >/mnt/nsswitch.conf
mount --bind /mnt/resolv.conf /etc/resolv.conf
mount --bind /mnt/nsswitch.conf /etc/nsswitch.conf
mount -t tmpfs tmpfs /tmp
chmod 1777 /tmp
cd /tmp
shift
exec /mnt/airlock-init netns --syn-socket --rlimit nofile=256 "$@" -- /usr/bin/setpriv --bounding-set=-all --inh-caps=-all /mnt/airlock-init
`

// stdio starts a box and returns its pipe. The box ends with the test. Flags are airlock-init's in
// netns mode.
func stdio(t testing.TB, flags ...string) (stdin io.WriteCloser, stdout io.ReadCloser, process *exec.Cmd) {
	t.Helper()
	cmd := exec.Command("/usr/bin/unshare", "--user", "--map-root-user", "--mount", "--net", "--ipc", "--uts", "--pid",
		"--fork", "--kill-child", "--mount-proc",
		"/bin/sh", "-c", enter, "sh", initBinary)
	cmd.Args = append(cmd.Args, flags...)
	if os.Getuid() == 0 { // boxes never run as root, to which the kernel grants processes without limit
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	cmd.Env = []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin"}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	// Not StdoutPipe, which Wait would close under the reader.
	stdout, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr strings.Builder
	cmd.Stdout, cmd.Stderr = write, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	write.Close()
	t.Cleanup(func() {
		stdin.Close()
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_ = cmd.Wait()
		}()
		select {
		case <-ended:
		case <-time.After(5 * time.Second):
			t.Error("the box outlived its stdin")
			_ = cmd.Process.Kill()
			<-ended
		}
		stdout.Close()
		if t.Failed() && stderr.Len() > 0 {
			t.Logf("stderr of the box: %s", stderr.String())
		}
	})
	return stdin, stdout, cmd
}

func open(t testing.TB) *Session { t.Helper(); return openWith(t, Boot{}) }

func openWith(t testing.TB, boot Boot) *Session {
	t.Helper()
	stdin, stdout, _ := stdio(t)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	s, err := Open(ctx, stdin, stdout, boot)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(s.Close)
	return s
}

type recorder struct {
	mu             sync.Mutex
	stdout, stderr strings.Builder
	asked          []wire.Asked
	llm            ask
	dial           func(ctx context.Context, host string, port int) (Conn, error)
}

func (r *recorder) handler() Handler {
	h := Handler{
		Stdout: func(p []byte) { r.mu.Lock(); defer r.mu.Unlock(); r.stdout.Write(p) },
		Stderr: func(p []byte) { r.mu.Lock(); defer r.mu.Unlock(); r.stderr.Write(p) },
		Asked: func(host string, port, line int) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.asked = append(r.asked, wire.Asked{Host: host, Port: port, Line: line})
		},
		LLM: r.llm, Dial: r.dial,
	}
	if h.LLM == nil {
		h.LLM = refuse("nobody is there to answer")
	}
	if h.Unanswered == nil {
		h.Unanswered = func(string, string) {}
	}
	if h.Limited == nil {
		h.Limited = func(string, int, wire.Limit) {}
	}
	if h.Dial == nil {
		h.Dial = func(context.Context, string, int) (Conn, error) { return nil, io.ErrClosedPipe }
	}
	return h
}

type finished struct {
	Outcome
	stdout, stderr string
	err            error
}

func job(script string) Job {
	return Job{Script: script, Settings: map[string]string{"DB_HOST": "db.example.com", "TOKEN": "s3cr3t"},
		MaxOutput: 1 << 20, MaxResult: 4 << 20}
}

// run opens a box and runs one job in it.
func execute(t testing.TB, j Job, r *recorder) finished {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	outcome, err := open(t).Run(ctx, j, r.handler())
	return finished{outcome, r.stdout.String(), r.stderr.String(), err}
}

func script(t testing.TB, text string) finished {
	t.Helper()
	f := execute(t, job(text), &recorder{})
	if f.err != nil {
		t.Fatalf("run: %v (%+v)", f.err, f.Outcome)
	}
	return f
}

func TestSmoke(t *testing.T) {
	f := script(t, "print('hello')\nimport sys\nprint('oops', file=sys.stderr)\nset_result({'a': [1, "+
		"settings.get('DB_HOST')]})")
	if f.stdout != "hello\n" || f.stderr != "oops\n" || string(f.Result) != `{"a":[1,"db.example.com"]}` ||
		f.Exited != (wire.Exited{}) {
		t.Errorf("%+v", f)
	}
}
