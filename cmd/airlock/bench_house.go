package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// benchHouseSize is what benchHouse moves.
type benchHouseSize struct {
	credentials, profiles, executions int
	output                            int // bytes that each execution printed
}

// benchWords is the passphrase of the benchmark's files.
const benchWords = "six words nobody else will guess"

// houseBench is one run: what it moves, and where.
type houseBench struct {
	*benchmark
	dir   string
	table io.Writer
	lines int64 // bytes of the file before compression
}

// benchHouse moves an instance of a size: restore, export, import, and a backup while the server answers. sqlite3 and openssl do the least that must be done, in the same run.
func benchHouse(ctx context.Context, out io.Writer, service *benchService, size benchHouseSize) (err error) {
	dir, err := os.MkdirTemp("", "airlock-house-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	h := &houseBench{benchmark: newBenchmark(service), dir: dir, table: table}
	if h.lines, err = writeHouse(h.path("seed.airlock"), size); err != nil {
		return err
	}
	empty, err := writeHouse(h.path("empty.airlock"), benchHouseSize{})
	if err != nil || empty == 0 {
		return err
	}
	fmt.Fprintf(table, "%d credentials, %d profiles, %d executions: %d MB of lines\ttime\tMB/s\tpeak memory\n", size.credentials, size.profiles, size.executions, h.lines/1e6)
	for _, step := range []func(context.Context) error{h.move, h.floor, h.backUp} {
		if err := step(ctx); err != nil {
			return errors.Join(err, table.Flush())
		}
	}
	return table.Flush()
}

func (h *houseBench) path(name string) string { return filepath.Join(h.dir, name) }

// move restores the seed in one data directory, exports that and imports it into another one.
func (h *houseBench) move(ctx context.Context) error {
	if _, err := h.airlock(ctx, "new", "restore", h.path("empty.airlock")); err != nil {
		return err
	}
	for _, step := range []struct{ what, in, command, file string }{
		{"airlock admin restore", "old", "restore", "seed.airlock"},
		{"airlock admin export", "old", "export", "house.airlock"},
		{"airlock admin import", "new", "import", "house.airlock"},
	} {
		spent, err := h.airlock(ctx, step.in, step.command, h.path(step.file))
		if err != nil {
			return err
		}
		h.row(step.what, h.lines, spent)
	}
	return nil
}

// spent is what a command took.
type spent struct {
	time   time.Duration
	memory int64 // bytes, at the most at once
}

// airlock runs airlock admin on a data directory of the benchmark's.
func (h *houseBench) airlock(ctx context.Context, data, command, file string) (spent, error) {
	if err := os.MkdirAll(h.path(data), 0o700); err != nil {
		return spent{}, err
	}
	h.env = slices.Concat(os.Environ(), []string{"AIRLOCK_DATA_DIR=" + h.path(data)})
	run, err := h.self(ctx, "admin", command, file)
	if err != nil {
		return spent{}, err
	}
	run.Stdin = strings.NewReader(benchWords + "\n")
	return timed(run)
}

// timed runs a command. What the kernel says of an ended child counts the memory of the process that started it, so the memory is looked at while it runs.
func timed(run *exec.Cmd) (s spent, err error) {
	var out bytes.Buffer
	run.Stdout, run.Stderr = &out, &out
	start, ended := time.Now(), make(chan error, 1)
	if err := run.Start(); err != nil {
		return s, err
	}
	go func() { ended <- run.Wait() }()
	for {
		select {
		case err := <-ended:
			if err != nil {
				return s, fmt.Errorf("%s: %w\n%s", strings.Join(run.Args, " "), err, out.String())
			}
			s.time = time.Since(start)
			return s, nil
		case <-time.After(10 * time.Millisecond):
			s.memory = max(s.memory, peak(run.Process.Pid))
		}
	}
}

func (h *houseBench) row(what string, bytes int64, s spent) {
	fmt.Fprintf(h.table, "%s\t%.1f s\t%.0f\t%d MiB\n", what, s.time.Seconds(), float64(bytes)/1e6/s.time.Seconds(), s.memory>>20)
}

// floor copies the database and seals the copy, and opens that again, with the programs that do it with the least work.
func (h *houseBench) floor(ctx context.Context) error {
	source, copied, sealed := h.path("old/airlock.db"), h.path("copy.db"), h.path("copy.enc")
	crypt := func(from, to string, more ...string) *exec.Cmd {
		args := append([]string{"enc", "-aes-256-ctr", "-pbkdf2", "-pass", "env:WORDS", "-in", from, "-out", to}, more...)
		run := exec.CommandContext(ctx, "openssl", args...)
		run.Env = append(os.Environ(), "WORDS="+benchWords)
		return run
	}
	info, err := os.Stat(source)
	if err != nil {
		return err
	}
	for _, step := range []struct {
		what string
		run  *exec.Cmd
	}{
		{"sqlite3 .backup", exec.CommandContext(ctx, "sqlite3", source, ".backup "+copied)},
		{"openssl enc", crypt(copied, sealed)},
		{"openssl enc -d", crypt(sealed, copied, "-d")},
	} {
		s, err := timed(step.run)
		if err != nil {
			return err
		}
		h.row(fmt.Sprintf("%s, of the database of %d MB", step.what, info.Size()/1e6), info.Size(), s)
	}
	return nil
}
