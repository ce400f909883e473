package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"github.com/computclaw/airlock/store"
	"github.com/computclaw/airlock/store/storefill"
	"github.com/computclaw/airlock/views/format"
	"github.com/computclaw/airlock/views/paths"
)

// pageTable measures pages of the UI, as a person sees them over HTTP, while as many executions as
// asked for are in the store.
func (s *suite) pageTable(ctx context.Context, table io.Writer) (err error) {
	dir, err := os.MkdirTemp("", "airlock-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := fillStore(ctx, dir, s.pages); err != nil {
		return err
	}
	b := s.newBenchmark()
	stop, err := b.serve(ctx, dir, "AIRLOCK_RETENTION_DAYS=0", "AIRLOCK_RETENTION_COUNT=0")
	if err != nil {
		return err
	}
	defer stop()
	if _, err := b.trivial(ctx); err != nil { // a page of one is about this one
		return err
	}
	person, err := b.person(ctx)
	if err != nil {
		return err
	}
	newest, err := person.newestExecution(ctx)
	if err != nil {
		return err
	}
	with := fmt.Sprintf(", %s in the store", format.Count(int64(s.pages), "execution"))
	for _, page := range []struct{ what, path string }{
		{"list of executions", paths.Executions},
		{"the same, of a profile and a status", paths.Executions + "?profile=p00&status=error"},
		{"the same, of a host", paths.Executions + "?host=api17.example.com"},
		{"the same, with a word and a status", paths.Executions + "?text=revenue&status=timeout"},
		{"one execution", newest}, {"overview", paths.Root},
	} {
		times, err := person.pageTimes(ctx, page.path, s.rounds)
		if err != nil {
			return err
		}
		row(table, "page: "+page.what+with, times, "")
	}
	return nil
}

// fillStore makes a database of n executions in a directory.
func fillStore(ctx context.Context, dir string, n int) error {
	s, err := store.Open(ctx, dir, nil)
	if err != nil {
		return err
	}
	if err := s.Close(); err != nil {
		return err
	}
	return storefill.Fill(ctx, filepath.Join(dir, store.FileName), n, time.Now().Add(-time.Hour))
}

var listedExecution = regexp.MustCompile(`href="(` + regexp.QuoteMeta(paths.Executions) + `/[a-z0-9]+)"`)

// newestExecution is the path of the page of the first execution in the list.
func (p *benchPerson) newestExecution(ctx context.Context) (string, error) {
	list, _, err := p.do(ctx, http.MethodGet, paths.Executions, nil)
	if err != nil {
		return "", err
	}
	found := listedExecution.FindSubmatch(list)
	if found == nil {
		return "", errors.New("the list of executions has no link to one")
	}
	return string(found[1]), nil
}

// pageTimes asks for a page so many times. The first answers fill caches.
func (p *benchPerson) pageTimes(ctx context.Context, path string, rounds int) (times []time.Duration, err error) {
	for i := range rounds + 5 {
		start := time.Now()
		if _, err := p.get(ctx, path); err != nil {
			return nil, err
		}
		if i >= 5 {
			times = append(times, time.Since(start))
		}
	}
	return times, nil
}
