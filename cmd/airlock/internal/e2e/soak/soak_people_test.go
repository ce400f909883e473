package soak_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
)

// polls holds calls open for others' executions, and gives up half-way. An early answer must be of
// an execution that has ended or asks.
func (s *soaker) polls(ctx context.Context) {
	for ctx.Err() == nil {
		id, _ := s.newest.Load().(string)
		if id == "" {
			time.Sleep(50 * time.Millisecond)
			continue
		}
		short, cancel := context.WithTimeout(context.WithoutCancel(ctx), 300*time.Millisecond)
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() { s.poll(short, id) })
		}
		all.Wait()
		cancel()
	}
}

func (s *soaker) poll(ctx context.Context, id string) {
	text, _, err := s.get(ctx, s.agent, "/executions/"+id+"?wait=20")
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() != nil {
		s.left.Add(1)
		return
	}
	var x soakView
	if err == nil {
		err = json.Unmarshal(text, &x)
	}
	if err != nil || x.ID != id || !x.Terminal() && x.Status != "awaiting_llm" {
		s.wrong("a long poll for %s: %v: %.500s", id, err, text)
	}
}

func (s *soaker) pages(ctx context.Context) {
	titles := map[string]string{"/ui": "Overview", "/ui/executions": "Executions", "/ui/profiles": "Profiles",
		"/ui/credentials": "Credentials", "/ui/audit": "Audit"}
	for ctx.Err() == nil {
		for path, title := range titles {
			ended := s.books.all()
			text := s.page(path, title)
			if one := e2e.ExecutionLink.FindString(text); path == "/ui/executions" && one == "" && ended > 0 {
				s.wrong("%s has no execution: %.2000s", path, text)
			} else if path == "/ui/executions" && one != "" {
				s.page(one, "Execution ")
			}
		}
		s.health()
		time.Sleep(200 * time.Millisecond)
	}
}

// page reads one whole page, whose title begins as given. Login and error pages fail.
func (s *soaker) page(path, title string) string {
	text, led, err := s.get(s.t.Context(), s.person, path)
	if err != nil || led != path || !isWholePage(string(text), title) {
		s.wrong("%s led to %s: %v: %.2000s", path, led, err, text)
		return string(text)
	}
	s.read.Add(1)
	return string(text)
}

func (s *soaker) health() {
	text, _, err := s.get(s.t.Context(), s.agent, "/health")
	if err == nil {
		err = checkHealth(text)
	}
	if err != nil {
		s.wrong("/health: %v: %s", err, text)
		return
	}
	s.read.Add(1)
}

// streams follows the events like a page that is open for a while.
func (s *soaker) streams(ctx context.Context) {
	for ctx.Err() == nil {
		s.listen(3 * time.Second)
	}
}

// listen follows the events for a while: the stream greets, stays open, and tells of ended
// executions.
func (s *soaker) listen(length time.Duration) {
	ctx, cancel := context.WithTimeout(s.t.Context(), length)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.in.URL+"/ui/events", nil)
	e2e.Must(s.t, err)
	response, err := s.person.Do(request)
	if err != nil {
		s.wrong("/ui/events: %v", err)
		return
	}
	defer response.Body.Close()
	if kind := response.Header.Get("Content-Type"); response.StatusCode != http.StatusOK || kind != "text/event-stream" {
		s.wrong("/ui/events: status %d, %s", response.StatusCode, kind)
		return
	}
	ended := -1
	var soon atomic.Int64
	defer time.AfterFunc(length/3, func() { soon.Store(int64(s.books.all())) }).Stop()
	var heard []string
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		if name, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
			if heard = append(heard, name); len(heard) == 1 {
				ended = s.books.all()
			}
		}
	}
	if !errors.Is(lines.Err(), context.DeadlineExceeded) {
		s.wrong("/ui/events ended by itself: %v, after %q", lines.Err(), heard)
	}
	told := 0
	for _, name := range heard {
		if name == "executions" {
			told++
		}
	}
	if len(heard) == 0 || heard[0] != "connected" || told == 0 && ended >= 0 && soon.Load() > int64(ended) {
		s.wrong("/ui/events: %d executions had ended when it was opened and %d soon after; it told of %q", ended, soon.Load(),
			heard)
	}
	s.events.Add(int64(told))
}

// get reads a whole answer; led is the final path.
func (s *soaker) get(ctx context.Context, client *http.Client, path string) (text []byte, led string, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.in.URL+path, nil)
	e2e.Must(s.t, err)
	response, err := client.Do(request)
	if err != nil {
		return nil, "", err
	}
	defer response.Body.Close()
	text, err = io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = errors.New(response.Status)
	}
	return text, response.Request.URL.Path, err
}
