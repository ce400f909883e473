package main

import (
	"bufio"
	"context"
	"flag"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

var soak = flag.Duration("soak", 40*time.Second, "length of TestSoak")

// TestSoak keeps the whole program under a mixed load: scripts, questions, refused hosts, failures, cancellations, long polls, pages and event streams. What it holds must not grow: memory,
// descriptors and threads of the server and its plugin, the server's goroutines, the write-ahead log, the database for each execution, other files,
// the boxes kept ready. See the Makefile's soak for an hour of it.
func TestSoak(t *testing.T) {
	// What still asks when the load ends keeps its box for AIRLOCK_LLM_WAIT.
	in := startInstance(t, "AIRLOCK_POOL=2", "AIRLOCK_WORKERS=3", "AIRLOCK_QUEUE=200", "AIRLOCK_LIMIT_MEMORY=128MiB", "AIRLOCK_LLM_WAIT=10s")
	profile := in.admin("", "profile", "create", "--description", "soak")
	in.admin("", "profile", "lock", profile)
	s := &soaker{in: in, profile: profile, client: loggedIn(t, in)}
	quiet := s.goroutines(t)
	ctx, cancel := context.WithCancel(t.Context())
	for _, work := range []func(context.Context){s.scripts, s.scripts, s.questions, s.cancels, s.pages, s.streams, s.streams, s.streams, s.polls} {
		s.all.Go(func() { work(ctx) })
	}
	var samples []map[string]int
	every := time.NewTicker(*soak / 60)
	defer every.Stop()
	for range 60 {
		<-every.C
		samples = append(samples, s.sample(t))
	}
	cancel()
	s.all.Wait()
	t.Logf("%d executions ended, %d pages, %d events", s.ended.Load(), s.read.Load(), s.events.Load())
	if s.ended.Load() < 30 || s.read.Load() == 0 || s.events.Load() == 0 {
		t.Error("that was hardly any load")
	}
	flat(t, samples)
	eventually(t, time.Minute, "the boxes are back to those kept ready", func() bool { return s.sample(t)["boxes"] == 2 })
	if n := in.count("SELECT count(*) FROM executions WHERE completed_at = 0"); n > 0 {
		eventually(t, 2*time.Minute, "everything has ended", func() bool { return in.count("SELECT count(*) FROM executions WHERE completed_at = 0") == 0 })
	}
	eventually(t, time.Minute, "the server has the goroutines it began with", func() bool {
		http.DefaultClient.CloseIdleConnections()
		s.client.CloseIdleConnections()
		return s.goroutines(t) <= quiet+goroutineSlack
	})
}

// soaker is who makes the load.
type soaker struct {
	in      *testServer
	profile string
	client  *http.Client // of a person
	all     sync.WaitGroup

	ended, read, events atomic.Int64
	newest              atomic.Value // id of an execution
}

// run submits a script and follows it to its end, or until during says that it is enough.
func (s *soaker) run(ctx context.Context, script string, during func(x agentView) bool) {
	var x agentView
	if code := s.in.call(http.MethodPost, "/execute", map[string]any{"profile_id": s.profile, "script": script, "timeout": 20}, &x); code != http.StatusAccepted {
		s.in.t.Errorf("submit: status %d", code)
		return
	}
	s.newest.Store(x.ID)
	for ctx.Err() == nil && !x.terminal() {
		s.in.call(http.MethodGet, "/executions/"+x.ID+"?wait=1", nil, &x)
		if !during(x) {
			return
		}
	}
	if x.terminal() {
		s.ended.Add(1)
	}
}

func watching(agentView) bool { return true }

func (s *soaker) scripts(ctx context.Context) {
	scripts := []string{
		"set_result(1)", "print('x' * 50000)", "raise ValueError('no')", "import time\ntime.sleep(0.3)\nset_result({'a': list(range(1000))})",
		"import socket\nsocket.create_connection(('denied.test', 443), 5)", "import os\nif os.fork() == 0: os._exit(0)\nos.wait()",
	}
	for i := 0; ctx.Err() == nil; i++ {
		s.run(ctx, scripts[i%len(scripts)], watching)
	}
}

func (s *soaker) questions(ctx context.Context) {
	for ctx.Err() == nil {
		s.run(ctx, "set_result(llm.complete('well?'))", func(x agentView) bool {
			if x.Status == "awaiting_llm" {
				time.Sleep(500 * time.Millisecond) // parked
				s.in.call(http.MethodPost, "/executions/"+x.ID+"/respond", map[string]any{"response": "yes"}, nil)
			}
			return true
		})
	}
}

func (s *soaker) cancels(ctx context.Context) {
	for ctx.Err() == nil {
		s.run(ctx, "import time\ntime.sleep(15)", func(x agentView) bool {
			if x.Status == "running" {
				s.in.call(http.MethodPost, "/executions/"+x.ID+"/cancel", nil, nil)
			}
			return true
		})
	}
}

// polls holds calls open for an execution that is somebody else's to watch, and gives up half-way.
func (s *soaker) polls(ctx context.Context) {
	for ctx.Err() == nil {
		id, _ := s.newest.Load().(string)
		short, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() { s.get(short, http.DefaultClient, "/executions/"+id+"?wait=20") })
		}
		all.Wait()
		cancel()
	}
}

func (s *soaker) pages(ctx context.Context) {
	for ctx.Err() == nil {
		for _, path := range []string{"/ui", "/ui/executions", "/ui/profiles", "/ui/audit", "/health"} {
			if s.get(ctx, s.client, path) {
				s.read.Add(1)
			}
		}
		time.Sleep(200 * time.Millisecond)
	}
}

// streams follows the events like a page that is open for a while.
func (s *soaker) streams(ctx context.Context) {
	for ctx.Err() == nil {
		short, cancel := context.WithTimeout(ctx, 3*time.Second)
		s.listen(short)
		cancel()
	}
}

// listen follows the events until ctx ends, and counts those that tell of something.
func (s *soaker) listen(ctx context.Context) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.in.url+"/ui/events", nil)
	if err != nil {
		s.in.t.Error(err)
		return
	}
	response, err := s.client.Do(request)
	if err != nil {
		return
	}
	defer response.Body.Close()
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		if name, ok := strings.CutPrefix(lines.Text(), "event: "); ok && name != "connected" && name != "beat" {
			s.events.Add(1)
		}
	}
}

// get reads an answer to its end, or as far as it comes; true if it was whole and well.
func (s *soaker) get(ctx context.Context, client *http.Client, path string) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.in.url+path, nil)
	if err != nil {
		s.in.t.Error(err)
		return false
	}
	response, err := client.Do(request)
	if err != nil {
		return false
	}
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body)
	return err == nil && response.StatusCode == http.StatusOK
}

// loggedIn is a client with the session of a person.
func loggedIn(t *testing.T, in *testServer) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	must(t, err)
	client := &http.Client{Jar: jar}
	for _, step := range []struct {
		path   string
		fields url.Values
	}{
		{"/ui/login", url.Values{"token": {suiteToken}}},
		{"/ui/welcome", url.Values{"name": {"Tester"}, "password": {"a password of the tests"}, "password-again": {"a password of the tests"}}},
	} {
		response, err := client.PostForm(in.url+step.path, step.fields)
		must(t, err)
		response.Body.Close()
	}
	return client
}
