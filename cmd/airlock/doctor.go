package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/computclaw/airlock/cmd/airlock/internal/cli"
	"github.com/computclaw/airlock/cmd/airlock/internal/config"
	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/owner"
)

const doctorUsage = `Usage: airlock doctor

Checks each configured sandbox backend on this host by trying to break out of a box, and prints
what holds. Ends with 1 if no backend is ready.
`

// doctor is airlock doctor. It has its own state directory, so it can run beside a server.
func doctor(ctx context.Context, c cli.Console, args []string) (err error) {
	if _, err := cli.Parse(c.Out, "doctor", doctorUsage, args); err != nil {
		return err
	}
	cfg, err := config.Load(c.Env)
	if err != nil {
		return err
	}
	// a closed pipe (doctor | head) must not end it before it has cleaned up
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, unix.SIGPIPE)
	defer signal.Stop(broken)
	if cfg.DataDir, err = owner.MkdirTemp(os.TempDir(), "airlock-doctor-"); err != nil {
		return fmt.Errorf("the doctor needs a place for files of its own: %w; make /tmp writable (docker run --tmpfs "+
			"/tmp:mode=1777), or name another directory in TMPDIR", err)
	}
	defer os.RemoveAll(cfg.DataDir)
	boxes, err := openSandboxes(cfg, fmt.Sprintf("doctor-%d", os.Getpid()), "", c.Warnings())
	if err != nil {
		return err
	}
	defer func() { _ = boxes.Close() }()
	ready := false
	if cfg.Auto() {
		fmt.Fprintf(c.Out, "AIRLOCK_SANDBOX is auto: the strongest of these is used, the earlier one of two.\n\n")
	}
	for _, b := range boxes.list {
		checkCtx, cancel := context.WithTimeout(ctx, 2*time.Minute)
		report, err := b.Backend.Check(checkCtx, b.Config)
		cancel()
		if err != nil {
			report = plugins.Report{Tier: plugins.TierNone, Reason: err.Error()}
		}
		report.Name = b.Name
		printReport(c.Out, report)
		ready = ready || report.Ready
	}
	if !ready {
		return fmt.Errorf("no sandbox backend is ready on this host; scripts can't run")
	}
	return nil
}

// printReport prints a backend's report. It escapes control characters, which could fake another
// verdict.
func printReport(w io.Writer, r plugins.Report) {
	state := "NOT READY"
	if r.Ready {
		state = "ready, isolation " + string(r.Tier)
	}
	fmt.Fprintf(w, "%s: %s\n", strings.TrimSpace(r.Name+" "+cli.Printable(r.Version)), cli.Printable(state))
	if r.Reason != "" {
		fmt.Fprintf(w, "  %s\n", printableLines(r.Reason, "  "))
	}
	for _, control := range r.Controls {
		printControl(w, control)
	}
	for _, limit := range slices.Sorted(maps.Keys(r.Enforced)) {
		fmt.Fprintf(w, "  limit   %s: %s\n", cli.Printable(limit), cli.Printable(cmp.Or(r.Enforced[limit], "NOT ENFORCED")))
	}
	if r.Runtime != "" {
		fmt.Fprintf(w, "  runtime %s\n", cli.Printable(r.Runtime))
	}
	for _, name := range slices.Sorted(maps.Keys(r.Images)) {
		fmt.Fprintf(w, "  image   %s: %s\n", cli.Printable(name), cli.Printable(r.Images[name]))
	}
}

func printControl(w io.Writer, c plugins.Control) {
	mark := "MISSING"
	switch {
	case c.Proved:
		mark = "proved "
	case c.NotApplicable:
		mark = "n/a    "
	}
	fmt.Fprintf(w, "  %s %s", mark, cli.Printable(c.Name))
	if c.Detail != "" && !c.Proved {
		fmt.Fprintf(w, ": %s", printableLines(c.Detail, "          "))
	}
	fmt.Fprintln(w)
	if c.Fix != "" && !c.Proved {
		fmt.Fprintf(w, "          fix: %s\n", printableLines(c.Fix, "               "))
	}
}

// printableLines keeps line breaks and indents the following lines.
func printableLines(text, indent string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = cli.Printable(strings.ReplaceAll(line, "\t", "    "))
	}
	return strings.Join(lines, "\n"+indent)
}
