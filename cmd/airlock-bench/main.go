// Command airlock-bench measures Airlock: executions, egress, the redactor, the sandbox backends
// and the server under overload, each next to the same without Airlock, in one run. It starts
// servers of its own on temporary data directories.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

const usage = `Usage: airlock-bench [FLAGS] [TABLE…]

Starts servers of its own on temporary data directories and prints the tables, without names the first six:

  speed       executions warm and cold, polls, pages, start-up and memory, next to bare Python
  egress      requests and bodies that pass through egress, next to the same without Airlock
  redaction   the redactor, next to plain copying
  backends    the sandbox backends that are ready here, next to bare Python
  files       files that get into boxes and out of them, on each backend that is ready here
  skills      a skill next to the same code as a script, and the scan of a large bundle
  parked      executions that wait for an LLM answer at once; each needs about 9 MiB
  overload    the server under far more than it can do

`

// options are what the command line says.
type options struct {
	airlock string        // path of the program that is measured
	rounds  int           // executions, requests and pages measured one at a time
	length  time.Duration // of each measurement under load
	body    int64         // bytes of a large body
	pages   int           // executions in the store while pages are measured; 0: pages are not measured
	parked  int           // executions that wait at once
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx, os.Stdout, os.Args[1:])
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "airlock-bench:", err)
		os.Exit(1) //nolint:gocritic // nothing is left for stop to do
	}
}

// run measures the tables that args name and prints them to out.
func run(ctx context.Context, out io.Writer, args []string) error {
	o, names, err := parse(out, args)
	if err != nil {
		return err
	}
	service, err := startBenchService(ctx, o.body)
	if err != nil {
		return err
	}
	defer service.stop()
	s := &suite{options: o, out: out, service: service}
	for _, name := range names {
		if err := s.tables()[name](ctx); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		fmt.Fprintln(out)
	}
	return nil
}

// parse reads the command line. Help is printed to out and returned as flag.ErrHelp.
func parse(out io.Writer, args []string) (o options, names []string, err error) {
	flags := flag.NewFlagSet("airlock-bench", flag.ContinueOnError)
	flags.SetOutput(out)
	flags.Usage = func() {
		fmt.Fprint(out, usage)
		flags.PrintDefaults()
	}
	flags.StringVar(&o.airlock, "airlock", "./airlock", "`path` of the program to measure")
	flags.IntVar(&o.rounds, "rounds", 100, "executions, requests and pages measured one at a time")
	seconds := flags.Float64("seconds", 5, "length of each measurement under load")
	body := flags.Int64("body", 64, "MiB of a large body")
	flags.IntVar(&o.pages, "pages", 1_000_000,
		"executions in the store while pages are measured (3 GB of disk); 0: no pages")
	flags.IntVar(&o.parked, "parked", 1000, "executions that wait for an answer at once")
	if err := flags.Parse(args); err != nil {
		return o, nil, err
	}
	o.length, o.body = time.Duration(*seconds*float64(time.Second)), *body<<20
	switch {
	case o.rounds < 1 || *body < 1 || o.pages < 0 || o.parked < 1:
		return o, nil, errors.New("--rounds, --body and --parked must be at least 1, --pages at least 0")
	case !(*seconds >= 0.01 && *seconds <= 3600):
		return o, nil, errors.New("--seconds must be from 0.01 to 3600")
	}
	if o.airlock, err = filepath.Abs(o.airlock); err != nil {
		return o, nil, err
	}
	if _, err := os.Stat(o.airlock); err != nil {
		return o, nil, fmt.Errorf("%w; build it with `make build`, or name it with --airlock", err)
	}
	if names = flags.Args(); len(names) == 0 {
		names = []string{"speed", "egress", "redaction", "backends", "files", "skills"}
	}
	known := (&suite{}).tables()
	for _, name := range names {
		if known[name] == nil {
			return o, nil, fmt.Errorf("there is no table %q; see --help", name)
		}
	}
	return o, names, nil
}

// suite measures the tables.
type suite struct {
	options
	out     io.Writer
	service *benchService
}

// tables are all that can be measured, by name.
func (s *suite) tables() map[string]func(context.Context) error {
	return map[string]func(context.Context) error{
		"speed": s.speed, "egress": s.egress, "redaction": s.redaction,
		"backends": s.backends, "files": s.files, "skills": s.skills, "parked": s.parkedExecutions, "overload": s.overload,
	}
}
