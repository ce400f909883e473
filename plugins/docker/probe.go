package docker

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/stdio"
	"github.com/computclaw/airlock/plugins/strain"
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
	controlCPU  = "processor time is limited"
	controlPids = "processes are limited"
)

// groupsFix is what to do about limits that an engine doesn't hold.
const groupsFix = "run the engine with the control groups of memory and processes (a rootless one with cgroup version 2 and delegation)"

// probeLimits are small, so that reaching them is quick.
func probeLimits() plugins.Limits {
	return plugins.Limits{Memory: 96 << 20, CPU: 0.5, Pids: 20, Tmp: 2 << 20, Files: 40}
}

// probe opens a box, tries to break out of it and returns what held. It fails if the box could not be opened or the answer is
// not complete; a control that did not hold is no error.
func (h *host) probe(ctx context.Context, hidden []string) ([]plugins.Control, error) {
	canary, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	defer canary.Close()
	limits := probeLimits()
	input, err := json.Marshal(facts{
		Hidden: hidden, Canary: canary.Addr().(*net.TCPAddr).Port, Pids: limits.Pids, Tmp: limits.Tmp, Shm: shmSize, Files: limits.Files,
		Exec: h.settings.tmpExec,
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
	out, exit, err := h.python(ctx, "_strain", limits, strain.Script, strain.Line(limits.Memory))
	if err != nil {
		return cpu, memory, err
	}
	share, perr := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
	cpu = plugins.Control{
		Name: controlCPU, Proved: perr == nil && share <= 1.3*limits.CPU,
		Detail: fmt.Sprintf("computed without pause at a limit of %v cores: got %.2f", limits.CPU, share),
	}
	if !cpu.Proved {
		cpu.Fix = "delegate the cpu controller to a rootless engine's user (systemd: Delegate=cpu cpuset io memory pids)"
	}
	ending, held := strained(exit)
	memory = plugins.Control{
		Name: "memory is limited", Proved: held,
		Detail: fmt.Sprintf("took several times as much as a limit of %d MiB: %s", limits.Memory>>20, ending),
	}
	if !memory.Proved {
		memory.Fix = groupsFix
	}
	return cpu, memory, nil
}

// strained says how the script that takes memory ended, and whether its limit did that. It ends by itself with 0 where there is none. An engine that is busy
// may tell of the end before it hears why the kernel did it.
func strained(exit plugins.Exit) (ending string, held bool) {
	const killedBySignal9 = 128 + 9
	if exit.Reason == plugins.ReasonExit && exit.Code == killedBySignal9 {
		return "killed", true
	}
	return "ended by " + string(exit.Reason), exit.Reason == plugins.ReasonOOM
}

// python runs a script as PID 1 of a box of the default image and returns what it wrote. The id begins with an underscore, which no
// other box's does.
func (h *host) python(ctx context.Context, id string, limits plugins.Limits, script string, input []byte) ([]byte, plugins.Exit, error) {
	var out stdio.Answer
	i := h.images[0]
	command := []string{i.python, "-s", "-B", "-c", script}
	exit, err := h.run(ctx, plugins.Spec{ID: id, Limits: limits}, i, command, nil, bytes.NewReader(input), &out)
	if err == nil && exit.Reason == plugins.ReasonKilled {
		err = fmt.Errorf("%s: %w", id, ctx.Err())
	}
	return out.Bytes(), exit, err
}
