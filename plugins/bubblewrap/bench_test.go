package bubblewrap

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/memusage"
	"github.com/computclaw/airlock/plugins/procfs"
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
		in, feed := io.Pipe()
		out := firstByte{make(chan time.Time, 1)}
		begin := time.Now()
		done := make(chan error, 1)
		go func() {
			_, err := client.Run(b.Context(), plugins.Spec{ID: "bench-" + strconv.Itoa(i)}, in, out)
			done <- err
		}()
		fmt.Fprint(feed, "{\"echo\":true}\nx")
		select {
		case at := <-out.at:
			first += at.Sub(begin)
		case err := <-done:
			b.Fatal("no output", err)
		}
		feed.Close()
		if err := <-done; err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(first.Microseconds())/1000/float64(b.N), "ms-to-first-byte")
}

func BenchmarkIdle(b *testing.B) {
	client, cfg := sandboxtest.Open(b, Name, nil)
	if r, err := client.Check(b.Context(), cfg); err != nil || !r.Ready {
		b.Fatal(err, r.Reason)
	}
	plugin := client.PID()
	alone := memusage.OfThreads(procfs.Tree(plugin)[0].Threads).Share()
	const boxes = 10
	done := make(chan error, boxes)
	var feeds []*io.PipeWriter
	for i := range boxes {
		in, feed := io.Pipe()
		feeds = append(feeds, feed)
		out := firstByte{make(chan time.Time, 1)}
		go func() {
			_, err := client.Run(b.Context(), plugins.Spec{ID: "idle-" + strconv.Itoa(i)}, in, out)
			done <- err
		}()
		fmt.Fprint(feed, "{\"echo\":true}\nx")
		<-out.at
	}
	var perBox int64
	var processes int
	for _, p := range procfs.Tree(plugin) {
		if p.PID != plugin {
			perBox += memusage.OfThreads(p.Threads).Share()
			processes++
		}
	}
	for b.Loop() {
		time.Sleep(10 * time.Millisecond)
	}
	b.ReportMetric(float64(alone)/(1<<20), "MiB-plugin")
	b.ReportMetric(float64(perBox)/boxes/(1<<20), "MiB/box")
	b.ReportMetric(float64(processes)/boxes, "processes/box")
	b.ReportMetric(cpuSeconds(b, plugin), "plugin-cpu-s")
	for _, f := range feeds {
		f.Close()
		if err := <-done; err != nil {
			b.Error(err)
		}
	}
}

func cpuSeconds(b *testing.B, pid int) float64 {
	data, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "schedstat"))
	var nanos float64
	if err == nil {
		_, err = fmt.Sscan(string(data), &nanos)
	}
	if err != nil {
		b.Fatal(err)
	}
	return nanos / 1e9
}
