package web

import (
	"bufio"
	"flag"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/paths"
)

var (
	openPages = flag.Int("pages", 200, "how many pages TestManyOpenPages holds open")
	openFor   = flag.Duration("for", time.Second, "how long, idle and busy each")
)

// TestManyOpenPages holds pages open as browsers do: each listens, and asks for its list when it is
// nudged. While nothing happens none asks; all see what happened, and however much happens, each
// asks only as often as the pause between nudges lets it. With -v it says what that costs, the
// played browsers included.
func TestManyOpenPages(t *testing.T) {
	s := newUISite(t)
	s.login()
	p := s.locked()
	before := cpu(t)
	var asked atomic.Int64
	var ready, done sync.WaitGroup
	stop := make(chan struct{})
	for range *openPages {
		ready.Add(1)
		done.Go(func() { s.openPage(&ready, stop, &asked) })
	}
	ready.Wait()
	connected := cpu(t)
	asked.Store(0)
	timer := time.NewTimer(*openFor)
	<-timer.C
	idle := cpu(t)
	if n := asked.Load(); n != 0 {
		t.Errorf("pages that nothing happens on asked %d times", n)
	}
	runs, began := 0, time.Now()
	for ; time.Since(began) < *openFor; runs++ {
		s.runs(p, "print x", app.StatusCompleted)
	}
	busy := cpu(t)
	for asked.Load() == 0 { // until the test's own end, on a machine that is that busy
		time.Sleep(10 * time.Millisecond)
	}
	took := time.Since(began)
	pause := 400*time.Millisecond + time.Duration(*openPages)*10*time.Millisecond // as app/web/ui/dashboard rests
	most := int64(*openPages) * (int64(took.Seconds()/pause.Seconds()) + 2)
	if n := asked.Load(); n > most {
		t.Errorf("%d pages asked %d times in %v, want at most %d", *openPages, n, took, most)
	}
	close(stop)
	s.server.Drain()
	done.Wait()
	s.web.Close() // waits for the handlers
	if n := s.server.ui.Streams(); n != 0 {
		t.Errorf("%d streams are left", n)
	}
	share := func(d time.Duration) float64 { return 100 * d.Seconds() / openFor.Seconds() }
	t.Logf("%d pages: connecting took %v of CPU, idle %.1f %% of a core, with %d executions in %v %.1f %% (%d "+
		"refreshes)",
		*openPages, connected-before, share(idle-connected), runs, *openFor, share(busy-idle), asked.Load())
}

// openPage is one browser's page.
func (s *uiSite) openPage(ready *sync.WaitGroup, stop chan struct{}, asked *atomic.Int64) {
	res, err := s.client.Get(s.web.URL + paths.Events)
	if err != nil {
		s.t.Error(err)
		ready.Done()
		return
	}
	defer res.Body.Close()
	lines := bufio.NewScanner(res.Body)
	first := true
	for lines.Scan() {
		line := lines.Text()
		if !strings.HasPrefix(line, "event: connected") && line != "event: executions" {
			continue
		}
		r, err := http.NewRequest(http.MethodGet, s.web.URL+paths.Executions, nil)
		if err != nil {
			s.t.Error(err)
			return
		}
		r.Header.Set("HX-Request", "true")
		r.Header.Set("HX-Request-Type", "partial")
		page, err := s.client.Do(r)
		if err == nil {
			_, _ = io.Copy(io.Discard, page.Body)
			page.Body.Close()
			asked.Add(1)
		}
		if first {
			first = false
			ready.Done()
		}
		select {
		case <-stop:
			return
		default:
		}
	}
	if first {
		s.t.Error("a page was never connected")
		ready.Done()
	}
}

// cpu is what this process used so far.
func cpu(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
