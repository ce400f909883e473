package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// boxPython is the interpreter that boxes run; a python3 earlier in the PATH may be another
// program.
const boxPython = "/usr/bin/python3"

// benchmark measures a server of its own on a temporary data directory, from outside, over HTTP.
type benchmark struct {
	airlock string   // path of the program
	env     []string // of the server and of airlock admin
	url     string
	profile string // has neither keys nor hosts
	service *benchService
	client  *http.Client
	pid     int // of the server

	complaint error // about the server, once it has been stopped
}

func (s *suite) newBenchmark() *benchmark {
	return newBenchmark(s.airlock, s.service)
}

func newBenchmark(airlock string, service *benchService) *benchmark {
	return &benchmark{airlock: airlock, service: service,
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}}
}

// load calls from n goroutines until the time is over, and stops at the first error.
func load(n int, length time.Duration, call func() error) ([]time.Duration, error) {
	var (
		mu     sync.Mutex
		all    []time.Duration
		failed atomic.Pointer[error]
		wg     sync.WaitGroup
	)
	end := time.Now().Add(length)
	for range n {
		wg.Go(func() {
			var mine []time.Duration
			for time.Now().Before(end) && failed.Load() == nil {
				start := time.Now()
				if err := call(); err != nil {
					failed.Store(&err)
					return
				}
				mine = append(mine, time.Since(start))
			}
			mu.Lock()
			defer mu.Unlock()
			all = append(all, mine...)
		})
	}
	wg.Wait()
	if err := failed.Load(); err != nil {
		return all, *err
	}
	return all, nil
}

// trivial submits set_result(1) and waits for its end.
func (b *benchmark) trivial(ctx context.Context) (id string, err error) {
	id, _, err = b.execute(ctx, b.profile, "set_result(1)", nil)
	return id, err
}

// execute submits a script and waits for its result.
func (b *benchmark) execute(ctx context.Context, profile, script string, inputs any) (id string, result json.RawMessage,
	err error) {
	var x struct {
		ID     string          `json:"execution_id"`
		Status string          `json:"status"`
		Error  string          `json:"error"`
		Result json.RawMessage `json:"result"`
	}
	body := map[string]any{"profile_id": profile, "script": script}
	if inputs != nil {
		body["inputs"] = inputs
	}
	err = b.call(ctx, http.MethodPost, "/execute?wait=50", body, &x)
	if err == nil && x.Status != "completed" {
		err = fmt.Errorf("the execution ended as %s: %s", x.Status, x.Error)
	}
	return x.ID, x.Result, err
}

func (b *benchmark) call(ctx context.Context, method, path string, body, answer any) error {
	var reader io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		reader = bytes.NewReader(text)
	}
	return b.send(ctx, method, path, "", reader, answer)
}

// send is call with a body as it is, and a profile as the bearer if there is one.
func (b *benchmark) send(ctx context.Context, method, path, profile string, body io.Reader, answer any) error {
	request, err := http.NewRequestWithContext(ctx, method, b.url+path, body)
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	if profile != "" {
		request.Header.Set("Authorization", "Bearer "+profile)
	}
	response, err := b.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	switch {
	case err != nil:
		return err
	case response.StatusCode >= 300:
		return answerError{path, response.StatusCode, string(text)}
	case answer == nil:
		return nil
	}
	return json.Unmarshal(text, answer)
}

// answerError is an answer of the server with another status than 2xx.
type answerError struct {
	path   string
	status int
	text   string
}

func (e answerError) Error() string {
	return fmt.Sprintf("%s answered %d: %.300s", e.path, e.status, e.text)
}

// read returns the body of an answer, which must be of the page that was asked for.
func (b *benchmark) read(ctx context.Context, client *http.Client, path string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, b.url+path, nil)
	if err != nil {
		return nil, err
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err == nil && (response.StatusCode != http.StatusOK || response.Request.URL.Path != path) {
		err = answerError{path, response.StatusCode, string(text)}
	}
	return text, err
}

func row(table io.Writer, what string, times []time.Duration, rate string) {
	slices.Sort(times)
	fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", what, ms(quantile(times, 0.5)), ms(quantile(times, 0.95)), rate)
}

// quantile returns the time that a share q of sorted times is below; 0 for none.
func quantile(sorted []time.Duration, q float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond)) }
