package docker

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/probe"
	"github.com/computclaw/airlock/plugins/stdio"
)

//go:embed probe.py
var probeScript string

// groupsFix is what to do about limits that an engine doesn't hold.
const groupsFix = "run the engine with the control groups of memory and processes (a rootless one with cgroup " +
	"version 2 and delegation)"

func probeLimits() plugins.Limits {
	return plugins.Limits{Memory: 96 << 20, CPU: 0.5, Pids: 20, Tmp: 2 << 20, Files: 40}
}

// probe opens a box, tries to break out of it and returns what held.
func (h *host) probe(ctx context.Context, hidden []string) ([]plugins.Control, error) {
	l := probeLimits()
	facts := probe.Facts{Hidden: hidden, Pids: l.Pids, Tmp: l.Tmp, Shm: l.Shm(), Files: l.Files,
		Exec: h.settings.tmpExec}
	l.CPU = 2
	controls, err := probe.InNamespaces(ctx, h.python, l, probeScript, facts)
	for i, c := range controls {
		if c.Name == probe.ControlPids && !c.Proved {
			controls[i].Fix = groupsFix
		}
	}
	return controls, err
}

// proveLimits opens a box that uses up processor and memory, and returns what held.
func (h *host) proveLimits(ctx context.Context) (cpu, memory plugins.Control, err error) {
	limits := probeLimits()
	limits.CPU = cpuLimit
	b, err := h.newBox(plugins.Spec{ID: "_limits", Limits: limits})
	if err != nil {
		return cpu, memory, err
	}
	line, tell := io.Pipe()
	defer func() { _ = line.Close() }()
	// The counters go with the box, which the rest of the script ends. They are read before it
	// learns how much memory to take.
	out := &firstWrite{first: func() {
		b.meter.look(ctx)
		_, _ = tell.Write(probe.LimitInput(limits.Memory))
		_ = tell.Close()
	}}
	exit, err := h.finish(ctx, b, probe.LimitScript, line, out)
	if err != nil {
		return cpu, memory, err
	}
	share, perr := strconv.ParseFloat(strings.TrimSpace(string(out.Bytes())), 64)
	cpu = limitedCPU(share, perr == nil && b.meter.usage().held)
	ending, held := memoryLimited(exit)
	memory = plugins.Control{
		Name: probe.ControlMemory, Proved: held,
		Detail: fmt.Sprintf("took several times as much as a limit of %d MiB: %s", limits.Memory>>20, ending),
	}
	if !memory.Proved {
		memory.Fix = groupsFix
	}
	return cpu, memory, nil
}

// cpuLimit is the limit of the box that computes without pause, in cores. A busy host reaches it
// too.
const cpuLimit = 0.1

// limitedCPU is the control of processor time, proved by a box's share and the kernel's count of
// throttling. On a busy host a small share alone proves nothing.
func limitedCPU(share float64, heldBack bool) plugins.Control {
	const slack = 2 // periods of the kernel's accounting are long beside the measurement
	c := plugins.Control{Name: probe.ControlCPU,
		Detail: fmt.Sprintf("computed without pause at a limit of %v cores: got %.2f", cpuLimit, share)}
	switch {
	case share > slack*cpuLimit:
	case !heldBack:
		c.Detail += ", but the kernel was not seen to hold it back: nothing does, the engine doesn't tell, or the " +
			"host was too busy to get so far"
	default:
		c.Proved = true
		c.Detail += ", and was held back"
		return c
	}
	c.Fix = "delegate the cpu controller to a rootless engine's user (systemd: Delegate=cpu cpuset io memory pids)"
	return c
}

// firstWrite keeps an answer, and calls first when it begins.
type firstWrite struct {
	stdio.Answer
	first func()
}

func (h *firstWrite) Write(p []byte) (int, error) {
	n, err := h.Answer.Write(p)
	if h.first != nil {
		h.first()
		h.first = nil
	}
	return n, err
}

// memoryLimited says how the script that takes memory ended, and whether its limit did that.
// Without a limit it exits with 0. A busy engine may report the end before the reason.
func memoryLimited(exit plugins.Exit) (ending string, held bool) {
	const killedBySignal9 = 128 + 9
	if exit.Reason == plugins.ReasonExit && exit.Code == killedBySignal9 {
		return "killed", true
	}
	return "ended by " + string(exit.Reason), exit.Reason == plugins.ReasonOOM
}

// python runs a script as PID 1 of a default box and returns its output. Only such ids begin with
// an underscore.
func (h *host) python(ctx context.Context, id string, limits plugins.Limits, script string, input []byte) ([]byte,
	plugins.Exit, error) {
	b, err := h.newBox(plugins.Spec{ID: id, Limits: limits})
	if err != nil {
		return nil, plugins.Exit{}, err
	}
	var out stdio.Answer
	exit, err := h.finish(ctx, b, script, bytes.NewReader(input), &out)
	return out.Bytes(), exit, err
}

// finish runs a script as PID 1 of a default box. It fails if the box had to be ended.
func (h *host) finish(ctx context.Context, b *box, script string, stdin io.Reader, stdout io.Writer) (plugins.Exit,
	error) {
	i := h.images[0]
	exit, err := b.run(ctx, i, []string{i.python, "-s", "-B", "-c", script}, stdin, stdout)
	if err == nil && exit.Reason == plugins.ReasonKilled {
		err = fmt.Errorf("%s: %w", b.id, ctx.Err())
	}
	return exit, err
}
