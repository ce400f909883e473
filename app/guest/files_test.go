package guest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/plugins/wire"
)

type left struct {
	mu   sync.Mutex
	list map[string]string
}

func (l *left) take(a Artifact, content io.Reader) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if a.Problem != "" {
		l.list[a.Name] = fmt.Sprintf("problem %s %d", a.Problem, a.Size)
		return nil
	}
	sum := sha256.New()
	var head bytes.Buffer
	n, err := io.Copy(io.MultiWriter(sum, &head), content)
	l.list[a.Name] = head.String()
	if n > 1000 {
		l.list[a.Name] = fmt.Sprint(n, " ", hex.EncodeToString(sum.Sum(nil)))
	}
	return err
}

// leave runs a script in a box and returns what it left. ctx may end it.
func leave(ctx context.Context, t *testing.T, script string, files ...InputFile) (map[string]string, Outcome, error) {
	t.Helper()
	s := open(t)
	l := &left{list: map[string]string{}}
	var rec recorder
	h := rec.handler()
	h.Artifact, h.Ended = l.take, func() {}
	out, err := s.Run(ctx, Job{Script: script, Files: files, MaxOutput: 1 << 20, MaxResult: 1 << 20}, h)
	if text := rec.stderr.String(); text != "" {
		t.Log(text)
	}
	return l.list, out, err
}

func input(name, content string) InputFile {
	return InputFile{Name: name, Size: int64(len(content)), Open: func() (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(content)), nil
	}}
}

func TestFilesGoInAndOut(t *testing.T) {
	t.Parallel()
	list, out, err := leave(t.Context(), t, `
import os, airlock
assert list(files) == ["a.csv", "b ü.bin"] and "a.csv" in files and len(files) == 2
assert files.open("a.csv").read() == "1,2\n" and files.open("b ü.bin", "rb").read() == b"\0\1"
assert files.path("a.csv") == os.path.join(os.environ["AIRLOCK_FILES"], "a.csv")
for attempt in (lambda: files.open("a.csv", "w"), lambda: open(os.path.join(os.environ["AIRLOCK_FILES"], "c"), "w")):
    try:
        attempt()
        raise SystemExit("it is writable")
    except PermissionError:
        pass
try:
    files.path("c.csv")
except FileNotFoundError as e:
    assert "a.csv, b ü.bin" in str(e), e
for name in ("a/b", "..", ""):
    try:
        airlock.save_file(name, "x")
        raise SystemExit(name)
    except ValueError:
        pass
try:
    airlock.save_file("object", {"a": 1})
except TypeError as e:
    assert str(e) == "save_file(name, data) takes text or bytes, not dict", e
else:
    raise SystemExit("it took a dict")
save_file("text.txt", "grüße")
save_file("bytes", memoryview(b"\0\xff"))
open(os.path.join(os.environ["AIRLOCK_OUT"], "plain"), "w").write("p")
save_file("empty", b"")
`, input("a.csv", "1,2\n"), input("b ü.bin", "\x00\x01"))
	if err != nil || out.Exited.Code != 0 || out.ArtifactsCut {
		t.Fatalf("%v, %+v", err, out)
	}
	for name, want := range map[string]string{"text.txt": "grüße", "bytes": "\x00\xff", "plain": "p", "empty": ""} {
		if got, found := list[name]; got != want || !found {
			t.Errorf("%s: %q", name, got)
		}
	}
	if len(list) != 4 {
		t.Errorf("%q", list)
	}
}

// TestHalfAFileIsNotLeft: a save_file that found no room must not leave what looks like a whole
// one.
func TestHalfAFileIsNotLeft(t *testing.T) {
	t.Parallel()
	list, out, err := leave(t.Context(), t, `
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
save_file("small", "x" * 1000)
try:
    save_file("large", "x" * 1001)
except OSError:
    pass
else:
    raise SystemExit("it took more than the limit")
`)
	if err != nil || out.Exited.Code != 0 || len(list) != 1 || len(list["small"]) != 1000 {
		t.Errorf("%d files, %v, %+v", len(list), err, out)
	}
}

