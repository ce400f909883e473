package docker

import (
	"fmt"
	"io"
	"strconv"
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
	client, cfg := sandboxtest.Open(b, Name, sharedSettings())
	if r, err := client.Check(b.Context(), cfg); err != nil || !r.Ready {
		b.Fatal(err, r.Reason)
	}
	var first, end time.Duration
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
		ending := time.Now()
		feed.Close()
		if err := <-done; err != nil {
			b.Fatal(err)
		}
		end += time.Since(ending)
	}
	b.ReportMetric(float64(first.Microseconds())/1000/float64(b.N), "ms-to-first-byte")
	b.ReportMetric(float64(end.Microseconds())/1000/float64(b.N), "ms-to-clear-away")
}
