// Command airlock-bench measures executions and egress of Airlock from outside, next to bare
// Python. It measures several programs by turns, on its own servers with temporary data
// directories.
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

const usage = `Usage: airlock-bench [FLAGS] [speed|egress…]

Starts servers of its own on temporary data directories and prints two tables:

  speed    executions warm, cold and by several clients; polls, start-up, processor time and memory
  egress   requests and bodies between a script in a box and a host, in each way that they can go

To compare two builds, name both: --airlock ./old --airlock ./new. Their figures are taken by turns.

`

// options are what the command line says.
type options struct {
	programs []string // paths of the programs to measure
	tables   []string
	turns    uint          // how often each program is measured
	rounds   uint          // of what is measured one at a time, in each turn
	length   time.Duration // of each measurement under load
	body     int64         // bytes of a large body
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

// run measures the tables in args and prints them to out.
func run(ctx context.Context, out io.Writer, args []string) error {
	o, err := parseOptions(out, args)
	if err != nil {
		return err
	}
	for _, name := range o.tables {
		t := newTable(o.programs)
		for turn := range o.turns {
			for i := range o.programs {
				t.program = (int(turn) + i) % len(o.programs) // each is first in its turn
				if err := tables[name](ctx, t, o); err != nil {
					return fmt.Errorf("%s of %s: %w", name, o.programs[t.program], err)
				}
			}
		}
		if err := t.print(out); err != nil {
			return err
		}
	}
	return nil
}

var tables = map[string]func(context.Context, *table, options) error{"speed": measureSpeed, "egress": measureEgress}

// parseOptions reads the command line. Help goes to out and returns flag.ErrHelp.
func parseOptions(out io.Writer, args []string) (o options, err error) {
	flags := flag.NewFlagSet("airlock-bench", flag.ContinueOnError)
	flags.SetOutput(out)
	flags.Usage = func() {
		fmt.Fprint(out, usage)
		flags.PrintDefaults()
	}
	const about = "`path` of a program to measure; may be given several times (./airlock)"
	flags.Func("airlock", about, func(path string) error {
		if path, err = filepath.Abs(path); err == nil {
			_, err = os.Stat(path)
		}
		o.programs = append(o.programs, path)
		return err
	})
	flags.UintVar(&o.turns, "turns", 3, "how often each program is measured")
	flags.UintVar(&o.rounds, "rounds", 100, "executions and requests measured one at a time, in each turn")
	flags.DurationVar(&o.length, "length", 5*time.Second, "of each measurement under load")
	flags.Int64Var(&o.body, "body", 64, "MiB of a large body")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	o.body <<= 20
	if len(o.programs) == 0 {
		if err := flags.Set("airlock", "airlock"); err != nil {
			return o, fmt.Errorf("%w; build it with `make build`, or name it with --airlock", err)
		}
	}
	if o.tables = flags.Args(); len(o.tables) == 0 {
		o.tables = []string{"speed", "egress"}
	}
	for _, name := range o.tables {
		if tables[name] == nil {
			return o, fmt.Errorf("there is no table %q; see --help", name)
		}
	}
	return o, nil
}