func TestWhatWasLeftIsCollectedAtEveryEnd(t *testing.T) {
	t.Parallel()
	const save = "save_file('a', 'kept')\n"
	for name, script := range map[string]string{
		"error":  save + "raise ValueError('x')",
		"exit":   save + "import os; os._exit(7)",
		"signal": save + "import os; os.kill(os.getpid(), 9)",
		"child":  "import os, time\nif os.fork() == 0:\n    " + save + "    os.kill(os.getppid(), 9)\n    time.sleep(99)\ntime.sleep(99)",
	} {
		list, _, err := leave(t.Context(), t, script)
		if err != nil || list["a"] != "kept" {
			t.Errorf("%s: %q, %v", name, list, err)
		}
	}
	for name, script := range map[string]string{
		"stopped": save + "import time; time.sleep(99)",
		"stopped while it ignores signals": "import signal\nfor n in range(1, 32):\n    try: signal.signal(n, signal.SIG_IGN)\n    except (OSError, ValueError): pass\n" +
			save + "while True: pass",
	} {
		cause := errors.New("timeout")
		ctx, cancel := context.WithTimeoutCause(t.Context(), 2*time.Second, cause)
		begin := time.Now()
		list, _, err := leave(ctx, t, script)
		cancel()
		if !errors.Is(err, cause) || list["a"] != "kept" {
			t.Errorf("%s: %q, %v", name, list, err)
		}
		if took := time.Since(begin); took > 15*time.Second {
			t.Errorf("%s took %v", name, took)
		}
	}
}

func TestHostileArtifactsHaveAClearOutcome(t *testing.T) {
	t.Parallel()
	list, out, err := leave(t.Context(), t, `
import os, socket
out = os.environ["AIRLOCK_OUT"].encode()
def at(name): return os.path.join(out, name)
os.symlink("/etc/passwd", at(b"link"))
os.symlink("/proc/self/environ", at(b"proc"))
os.mkdir(at(b"dir")); open(at(b"dir/inner"), "w").write("x")
os.mkfifo(at(b"fifo"))
socket.socket(socket.AF_UNIX).bind(at(b"socket").decode())
open(at(b"new\nline"), "w").write("n")
open(at(b"bad\xff"), "w").write("b")
open(at(b"..."), "w").write("dots")
open(at(b"closed"), "w").write("c"); os.chmod(at(b"closed"), 0)
with open(at(b"sparse"), "wb") as f: f.truncate(1 << 30)
open(at(b"fine"), "w").write("f")
os.link(at(b"fine"), at(b"twin"))
`)
	if err != nil || out.Exited.Code != 0 {
		t.Fatalf("%v, %+v %+v", err, out, out.Failed)
	}
	for name, want := range map[string]string{
		"link": "problem link 0", "proc": "problem link 0", "dir": "problem directory 0", "fifo": "problem special 0",
		"socket": "problem special 0", "new\nline": "n", "bad\xff": "b", "...": "dots", "closed": "c",
		"sparse": "problem large 1073741824", "fine": "f", "twin": "f",
	} {
		if list[name] != want {
			t.Errorf("%q: %q, want %q", name, list[name], want)
		}
	}
	if len(list) != 12 {
		t.Errorf("%d: %q", len(list), list)
	}
}

func TestManyArtifactsAreBounded(t *testing.T) {
	t.Parallel()
	list, out, err := leave(t.Context(), t, `
import os
for i in range(3000):
    open(os.path.join(os.environ["AIRLOCK_OUT"], "%06d" % i), "w").close()
for i in range(150):
    os.mkdir(os.path.join(os.environ["AIRLOCK_OUT"], "dir%06d" % i))
`)
	if err != nil || out.Exited.Code != 0 {
		t.Fatalf("%v, %+v", err, out)
	}
	if len(list) != 201 || list[""] != "problem many 2950" {
		t.Errorf("%d entries, and %q", len(list), list[""])
	}
}

func TestAReplacedOutDirectoryLeadsNowhere(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"link":   "import os; os.rmdir(os.environ['AIRLOCK_OUT']); os.symlink('/etc', os.environ['AIRLOCK_OUT'])",
		"parent": "import os; p = os.path.dirname(os.environ['AIRLOCK_OUT']); os.rename(p, p + '2'); os.mkdir('x'); os.mkdir('x/out'); open('x/out/a', 'w'); os.symlink('x', p)",
		"file":   "import os; os.rmdir(os.environ['AIRLOCK_OUT']); open(os.environ['AIRLOCK_OUT'], 'w')",
		"gone":   "import os; os.rmdir(os.environ['AIRLOCK_OUT'])",
	} {
		if list, out, err := leave(t.Context(), t, script); err != nil || out.Exited.Code != 0 || len(list) > 0 {
			t.Errorf("%s: %q, %v, %+v", name, list, err, out.Failed)
		}
	}
	list, _, _ := leave(t.Context(), t,
		"import os, shutil; o = os.environ['AIRLOCK_OUT']; shutil.rmtree(o); os.mkdir(o); save_file('a', 'new')")
	if list["a"] != "new" {
		t.Errorf("made anew: %q", list)
	}
}

