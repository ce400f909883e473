package egress

import (
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/egress/rules"
)

// peak returns the heap's growth while f runs.
func peak(f func()) (bytes int64) {
	var before, now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	stop := make(chan struct{})
	var most atomic.Int64
	var sampler sync.WaitGroup
	sampler.Go(func() {
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				runtime.ReadMemStats(&now)
				most.Store(max(most.Load(), int64(now.HeapInuse+now.StackInuse)-int64(before.HeapInuse+before.StackInuse)))
			case <-stop:
				return
			}
		}
	})
	f()
	close(stop)
	sampler.Wait()
	return most.Load()
}

// Bodies of any size pass in constant memory, both ways, of known or unknown length, while searched
// for values.
func TestLargeBodiesInConstantMemory(t *testing.T) {
	l := newLab(t)
	l.web("api.test", 443, l.tls("api.test"), func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			n, err := io.Copy(io.Discard, r.Body)
			fmt.Fprint(w, n, err)
			return
		}
		_, _ = io.Copy(w, io.LimitReader(zeros{}, bulk))
	})
	s := l.session(Limits{Bytes: 4 * bulk}, []string{"api.test"}, "api.test:443")
	client := l.client(s)
	const most = 24 << 20
	got := peak(func() {
		resp, err := client.Get("https://api.test/")
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if n, err := io.Copy(io.Discard, resp.Body); n != bulk || err != nil {
			t.Errorf("%d, %v", n, err)
		}
	})
	t.Logf("down: %d MiB in %d MiB", bulk>>20, got>>20)
	if got > most {
		t.Errorf("a download took %d MiB", got>>20)
	}
	got = peak(func() {
		r, _ := http.NewRequestWithContext(t.Context(), "POST", "https://api.test/", io.LimitReader(zeros{}, bulk))
		r.Header.Set("Content-Type", "application/octet-stream")
		if resp, body := l.do(client, r); resp.StatusCode != 200 && !strings.Contains(body, "too large") {
			t.Errorf("%d %s", resp.StatusCode, body)
		}
	})
	t.Logf("up: %d MiB in %d MiB", bulk>>20, got>>20)
	if got > most {
		t.Errorf("an upload took %d MiB", got>>20)
	}
}

// All connections of an execution have answers that the box does not read.
func TestManyUnreadAnswers(t *testing.T) {
	l := newLab(t)
	l.web("api.test", 443, l.tls("api.test"), func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.Copy(w, io.LimitReader(zeros{}, 64<<20))
	})
	s := l.session(Limits{Rate: 1e6, Burst: 1000}, []string{"api.test"}, "api.test:443")
	client := l.client(s)
	got := peak(func() {
		var open sync.WaitGroup
		var bodies sync.Map
		for i := range DefaultLimits().Connections {
			open.Go(func() {
				resp, err := client.Get("https://api.test/")
				if err != nil {
					t.Error(err)
					return
				}
				bodies.Store(i, resp.Body)
			})
		}
		open.Wait()
		time.Sleep(300 * time.Millisecond)
		if _, err := s.Dial(t.Context(), "api.test", 443); app.CodeOf(err) != app.CodeForbidden {
			t.Errorf("one more: %v", err)
		}
		bodies.Range(func(_, b any) bool { _ = b.(io.Closer).Close(); return true })
	})
	t.Logf("%d connections in %d MiB, hosts and clients included", DefaultLimits().Connections, got>>20)
	if got > 128<<20 {
		t.Errorf("they took %d MiB", got>>20)
	}
}

// The limit of bytes also holds on read connections. The cut answer looks incomplete, and other
// executions go on.
func TestBytesLimitOnReadConnections(t *testing.T) {
	l := newLab(t)
	l.web("api.test", 443, l.tls("api.test"), func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(w, io.LimitReader(zeros{}, 10<<20))
	})
	gateway := l.gateway(Limits{Bytes: 12 << 20})
	grant := Grant{Hosts: allow(t, "api.test"), Sealed: l.sealed("api.test:443")}
	s, other := gateway.Session(grant, nil), gateway.Session(grant, nil)
	t.Cleanup(s.Close)
	t.Cleanup(other.Close)
	client := l.client(s)
	first, err := client.Get("https://api.test/")
	if err != nil {
		t.Fatal(err)
	}
	if n, err := io.Copy(io.Discard, first.Body); n != 10<<20 || err != nil {
		t.Errorf("within the limit: %d, %v", n, err)
	}
	first.Body.Close()
	resp, err := client.Get("https://api.test/")
	if err == nil {
		_, err = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
	if err == nil {
		t.Error("20 MiB pass under a limit of 12 MiB")
	}
	again, err := l.client(other).Get("https://api.test/")
	if err != nil {
		t.Fatal(err)
	}
	defer again.Body.Close()
	if n, err := io.Copy(io.Discard, again.Body); n != 10<<20 || err != nil {
		t.Errorf("another execution: %d, %v", n, err)
	}
	waitFor(t, "the row", func() bool {
		return lastRow(t, s).Rule == rules.Bytes &&
			lastRow(t, s).Verdict == app.VerdictDenied
	})
	_, err = s.Dial(t.Context(), "api.test", 443)
	checkRefusal(t, s, err, rules.Bytes)
}
