package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/computclaw/airlock/plugins/wire"
)

// stub is the interpreter's whole command line. It reads the runner from the pipe at descriptor 4:
// the compiled size in eight hex digits, compiled form, source. Memory files would be refused where
// memory is counted from outside. It compiles only where the form doesn't fit: that takes half as
// long as the interpreter's start. The runner keeps its file name out of tracebacks.
const stub = `import marshal, os
from _frozen_importlib_external import MAGIC_NUMBER as magic
with os.fdopen(4, 'rb') as f: s = f.read()
n = 8 + int(s[:8], 16)
c = None
if n > 12 and s[8:12] == magic:
    try: c, parts = marshal.loads(s[12:n])
    except (EOFError, TypeError, ValueError): pass
own = None
if c is None:
    own, parts = magic, {}
    c = compile(s[n:], '<airlock>', 'exec')
exec(c, {'__name__': 'airlock.runner', '__builtins__': __builtins__, 'MAGIC': own, 'RUNNER': c, 'CODE': parts,
    'PARK': globals().get('PARK')})`

// runnerEnv returns every script's environment but its roots (see trust), without a proxy. Fixed
// hash seed and thread counts make results repeatable.
func runnerEnv(tmp string) []string {
	return []string{
		"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + tmp, "TMPDIR=" + tmp,
		"TZ=UTC", "LC_ALL=C.UTF-8", "PYTHONHASHSEED=0", "PYTHONDONTWRITEBYTECODE=1", "PYTHONUTF8=1",
		"PYTHON_CPU_COUNT=1", // read by Python 3.13 and newer; for older ones the runner does it
		"OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1", "MKL_NUM_THREADS=1", "BLIS_NUM_THREADS=1",
		"GIT_CONFIG_NOSYSTEM=1", // git stops where it may not read the host's
		"NUMEXPR_NUM_THREADS=1", "NUMBA_NUM_THREADS=1", "RAYON_NUM_THREADS=1", "POLARS_MAX_THREADS=1",
	}
}

type runner struct {
	pid            int
	stdout, stderr *os.File
	sdk            *os.File
}

// close closes the ends that are open.
func (r *runner) close() {
	for _, f := range []*os.File{r.stdout, r.stderr, r.sdk} {
		_ = f.Close() // of nil too
	}
}

// startRunner starts the interpreter in its own session, in tmp. Its stdin is at its end.
func startRunner(boot *wire.Boot, b box, tmp string, env []string) (_ *runner, err error) {
	python, err := findPython()
	if err != nil {
		return nil, err
	}
	child := make([]uintptr, 4, 5)
	r := &runner{}
	var opened []*os.File
	defer func() {
		for _, f := range opened {
			f.Close()
		}
		if err != nil {
			r.close()
		}
	}()
	keep := func(n int, f *os.File) {
		child[n] = f.Fd() // also makes it blocking, as the child expects
		opened = append(opened, f)
	}
	stdin, end, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	end.Close()
	keep(0, stdin)
	for n, ours := range map[int]**os.File{1: &r.stdout, 2: &r.stderr} {
		read, write, err := os.Pipe()
		if err != nil {
			return nil, err
		}
		*ours = read
		keep(n, write)
	}
	theirs, err := r.socketpair()
	if err != nil {
		return nil, err
	}
	keep(3, theirs)
	loaded, err := b.offerPreload(boot.Runner, boot.Code, boot.Compile)
	if err != nil {
		return nil, err
	}
	if !loaded {
		program, err := programOf(boot.Runner, boot.Code)
		if err != nil {
			return nil, err
		}
		child = append(child, 0)
		keep(4, program)
	}
	argv := []string{"python3", "-s", "-B", "-c", stub}
	r.pid, err = b.fork(python, argv, &syscall.ProcAttr{
		Dir: tmp, Env: append(runnerEnv(tmp), env...), Files: child, Sys: &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", python, err)
	}
	return r, nil
}

// socketpair keeps one end of the SDK channel, non-blocking, and returns the other.
func (r *runner) socketpair() (*os.File, error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("socketpair: %w", err)
	}
	if err := unix.SetNonblock(pair[0], true); err != nil {
		return nil, fmt.Errorf("socketpair: %w", err)
	}
	r.sdk = os.NewFile(uintptr(pair[0]), "sdk")
	return os.NewFile(uintptr(pair[1]), "sdk"), nil
}

// programOf returns what the stub reads.
func programOf(source, code []byte) (*os.File, error) {
	return pipeOf(slices.Concat(fmt.Appendf(nil, "%08x", len(code)), code, source))
}

// pipeOf returns a pipe with content.
func pipeOf(content []byte) (*os.File, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	go func() {
		defer write.Close()
		_, _ = write.Write(content) // fails when the reader is gone, which is seen elsewhere
	}()
	return read, nil
}

func findPython() (string, error) {
	for _, dir := range []string{"/usr/local/bin/", "/usr/bin/", "/bin/"} {
		if unix.Access(dir+"python3", unix.X_OK) == nil {
			return dir + "python3", nil
		}
	}
	return "", errors.New("no python3 in /usr/local/bin, /usr/bin or /bin")
}

// queued bounds the messages for a runner that doesn't read. A sound one reads one per question.
const queued = 256

// channel is our end of the runner's socketpair, which the script holds too. The first improper
// message closes it, which hurts only the script.
type channel struct {
	file   *os.File
	out    chan wire.Message
	closed chan struct{} // nothing more will be received
	once   sync.Once
}

// newChannel calls receive for each message until false or the peer's close.
func newChannel(file *os.File, receive func(wire.Message) bool) *channel {
	c := &channel{file: file, out: make(chan wire.Message, queued), closed: make(chan struct{})}
	go c.receiveAll(receive)
	go c.sendAll()
	return c
}

func (c *channel) receiveAll(receive func(wire.Message) bool) {
	defer c.close()
	for {
		m, err := wire.ReadMessage(c.file)
		if err != nil || !receive(m) {
			return
		}
	}
}

func (c *channel) sendAll() {
	for {
		select {
		case m := <-c.out:
			if wire.Write(c.file, m) != nil {
				return
			}
		case <-c.closed:
			return
		}
	}
}

// send never blocks: the engine's messages must not wait for a script.
func (c *channel) send(m wire.Message) {
	select {
	case c.out <- m:
	default:
		c.close()
	}
}

func (c *channel) close() {
	c.once.Do(func() {
		c.file.Close()
		close(c.closed)
	})
}