func TestFilesThatCantBeDeliveredAreTold(t *testing.T) {
	t.Parallel()
	broken := InputFile{Name: "a", Size: 9, Open: func() (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader("short")), nil
	}}
	_, out, err := leave(t.Context(), t, "set_result('ran')", broken)
	if err != nil || out.Exited.Code != 1 || out.Failed == nil || !strings.Contains(out.Failed.Error, "did not run") ||
		out.Result != nil {
		t.Errorf("%v, %+v, %+v", err, out.Exited, out.Failed)
	}
}

// 60 MiB each way, from a generated source: neither side may hold them in memory.
func TestFilesOf60MiBStream(t *testing.T) {
	const size = 60 << 20
	big := InputFile{Name: "big", Size: size, Open: func() (io.ReadCloser, error) {
		return io.NopCloser(io.LimitReader(pattern{}, size)), nil
	}}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	s := open(t)
	var rec recorder
	h := rec.handler()
	sum, peak := sha256.New(), uint64(0)
	h.Artifact = func(_ Artifact, content io.Reader) error {
		_, err := io.Copy(sum, content)
		runtime.ReadMemStats(&after)
		peak = after.HeapAlloc
		return err
	}
	out, err := s.Run(t.Context(), Job{Script: "import os; os.link(files.path('big'), os.environ['AIRLOCK_OUT'] + '/big')",
		Files: []InputFile{big}, MaxOutput: 1 << 20, MaxResult: 1 << 20}, h)
	if err != nil || out.Exited.Code != 0 {
		t.Fatalf("%v, %+v, %+v", err, out.Exited, out.Failed)
	}
	want := sha256.New()
	_, _ = io.Copy(want, io.LimitReader(pattern{}, size))
	if !bytes.Equal(sum.Sum(nil), want.Sum(nil)) {
		t.Error("another content came out")
	}
	if grown := int64(peak) - int64(before.HeapAlloc); grown > 8<<20 {
		t.Errorf("the heap grew by %d MiB", grown>>20)
	}
}

type pattern struct{}

func (pattern) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(i)
	}
	return len(p), nil
}

func TestLimitsOfFilesAreTheSameEverywhere(t *testing.T) {
	t.Parallel()
	if wire.MaxFileBytes != app.MaxFileBytes || wire.MaxFiles != app.MaxFiles {
		t.Error("plugins/wire and app differ")
	}
}

// If a box is lost before it has passed on all artifacts, the loss is reported.
func TestCutArtifactsAreKnown(t *testing.T) {
	t.Parallel()
	for _, cut := range []bool{true, false} {
		ours, done := impersonate(t, func(i *impostor) {
			i.start()
			for _, kind := range []wire.Kind{wire.Stdout, wire.Stderr} {
				i.open(wire.Header{Kind: kind}).Close()
			}
			i.say(wire.Message{Exited: &wire.Exited{Artifacts: true}})
			stream := i.open(wire.Header{Kind: wire.Artifacts})
			_ = wire.Write(stream, wire.Artifact{Name: []byte("a"), Size: 1})
			_, _ = stream.Write([]byte("x"))
			if !cut {
				_ = wire.Write(stream, wire.Artifact{Problem: wire.LastArtifact})
			}
			stream.Close()
		})
		s, err := Open(t.Context(), ours, ours, Boot{})
		if err != nil {
			t.Fatal(err)
		}
		l, h := &left{list: map[string]string{}}, (&recorder{}).handler()
		h.Artifact = l.take
		out, err := s.Run(t.Context(), job("pass"), h)
		if err != nil || out.ArtifactsCut != cut || l.list["a"] != "x" || len(l.list) != 1 {
			t.Errorf("cut %v: %+v, %q, %v", cut, out, l.list, err)
		}
		s.Close()
		ours.Close()
		<-done
	}
}
