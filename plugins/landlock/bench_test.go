package landlock

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/sandboxtest"
)

type firstByte struct{ at chan time.Time }

func (w firstByte) Write(p []byte) (int, error) {
	select {
	case w.at <- time.Now():
	default:
	}
	return len(p), nil
}

func BenchmarkOpen(b *testing.B) {
	client, cfg := sandboxtest.Open(b, Name, nil)
	if r, err := client.Check(b.Context(), cfg); err != nil || !r.Ready {
		b.Fatal(err, r.Reason)
	}
	var first time.Duration
	for i := 0; b.Loop(); i++ {
		begin := time.Now()
		at, end := echo(b, client, "bench-"+strconv.Itoa(i))
		first += at.Sub(begin)
		end()
	}
	b.ReportMetric(float64(first.Microseconds())/1000/float64(b.N), "ms-to-first-byte")
}

// BenchmarkIdle opens boxes that wait, and reports what each one takes besides its interpreter.
func BenchmarkIdle(b *testing.B) {
	client, cfg := sandboxtest.Open(b, Name, nil)
	if r, err := client.Check(b.Context(), cfg); err != nil || !r.Ready {
		b.Fatal(err, r.Reason)
	}
	const boxes = 10
	var ends []func()
	for i := range boxes {
		_, end := echo(b, client, "idle-"+strconv.Itoa(i))
		ends = append(ends, end)
	}
	pids, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	var supervisors, guests, cpu int64
	for _, path := range pids {
		line, _ := os.ReadFile(path)
		switch dir := filepath.Dir(path); {
		case strings.HasPrefix(string(line), "airlock-init\x00supervisor"):
			supervisors += proportional(dir)
			cpu -= nanoseconds(dir)
		case strings.HasPrefix(string(line), "/airlock-init\x00supervised"):
			guests += proportional(dir)
		}
	}
	begin := time.Now()
	for b.Loop() {
		time.Sleep(10 * time.Millisecond)
	}
	took := time.Since(begin)
	for _, path := range pids {
		if line, _ := os.ReadFile(path); strings.HasPrefix(string(line), "airlock-init\x00supervisor") {
			cpu += nanoseconds(filepath.Dir(path))
		}
	}
	b.ReportMetric(float64(supervisors)/boxes/(1<<20), "MiB/supervisor")
	b.ReportMetric(float64(guests)/boxes/(1<<20), "MiB/guest")
	b.ReportMetric(100*float64(cpu)/float64(took)/boxes, "%cpu/supervisor")
	for _, end := range ends {
		end()
	}
}

// echo opens a box with a guest that echoes, and returns after its first echo.
func echo(b *testing.B, client plugins.Sandbox, id string) (at time.Time, end func()) {
	in, feed := io.Pipe()
	out := firstByte{make(chan time.Time, 1)}
	done := make(chan error, 1)
	go func() {
		_, err := client.Run(b.Context(), plugins.Spec{ID: id}, in, out)
		done <- err
	}()
	fmt.Fprint(feed, "{\"echo\":true}\nx")
	select {
	case at = <-out.at:
	case err := <-done:
		b.Fatal("no output", err)
	}
	return at, func() {
		feed.Close()
		if err := <-done; err != nil {
			b.Error(err)
		}
	}
}

// proportional returns a process's memory, pages shared divided among those who share them, in
// bytes.
func proportional(dir string) int64 {
	text, _ := os.ReadFile(filepath.Join(dir, "smaps_rollup"))
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "Pss:" {
			kib, _ := strconv.ParseInt(fields[1], 10, 64)
			return kib << 10
		}
	}
	return 0
}

func nanoseconds(dir string) (total int64) {
	files, _ := filepath.Glob(filepath.Join(dir, "task/*/schedstat"))
	for _, path := range files {
		var n int64
		text, _ := os.ReadFile(path)
		_, _ = fmt.Sscan(string(text), &n)
		total += n
	}
	return total
}
