package docker

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/probe"
	"github.com/computclaw/airlock/plugins/stdio"
)

//go:embed probe.py
var probeScript string

// facts tell the probe what to try.
type facts struct {
	Hidden []string `json:"hidden"` // paths of this host
	Canary int      `json:"canary"` // port somebody listens on at this host's 127.0.0.1
	Pids   int64    `json:"pids"`
	Tmp    int64    `json:"tmp"`
	Shm    int64    `json:"shm"`
	Files  int64    `json:"files"`
	Exec   bool     `json:"exec"` // /tmp may hold programs
}

// Names of controls that there is something to do about.
const (
	controlCPU    = "processor time is limited"
	controlMemory = "memory is limited"
	controlPids   = "processes are limited"
)

// groupsFix is what to do about limits that an engine doesn't hold.
const groupsFix = "run the engine with the control groups of memory and processes (a rootless one with cgroup " +
	"version 2 and delegation)"

// probeLimits are small, so that reaching them is quick.
func probeLimits() plugins.Limits {
	return plugins.Limits{Memory: 96 << 20, CPU: 0.5, Pids: 20, Tmp: 2 << 20, Files: 40}
}

// probe opens a box, tries to break out of it and returns what held. It fails if the box could not
// be opened or the answer is not complete; a control that did not hold is no error.
func (h *host) probe(ctx context.Context, hidden []string) ([]plugins.Control, error) {
	canary, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	defer canary.Close()
	limits := probeLimits()
	input, err := json.Marshal(facts{
		Hidden: hidden, Canary: canary.Addr().(*net.TCPAddr).Port, Pids: limits.Pids, Tmp: limits.Tmp, Shm: shmSize,
		Files: limits.Files,
		Exec:  h.settings.tmpExec,
	})
	if err != nil {
		return nil, err
	}
	limits.CPU = 2
	out, exit, err := h.python(ctx, "_probe", limits, probeScript, append(input, '\n'))
	if err != nil {
		return nil, err
	}
	raw := map[string]struct {
		Held   bool
		Detail string
	}{}
	if json.Unmarshal(out, &raw) != nil || len(raw) == 0 {
		return nil, fmt.Errorf("the probe ended with code %d, reason %s: %s", exit.Code, exit.Reason, exit.Diagnostic)
	}
	var controls []plugins.Control
	for name, r := range raw {
		c := plugins.Control{Name: name, Proved: r.Held, Detail: r.Detail}
		if name == controlPids && !r.Held {
			c.Fix = groupsFix
		}
		controls = append(controls, c)
	}
	slices.SortFunc(controls, func(a, b plugins.Control) int { return strings.Compare(a.Name, b.Name) })
	return controls, nil
}

// strain opens a box that uses up processor and memory, and returns what was held.
func (h *host) strain(ctx context.Context) (cpu, memory plugins.Control, err error) {
	limits := probeLimits()
	limits.CPU = strainCPU
	b, err := h.newBox(plugins.Spec{ID: "_strain", Limits: limits})
	if err != nil {
		return cpu, memory, err
	}
	line, tell := io.Pipe()
	defer func() { _ = line.Close() }()
	// Counters go with the box, which the rest of the script ends: so it is told how much memory to
	// take once they have been read.
	out := &heard{first: func() {
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
	ending, held := strained(exit)
	memory = plugins.Control{
		Name: controlMemory, Proved: held,
		Detail: fmt.Sprintf("took several times as much as a limit of %d MiB: %s", limits.Memory>>20, ending),
	}
	if !memory.Proved {
		memory.Fix = groupsFix
	}
	return cpu, memory, nil
}

// strainCPU is the limit of the box that computes without pause, in cores: so little that it is
// reached on a busy host too.
const strainCPU = 0.1

// limitedCPU is the control of processor time, for a box that got so large a share of a core. That
// share alone proves nothing: on a busy host everybody gets little. The kernel counts how often it
// held a box back.
func limitedCPU(share float64, heldBack bool) plugins.Control {
	const slack = 2 // periods of the kernel's accounting are long beside the measurement
	c := plugins.Control{Name: controlCPU,
		Detail: fmt.Sprintf("computed without pause at a limit of %v cores: got %.2f", strainCPU, share)}
	switch {
	case share > slack*strainCPU:
	case !heldBack:
		c.Detail += ", but the kernel was not seen to hold it back: nothing does, the engine doesn't tell, or the host was " +
			"too busy to get so far"
	default:
		c.Proved = true
		c.Detail += ", and was held back"
		return c
	}
	c.Fix = "delegate the cpu controller to a rootless engine's user (systemd: Delegate=cpu cpuset io memory pids)"
	return c
}

// heard keeps an answer, and calls first when it begins.
type heard struct {
	stdio.Answer
	first func()
}

func (h *heard) Write(p []byte) (int, error) {
	n, err := h.Answer.Write(p)
	if h.first != nil {
		h.first()
		h.first = nil
	}
	return n, err
}

// strained says how the script that takes memory ended, and whether its limit did that. It ends by
// itself with 0 where there is none. An engine that is busy may tell of the end before it hears why
// the kernel did it.
func strained(exit plugins.Exit) (ending string, held bool) {
	const killedBySignal9 = 128 + 9
	if exit.Reason == plugins.ReasonExit && exit.Code == killedBySignal9 {
		return "killed", true
	}
	return "ended by " + string(exit.Reason), exit.Reason == plugins.ReasonOOM
}

// python runs a script as PID 1 of a box of the default image and returns what it wrote. The id
// begins with an underscore, which no other box's does.
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

// finish runs a script as PID 1 of a box of the default image. It fails if the box had to be ended.
func (h *host) finish(ctx context.Context, b *box, script string, stdin io.Reader, stdout io.Writer) (plugins.Exit,
	error) {
	i := h.images[0]
	exit, err := b.run(ctx, i, []string{i.python, "-s", "-B", "-c", script}, stdin, stdout)
	if err == nil && exit.Reason == plugins.ReasonKilled {
		err = fmt.Errorf("%s: %w", b.id, ctx.Err())
	}
	return exit, err
}
