package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/computclaw/airlock/cmd/internal/underload"
	"github.com/computclaw/airlock/views/paths"
)

// neighbour is a profile beside the one that floods, and what its executions took.
type neighbour struct {
	profile string
	name    string // in its results; the profile's id would be masked there
	mu      sync.Mutex
	times   []time.Duration
}

// oneByOne runs one execution after the other for a neighbour, who gets a turn however much others
// want.
func (o *overload) oneByOne(ctx context.Context, n *neighbour) {
	for i := 0; o.pressing.Err() == nil; i++ {
		began := time.Now()
		if err := o.whole(ctx, n.profile, fmt.Sprintf("%s-%d", n.name, i)); err != nil {
			o.noteBroken(err)
			rest(o.pressing, time.Second)
			continue
		}
		n.mu.Lock()
		n.times = append(n.times, time.Since(began))
		n.mu.Unlock()
	}
	if len(n.times) == 0 {
		o.noteBroken(errors.New("a profile beside the one that floods had nothing completed"))
	}
}

// echoScript returns what it was given, so that nobody's result can be taken for another's.
const echoScript = `set_result(inputs["n"])`

// whole submits and waits for the end, and for the right result.
func (o *overload) whole(ctx context.Context, profile, n string) error {
	var x endedView
	body := map[string]any{"profile_id": profile, "script": echoScript, "inputs": map[string]string{"n": n}}
	err := o.call(ctx, http.MethodPost, "/execute?wait=50", body, &x)
	if err == nil && x.Status != "completed" {
		x, err = o.until(ctx, x.ID, "completed", overloadAnswer)
	}
	if err != nil {
		return err
	}
	return x.returned(`"` + n + `"`)
}

// hold keeps a long poll open on a profile about which nothing is decided: it is answered after its
// time, or when a host is asked for.
func (o *overload) hold(profile string) {
	told := false
	for o.pressing.Err() == nil {
		var p struct {
			ID    string `json:"profile_id"`
			Hosts []struct {
				Host    string `json:"host"`
				Allowed bool   `json:"allowed"`
			} `json:"hosts"`
		}
		began := time.Now()
		err := o.call(o.pressing, http.MethodGet, "/profiles/"+profile+"?wait=50", nil, &p)
		if o.pressing.Err() != nil {
			return
		}
		switch {
		case err != nil:
		case p.ID != profile || len(p.Hosts) == 0 || p.Hosts[0].Host != "later.example.com" || p.Hosts[0].Allowed:
			err = fmt.Errorf("a long poll was answered with %+v", p)
		case len(p.Hosts) > 1 && !told:
			told = true
			o.told.Add(1)
			continue
		case time.Since(began) < 49*time.Second:
			err = fmt.Errorf("a long poll of 50 s was answered after %s, and nothing had changed", time.Since(began))
		}
		if err != nil {
			o.noteBroken(err)
			rest(o.pressing, time.Second)
		}
	}
}

// wake changes what the long polls wait for, and returns when all of them have been told.
func (o *overload) wake(ctx context.Context) (time.Duration, error) {
	began := time.Now()
	for _, id := range o.asked {
		if err := o.askFor(ctx, id, "now.example.com"); err != nil {
			return 0, err
		}
	}
	for o.told.Load() < overloadPolls && ctx.Err() == nil {
		if time.Since(began) > overloadAnswer {
			return 0, fmt.Errorf("of %d long polls %d were told of a change within %s", overloadPolls, o.told.Load(),
				overloadAnswer)
		}
		rest(ctx, 20*time.Millisecond)
	}
	return time.Since(began), ctx.Err()
}

// listen follows what happens, as an open page does: it is greeted, told of executions, and never
// left alone.
func (o *overload) listen() {
	began, told := time.Now(), false
	response, err := o.open(paths.Events)
	if err != nil {
		return
	}
	defer response.Body.Close()
	lines, first := bufio.NewScanner(response.Body), true
	for lines.Scan() {
		name, ok := strings.CutPrefix(lines.Text(), "event: ")
		if ok && first && name != "connected" {
			o.noteBroken(fmt.Errorf("the events began with %q", name))
		}
		first = first && !ok
		told = told || name == "executions"
	}
	switch {
	case o.pressing.Err() == nil:
		o.noteBroken(fmt.Errorf("the events ended after %s: %w", time.Since(began), lines.Err()))
	case !told:
		o.noteBroken(fmt.Errorf("the events told of no execution in %s", time.Since(began)))
	}
}

// sip reads a page a byte at a time. Who is so slow is left alone some time; until then it is the
// page.
func (o *overload) sip() {
	const beginning = "<!doctype html>"
	for o.pressing.Err() == nil {
		response, err := o.open(paths.Executions)
		if err != nil {
			continue
		}
		var read strings.Builder
		for buffer := make([]byte, 1); o.pressing.Err() == nil; rest(o.pressing, 100*time.Millisecond) {
			if _, err := response.Body.Read(buffer); err != nil {
				break
			}
			read.Write(buffer)
		}
		response.Body.Close()
		got := strings.ToLower(read.String())
		if n := min(len(got), len(beginning)); got[:n] != beginning[:n] || n < len(beginning) && o.pressing.Err() == nil {
			o.noteBroken(fmt.Errorf("a slow reader was given %.200q", got))
		}
	}
}

// open begins to read an answer of the UI, until pressing ends.
func (o *overload) open(path string) (*http.Response, error) {
	request, err := http.NewRequestWithContext(o.pressing, http.MethodGet, o.url+path, nil)
	if err != nil {
		return nil, err
	}
	response, err := o.pages.Do(request)
	if err == nil && (response.StatusCode != http.StatusOK || response.Request.URL.Path != path) {
		response.Body.Close()
		err = fmt.Errorf("%s was answered with %s of %s", path, response.Status, response.Request.URL.Path)
	}
	if err != nil && o.pressing.Err() == nil {
		o.noteBroken(err)
		rest(o.pressing, time.Second)
	}
	return response, err
}

// page reads one to its last line.
func (o *overload) page(ctx context.Context, path, title string) error {
	ctx, cancel := context.WithTimeout(ctx, overloadAnswer)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, o.url+path, nil)
	if err != nil {
		return err
	}
	response, err := o.pages.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err == nil && (response.StatusCode != http.StatusOK || response.Request.URL.Path != path ||
		!underload.WholePage(string(text), title)) {
		err = fmt.Errorf("%s was answered with %s of %s, which is not that page or not all of it: %.300q … %.100q", path,
			response.Status, response.Request.URL.Path, text, text[max(0, len(text)-100):])
	}
	return err
}

// health reads what the server says of itself.
func (o *overload) health(ctx context.Context) error {
	text, err := o.get(ctx, "/health", "")
	if err != nil {
		return err
	}
	return underload.CheckHealth(text)
}

// paced makes one call after the other with a rest in between, for as long as length, and returns
// their times in order.
func (o *overload) paced(ctx context.Context, length time.Duration, call func() error) (times []time.Duration) {
	for end := time.Now().Add(length); time.Now().Before(end) && ctx.Err() == nil; rest(ctx, overloadBetween) {
		began := time.Now()
		if err := call(); err != nil {
			o.noteBroken(err)
			continue
		}
		times = append(times, time.Since(began))
	}
	slices.Sort(times)
	return times
}

func rest(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}
