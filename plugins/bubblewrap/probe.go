package bubblewrap

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"runtime"
	"strconv"
	"strings"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/probe"
	"github.com/computclaw/airlock/plugins/stdio"
)

//go:embed probe.py
var probeScript string

// probeLimits are small, so that reaching them is quick.
func probeLimits() plugins.Limits {
	return plugins.Limits{Memory: 64 << 20, CPU: 0.5, Pids: 20, Tmp: 2 << 20, Files: 40}
}

// kind is a way of opening a host's boxes: fresh, or forked from its template.
type kind struct {
	*host
	fresh bool
}

// probe opens a box, tries to break out of it and returns what held.
func (k kind) probe(ctx context.Context, hidden []string) ([]plugins.Control, error) {
	l := probeLimits()
	facts := probe.Facts{Hidden: hidden, Pids: l.Pids, Tmp: l.Tmp, Shm: l.Shm(), Files: l.Files}
	l.CPU = float64(runtime.NumCPU())
	return probe.InNamespaces(ctx, k.python, l, probeScript, facts)
}

// proveLimits opens a box that uses up processor and memory, and returns what held.
func (k kind) proveLimits(ctx context.Context) (cpu, memory plugins.Control, err error) {
	limits := probeLimits()
	out, exit, err := k.python(ctx, "_limits", limits, probe.LimitScript, probe.LimitInput(limits.Memory))
	if err != nil {
		return cpu, memory, err
	}
	const slack = 1.6 // what it may have of a period before the two that it measures
	share, perr := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
	cpu = plugins.Control{
		Name: probe.ControlCPU, Proved: perr == nil && share <= slack*limits.CPU,
		Detail: fmt.Sprintf("computed without pause at a limit of %v cores: got %.2f", limits.CPU, share),
	}
	memory = plugins.Control{
		Name: probe.ControlMemory, Proved: exit.Reason == plugins.ReasonOOM,
		Detail: fmt.Sprintf("took several times as much as a limit of %d MiB: ended by %s at %d MiB", limits.Memory>>20,
			exit.Reason, exit.PeakMemory>>20),
	}
	return cpu, memory, nil
}

// python runs a script as PID 1 of a box and returns its output. Only such ids begin with an
// underscore.
func (k kind) python(ctx context.Context, id string, limits plugins.Limits, script string, input []byte) ([]byte,
	plugins.Exit, error) {
	var out stdio.Answer
	if !k.fresh {
		id += "-forked"
	}
	command := []string{k.interpreter, "-s", "-B", "-c", script}
	spec := plugins.Spec{ID: id, Limits: limits, Fresh: k.fresh}
	exit, err := k.run(ctx, spec, command, newMeter(), bytes.NewReader(input), &out)
	if err == nil && exit.Reason == plugins.ReasonKilled {
		err = fmt.Errorf("%s: %w", id, ctx.Err())
	}
	if err == nil && !k.fresh {
		err = k.templates.failure() // then it was opened afresh
	}
	return out.Bytes(), exit, err
}
