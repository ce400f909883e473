package transfer

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/computclaw/airlock/app"
)

// executions is how much history the benchmark has: go test ./app/transfer -run '^$' -bench House -benchtime 1x -executions 100000
var executions = flag.Int("executions", 2000, "executions in BenchmarkHouse") //nolint:gochecknoglobals // a flag of the test program

// big is an instance with many things.
func big(t testing.TB, credentials, profiles, history int) *house {
	h := newHouse(t, "aaaa")
	for i := range credentials {
		h.credential(fmt.Sprintf("C%d", i), "value-of-"+app.NewID())
	}
	var list []app.Profile
	for i := range profiles {
		list = append(list, h.locked(fmt.Sprintf("profile %d", i), []string{fmt.Sprintf("C%d", i%credentials)}))
	}
	for i := range history {
		h.execution(list[i%profiles])
	}
	return h
}

func BenchmarkHouse(b *testing.B) {
	h := big(b, 1000, 200, *executions)
	var file bytes.Buffer
	b.Run("export", func(b *testing.B) {
		for b.Loop() {
			file.Reset()
			done := must[Exported](b)(h.Export(b.Context(), person(), &file, app.NewSecret(words), all(), nil))
			b.SetBytes(done.Bytes)
			b.ReportMetric(float64(file.Len())/float64(done.Bytes), "ratio")
		}
	})
	b.Run("import", func(b *testing.B) {
		for b.Loop() {
			fresh := newHouse(b, "bbbb")
			must[Counts](b)(fresh.Fill(b.Context(), upload(file.Bytes()), nil))
			var n int64
			r, closer, err := upload(file.Bytes()).reader(nil)
			fresh.no(err)
			n = must[int64](b)(io.Copy(io.Discard, r))
			_ = closer.Close()
			b.SetBytes(n)
		}
	})
	b.Run("copy", func(b *testing.B) { // the floor: the database as it is
		for i := 0; b.Loop(); i++ {
			h.no(h.store.Copy(b.Context(), filepath.Join(b.TempDir(), fmt.Sprint(i))))
		}
	})
}

// However long the history, an export and an import hold little of it: 64 MiB pass through in less than 24 MiB more than there was before.
func TestMemoryStaysConstant(t *testing.T) {
	h := newHouse(t, "aaaa")
	p := h.locked("p", nil)
	noise := make([]byte, 0, 1<<20)
	for range 64 {
		noise = noise[:0]
		for len(noise) < 1<<20 {
			noise = append(noise, app.NewID()...)
		}
		h.out = string(noise)
		h.execution(p)
	}
	h.out, noise = "", nil
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
	}), app.NewSecret(words), all(), nil))
	h.no(out.Close())
	fresh := newHouse(t, "bbbb")
	file := must[Upload](t)(OpenFile(path, app.NewSecret(words)))
	open := file.Open
	file.Open = func() (io.ReadCloser, error) {
		f, err := open()
		return readCloser{reading{f, look}, f}, err
	}
	must[Counts](t)(fresh.Fill(t.Context(), file, nil))
	if n < 500 || peak > base+24<<20 {
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
