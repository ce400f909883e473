package ssh

import (
	"bytes"
	"context"
	"io"
	"testing"
	"time"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/sandboxtest"
	"github.com/computclaw/airlock/plugins/ssh/sshtest"
)

// BenchmarkOpen measures a box's first byte and whole life through the plugin and a real sshd.
func BenchmarkOpen(b *testing.B) {
	m := sshtest.New(b, sshtest.Options{})
	client, cfg := sandboxtest.Open(b, Name, m.Settings())
	if r, err := client.Check(b.Context(), cfg); err != nil || !r.Ready {
		b.Fatal(err, r.Reason)
	}
	var first time.Duration
	for b.Loop() {
		in, feed := io.Pipe()
		up := &firstWrite{make(chan struct{})}
		begin := time.Now()
		done := make(chan error, 1)
		go func() {
			_, err := client.Run(context.Background(), plugins.Spec{ID: "bench-" + token()},
				io.MultiReader(bytes.NewReader([]byte("{\"echo\":true}\nx")), in), up)
			done <- err
		}()
		select {
		case <-up.up:
			first += time.Since(begin)
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
