package transfer

import (
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/transfer/content"
)

// However long the history and whatever it left, an export and an import hold little of it: 64 MiB pass
// through in less than 16 MiB more than there was before.
func TestMemoryStaysConstant(t *testing.T) {
	h := newFixture(t, "aaaa")
	p := h.Locked("p", nil)
	noise := make([]byte, 0, 1<<20)
	for range 40 {
		noise = noise[:0]
		for len(noise) < 1<<20 {
			noise = append(noise, app.NewID()...)
		}
		h.Out = string(noise)
		h.Execution(p)
	}
	h.Out, h.Left = "", strings.Repeat(string(noise), 24)
	h.Execution(p)
	h.Left, noise = "", nil
	base, peak := heap(), uint64(0)
	look := func() { peak = max(peak, heap()) }
	path := filepath.Join(t.TempDir(), "x")
	out := must[*os.File](t)(os.Create(path))
	n := 0
	must[Exported](t)(h.Export(t.Context(), person(), writerFunc(func(b []byte) (int, error) {
		if n++; n%100 == 0 {
			look()
		}
		return out.Write(b)
	}), app.NewSecret(words), withArtifacts(), nil))
	h.No(out.Close())
	fresh := newFixture(t, "bbbb")
	file := must[Upload](t)(OpenFile(path, app.NewSecret(words)))
	open := file.Open
	file.Open = func() (io.ReadCloser, error) {
		f, err := open()
		return struct {
			io.Reader
			io.Closer
		}{looking{f, look}, f}, err
	}
	must[content.Counts](t)(fresh.Fill(t.Context(), file, nil))
	if n < 300 || peak > base+16<<20 {
		t.Errorf("%d chunks, %d MiB at the most, %d MiB before", n, peak>>20, base>>20)
	}
}

// heap is what is in use after a collection.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// looking calls look after each read.
type looking struct {
	io.Reader
	look func()
}

func (l looking) Read(p []byte) (int, error) {
	n, err := l.Reader.Read(p)
	l.look()
	return n, err
}
