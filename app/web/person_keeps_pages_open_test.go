package web

import (
	"bufio"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/paths"
)

// openPages is how many pages TestManyOpenPages holds, openFor idle and as long busy.
const (
	openPages = 200
	openFor   = time.Second
)

// TestManyOpenPages: idle pages ask for nothing; busy ones ask once a nudge pause at most.
func TestManyOpenPages(t *testing.T) {
	s := newUISite(t)
	s.login()
	p := s.locked()
	var asked atomic.Int64
	var ready, done sync.WaitGroup
	stop := make(chan struct{})
	for range openPages {
		ready.Add(1)
		done.Go(func() { s.openPage(&ready, stop, &asked) })
	}
	ready.Wait()
	asked.Store(0)
	time.Sleep(openFor)
	if n := asked.Load(); n != 0 {
		t.Errorf("pages that nothing happens on asked %d times", n)
	}
	began := time.Now()
	for time.Since(began) < openFor {
		s.runs(p, "print x", app.StatusCompleted)
	}
	for asked.Load() == 0 { // until the test's deadline on a busy machine
		time.Sleep(10 * time.Millisecond)
	}
	took := time.Since(began)
	pause := 400*time.Millisecond + time.Duration(openPages)*10*time.Millisecond // as app/web/ui/dashboard rests
	most := int64(openPages) * (int64(took.Seconds()/pause.Seconds()) + 2)
	if n := asked.Load(); n > most {
		t.Errorf("%d pages asked %d times in %v, want at most %d", openPages, n, took, most)
	}
	close(stop)
	s.server.Drain()
	done.Wait()
	s.web.Close() // waits for the handlers
	if n := s.server.ui.Streams(); n != 0 {
		t.Errorf("%d streams are left", n)
	}
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
