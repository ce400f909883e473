package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/computclaw/airlock/views/paths"
)

// settled is how long a server is left alone before its memory is looked at.
const settled = 2 * time.Second

// startUp measures how long a server takes from its process to its first answer, and to a sandbox
// that has passed its checks, on a data directory that it knows already.
func (b *benchmark) startUp(ctx context.Context, table io.Writer, rounds int) error {
	dir, err := os.MkdirTemp("", "airlock-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var answers, ready []time.Duration
	for i := range max(rounds/10, 3) + 1 {
		answered, proved, err := b.oneStart(ctx, dir)
		if err != nil {
			return err
		}
		if i > 0 { // the first one makes the database
			answers, ready = append(answers, answered), append(ready, proved)
		}
	}
	row(table, "start to the first answer", answers, "")
	row(table, "start to a sandbox that has passed its checks", ready, "")
	return nil
}

// oneStart starts a server and ends it.
func (b *benchmark) oneStart(ctx context.Context, dir string) (answered, proved time.Duration, err error) {
	fresh := newBenchmark(b.airlock, b.service)
	start := time.Now()
	end, _, err := fresh.launch(ctx, dir)
	if err != nil {
		return 0, 0, err
	}
	defer end()
	for time.Since(start) < 30*time.Second && ctx.Err() == nil {
		var health struct {
			Sandbox struct {
				Ready bool `json:"ready"`
			} `json:"sandbox"`
		}
		if err := fresh.call(ctx, http.MethodGet, "/health", nil, &health); err == nil {
			if answered == 0 {
				answered = time.Since(start)
			}
			if health.Sandbox.Ready {
				return answered, time.Since(start), nil
			}
		}
		time.Sleep(time.Millisecond)
	}
	return 0, 0, fmt.Errorf("the server was not ready after %s", time.Since(start).Round(time.Second))
}

// firstOutput measures the time from submitting to the first byte of output, as the server recorded
// both.
func (b *benchmark) firstOutput(ctx context.Context, table io.Writer, rounds int) error {
	for range rounds {
		time.Sleep(breath)
		if _, _, err := b.execute(ctx, b.profile, "print(1)", nil); err != nil {
			return err
		}
	}
	person, err := b.person(ctx)
	if err != nil {
		return err
	}
	lines, _, err := person.do(ctx, http.MethodGet, paths.ExecutionsExport+"?as=jsonl", nil)
	if err != nil {
		return err
	}
	var times []time.Duration
	for rows := bufio.NewScanner(bytes.NewReader(lines)); rows.Scan(); {
		var x struct {
			Created time.Time  `json:"created_at"`
			First   *time.Time `json:"first_output_at"`
		}
		if err := json.Unmarshal(rows.Bytes(), &x); err != nil {
			return err
		}
		if x.First != nil {
			times = append(times, x.First.Sub(x.Created))
		}
	}
	row(table, "submit to the first byte of output, warm", times, "")
	return nil
}
