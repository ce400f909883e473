package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

const (
	filesRounds = 3
	// leaveScript leaves as many bytes as it is told, as compressed data has them.
	leaveScript = `import os, random
piece = random.Random(1).randbytes(1 << 20)
with open(os.environ["AIRLOCK_OUT"] + "/b.bin", "wb") as f:
    for _ in range(inputs >> 20): f.write(piece)`
)

// fileTimes are what each step of a file's way took.
type fileTimes struct{ upload, in, out, download time.Duration }

// files prints how fast a file gets into a box, and another one out of it, on each backend that is ready
// here, and the most memory that the server had. What leaves a box is searched for a value.
func (s *suite) files(ctx context.Context) error {
	table := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "files of %d MiB, MiB/s\tupload\tinto the box\tout of it, searched\tdownload\t"+
		"server, idle\tat the most\n", s.body>>20)
	for _, name := range comparable() {
		if err := s.filesOf(ctx, table, name); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return table.Flush()
}

func (s *suite) filesOf(ctx context.Context, table io.Writer, backend string) error {
	b := s.newBenchmark()
	stop, err := b.start(ctx, "AIRLOCK_SANDBOX="+backend, fmt.Sprintf("AIRLOCK_LIMIT_TMP=%d", s.body+(8<<20)),
		"AIRLOCK_POOL=1", "AIRLOCK_LIMIT_MEMORY=1GiB")
	if err != nil {
		fmt.Fprintf(table, "%s\tnot ready\n", backend)
		fmt.Fprintln(s.out, backend+" is not ready:", err)
		return ctx.Err()
	}
	defer stop()
	profile, err := b.newProfile(ctx, "--key", benchKey)
	if err != nil {
		return err
	}
	time.Sleep(settled)
	idle := residentNow(b.pid)
	var rounds []fileTimes
	for range filesRounds {
		took, err := b.passFiles(ctx, profile)
		if err != nil {
			return err
		}
		rounds = append(rounds, took)
	}
	pace := func(step func(fileTimes) time.Duration) float64 {
		slices.SortFunc(rounds, func(a, b fileTimes) int { return int(step(a) - step(b)) })
		return float64(s.body>>20) / step(rounds[len(rounds)/2]).Seconds()
	}
	fmt.Fprintf(table, "%s\t%.0f\t%.0f\t%.0f\t%.0f\t%d MiB\t%d MiB\n", backend,
		pace(func(t fileTimes) time.Duration { return t.upload }),
		pace(func(t fileTimes) time.Duration { return t.in }),
		pace(func(t fileTimes) time.Duration { return t.out }),
		pace(func(t fileTimes) time.Duration { return t.download }),
		idle>>20, peak(b.pid)>>20)
	return nil
}

// passFiles sends a file into a box and gets another one out of one.
func (b *benchmark) passFiles(ctx context.Context, profile string) (took fileTimes, err error) {
	start := time.Now()
	id, err := b.upload(ctx, profile)
	if err != nil {
		return took, err
	}
	took.upload = time.Since(start)
	start = time.Now()
	given := map[string]any{"script": "set_result(1)", "files": map[string]string{"a.bin": id}}
	if _, err := b.leave(ctx, profile, given); err != nil {
		return took, err
	}
	took.in = time.Since(start)
	start = time.Now()
	url, err := b.leave(ctx, profile, map[string]any{"script": leaveScript, "inputs": b.service.body})
	if err != nil {
		return took, err
	}
	took.out = time.Since(start)
	start = time.Now()
	if err := b.download(ctx, url); err != nil {
		return took, err
	}
	took.download = time.Since(start)
	return took, b.send(ctx, http.MethodDelete, "/files/"+id, profile, nil, nil)
}

// upload sends a file and returns its id.
func (b *benchmark) upload(ctx context.Context, profile string) (id string, err error) {
	var file struct {
		ID string `json:"file_id"`
	}
	n := int(b.service.body) / len(b.service.answer)
	pieces := make([]io.Reader, n)
	for i := range pieces {
		pieces[i] = bytes.NewReader(b.service.answer)
	}
	err = b.send(ctx, http.MethodPost, "/files?name=a.bin", profile, io.MultiReader(pieces...), &file)
	return file.ID, err
}

// leave runs a script and returns the address of the first artifact, if it left one.
func (b *benchmark) leave(ctx context.Context, profile string, submission map[string]any) (url string, err error) {
	body, err := json.Marshal(submission)
	if err != nil {
		return "", err
	}
	var x struct {
		Status, Error string
		Artifacts     []struct{ URL string }
	}
	if err := b.send(ctx, http.MethodPost, "/execute?wait=50", profile, bytes.NewReader(body), &x); err != nil {
		return "", err
	}
	if x.Status != "completed" {
		return "", fmt.Errorf("the execution ended as %s: %s", x.Status, x.Error)
	}
	if len(x.Artifacts) > 0 {
		url = strings.TrimPrefix(x.Artifacts[0].URL, b.url)
	}
	return url, nil
}

// download reads an artifact to its end.
func (b *benchmark) download(ctx context.Context, path string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, b.url+path, nil)
	if err != nil {
		return err
	}
	response, err := b.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	n, err := io.Copy(io.Discard, response.Body)
	if err == nil && n != b.service.body {
		err = errors.New("the artifact has another size")
	}
	return err
}
