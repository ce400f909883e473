package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/computclaw/airlock/views"
)

// quiet is how long the server is measured without a backup.
const quiet = 10 * time.Second

// backUp serves the moved instance, measures what agents wait for, and measures it again while a backup is made.
func (h *houseBench) backUp(ctx context.Context) error {
	token := strings.Repeat("bench-token-", 3) + strconv.Itoa(os.Getpid())
	stop, err := h.serve(ctx, h.path("old"), "AIRLOCK_ADMIN_TOKEN="+token, "AIRLOCK_POOL=2")
	if err != nil {
		return err
	}
	defer stop()
	person, err := h.person(ctx, token)
	if err != nil {
		return err
	}
	if err := os.Mkdir(h.path("backups"), 0o700); err != nil {
		return err
	}
	if _, err := person.post(ctx, views.SettingsBackups, url.Values{"on": {"yes"}, "every": {"weekly"}, "keep": {"3"}, "kind": {"directory"}, "directory": {h.path("backups")}, "passphrase": {benchWords}}); err != nil {
		return err
	}
	id, err := h.trivial(ctx)
	if err != nil {
		return err
	}
	end := time.Now().Add(quiet)
	without, err := h.meanwhile(ctx, id, func() (bool, error) { return time.Now().After(end), nil })
	if err != nil {
		return err
	}
	before, start := peak(h.pid), time.Now()
	page, err := person.post(ctx, views.SettingsBackupNow, nil)
	if err != nil {
		return err
	}
	during, err := h.meanwhile(ctx, id, func() (bool, error) {
		time.Sleep(200 * time.Millisecond)
		now, err := person.get(ctx, page)
		return now != page, err // it leads on when it is done
	})
	if err != nil {
		return err
	}
	took := time.Since(start)
	made, err := os.ReadDir(h.path("backups"))
	if err != nil || len(made) != 1 {
		return errors.Join(err, fmt.Errorf("%d backups were made", len(made)))
	}
	h.row("backup of the running server, verified", h.lines, spent{took, peak(h.pid)})
	fmt.Fprintf(h.table, "the server before it\t\t\t%d MiB\n", before>>20)
	fmt.Fprintf(h.table, "\tp50\tp99\tmost\n")
	for _, m := range []struct {
		what string
		list [2][]time.Duration
	}{{"GET /executions/{id}, 100 a second", [2][]time.Duration{without.reads, during.reads}}, {"submit to completed, 2 a second", [2][]time.Duration{without.runs, during.runs}}} {
		for i, when := range []string{"without a backup", "during one"} {
			list := m.list[i]
			slices.Sort(list)
			fmt.Fprintf(h.table, "%s, %s\t%s\t%s\t%s\n", m.what, when, ms(quantile(list, 0.5)), ms(quantile(list, 0.99)), ms(quantile(list, 1)))
		}
	}
	return nil
}

// waits are how long calls took.
type waits struct{ reads, runs []time.Duration }

// meanwhile reads an execution a hundred times a second and runs one twice a second, until done says so.
func (h *houseBench) meanwhile(ctx context.Context, id string, done func() (bool, error)) (w waits, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var group sync.WaitGroup
	var readErr, runErr error
	group.Go(func() {
		w.reads, readErr = paced(ctx, 10*time.Millisecond, func() error { return h.call(ctx, http.MethodGet, "/executions/"+id, nil, nil) })
	})
	group.Go(func() {
		w.runs, runErr = paced(ctx, 500*time.Millisecond, func() error { _, err := h.trivial(ctx); return err })
	})
	for over := false; !over && err == nil; {
		if over, err = done(); !over {
			time.Sleep(50 * time.Millisecond)
		}
	}
	cancel()
	group.Wait()
	return w, errors.Join(err, readErr, runErr)
}

// paced calls at every tick, however long the call before took: what waits for a server that stalls is counted from when it should have begun.
func paced(ctx context.Context, every time.Duration, call func() error) (list []time.Duration, err error) {
	for next := time.Now(); ; next = next.Add(every) {
		select {
		case <-ctx.Done():
			return list, nil
		case <-time.After(time.Until(next)):
		}
		if err := call(); err != nil {
			if ctx.Err() != nil {
				return list, nil
			}
			return list, err
		}
		list = append(list, time.Since(next))
	}
}

// peak is the most memory that a process has had, in bytes; 0 if it is gone.
func peak(pid int) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if size, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kib, _ := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(size), "kB")), 10, 64)
			return kib << 10
		}
	}
	return 0
}

// benchPerson is somebody at the admin UI.
type benchPerson struct {
	client *http.Client
	url    string
}

// person enters with the admin token and chooses a name and a password.
func (h *houseBench) person(ctx context.Context, token string) (*benchPerson, error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, err
	}
	p := &benchPerson{client: &http.Client{Jar: jar}, url: h.url}
	if _, err := p.post(ctx, views.Login, url.Values{"token": {token}}); err != nil {
		return nil, err
	}
	_, err = p.post(ctx, views.Welcome, url.Values{"name": {"Bench"}, "password": {benchWords}, "password-again": {benchWords}})
	return p, err
}

func (p *benchPerson) post(ctx context.Context, path string, form url.Values) (page string, err error) {
	return p.do(ctx, http.MethodPost, path, strings.NewReader(form.Encode()))
}

func (p *benchPerson) get(ctx context.Context, path string) (page string, err error) {
	return p.do(ctx, http.MethodGet, path, nil)
}

// do returns the path of the page to which it was led.
func (p *benchPerson) do(ctx context.Context, method, path string, body io.Reader) (string, error) {
	request, err := http.NewRequestWithContext(ctx, method, p.url+path, body)
	if err != nil {
		return "", err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	response, err := p.client.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode >= 300 {
		err = fmt.Errorf("%s %s answered %d: %s", method, path, response.StatusCode, text)
	}
	return response.Request.URL.Path, err
}
