package redact

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
)

// logText is a MiB of a program's log.
func logText() string {
	var b strings.Builder
	for i := 0; b.Len() < 1<<20; i++ {
		fmt.Fprintf(&b,
			"2026-11-20T12:%02d:%02d.123Z INFO request id=%08x path=/api/v1/orders/%d status=200 bytes=%d\n", i/60%60,
			i%60, i*2654435761, i, i*37)
	}
	return b.String()
}

func BenchmarkText(b *testing.B) {
	text := logText()
	for _, n := range []int{5, 50} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			r := of(randomSecrets(n)...)
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				r.Text(text)
			}
		})
	}
}

func BenchmarkStream(b *testing.B) {
	text := []byte(logText())
	for _, size := range []int{100, 4 << 10, 64 << 10} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			r := of(randomSecrets(50)...)
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				s := r.Stream(func(Clean) {})
				for at := 0; at < len(text); at += size {
					_, _ = s.Write(text[at:min(at+size, len(text))])
				}
				_ = s.Close()
			}
		})
	}
}

func BenchmarkNew(b *testing.B) {
	secrets := randomSecrets(50)
	for b.Loop() {
		of(secrets...)
	}
}

// TestHoleH4Memory: no text makes a pass hold more than a small multiple of the text and of a
// window.
func TestHoleH4Memory(t *testing.T) {
	largest := randomSecret(rand.New(rand.NewPCG(5, 6)), app.MaxValue)
	long := of(append(randomSecrets(5), largest)...)
	for name, pass := range map[string]func(){
		"escapes": func() { long.Text(strings.Repeat("%252541", 590_000)) },
		"prose":   func() { long.Text(strings.Repeat("an ordinary sentence, with signs & words. ", 25_000)) },
		"streams": func() {
			raw := Output{Raw: []byte(strings.Repeat("%252541", 150_000))}
			_, _ = long.Execution(Execution{Stdout: raw, Stderr: raw, Turns: []int{1 << 19, 1 << 19}})
		},
		"two million numbers": func() {
			_, _ = long.Execution(Execution{Result: []byte("[1" + strings.Repeat(",1", 2_000_000) + "]")})
		},
		"a long value": func() { long.Text(strings.Repeat(largest, 16)[5:]) },
		"file":         func() { s := long.KnownStream(); _, _ = s.Write(make([]byte, 16<<20)); _ = s.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			if grown := grownBy(pass); grown > 224<<20 {
				t.Errorf("it holds %d MiB", grown>>20)
			} else {
				t.Logf("%d MiB", grown>>20)
			}
		})
	}
}

// grownBy returns by how many bytes the heap grows at most while a function runs.
func grownBy(f func()) (most uint64) {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	before := m.HeapAlloc
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	for {
		select {
		case <-done:
			return most
		case <-time.After(5 * time.Millisecond):
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapAlloc-min(before, m.HeapAlloc))
		}
	}
}
