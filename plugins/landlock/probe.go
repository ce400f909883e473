package landlock

import (
	"bytes"
	"context"
	_ "embed" // the probes
	"fmt"
	"os"
	"strconv"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/probe"
	"github.com/computclaw/airlock/plugins/stdio"
)

//go:embed probe.py
var probeScript string

type facts struct {
	probe.Facts
	File     string `json:"file"`   // canaries
	Socket   string `json:"socket"` // beside it
	Abstract string `json:"abstract"`
	Port     int    `json:"port"`
	Outside  int    `json:"outside"` // a process
	UID      int    `json:"uid"`     // Airlock's
	OwnUID   bool   `json:"own_uid"`
}

func probeLimits() plugins.Limits {
	return plugins.Limits{Memory: 96 << 20, CPU: 1, Pids: 20, Tmp: 4 << 20, Files: 64}
}

// probe opens a box, tries to break out of it and returns what held.
func (h *host) probe(ctx context.Context, hidden []string) ([]plugins.Control, error) {
	canaries, err := newCanaries(h.newPath("_canaries"))
	if err != nil {
		return nil, fmt.Errorf("put up canaries: %w", err)
	}
	defer canaries.close()
	answer, err := probe.Run(ctx, h.python, probeLimits(), probeScript, h.facts(canaries, hidden))
	if err != nil {
		return nil, err
	}
	return append(answer.Controls, daemonEnded(answer.Daemon)), nil
}

func (h *host) facts(c *canaries, hidden []string) facts {
	limits := probeLimits()
	return facts{
		Facts: probe.Facts{Hidden: hidden, Pids: limits.Pids, Tmp: limits.Tmp, Files: limits.Files},
		File:  c.file, Socket: c.socket, Abstract: c.abstract, Port: c.port,
		Outside: os.Getpid(), UID: os.Geteuid(), OwnUID: h.identity.count > 0,
	}
}

// daemonEnded looks for a process that the probe forked twice into a session of its own.
func daemonEnded(pid int) plugins.Control {
	c := plugins.Control{Name: "nothing outlives a box", Proved: pid > 0,
		Detail: "forked twice into a session of its own"}
	if line, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline"); err == nil &&
		bytes.Contains(line, []byte("airlock-probe-mark")) {
		c.Proved, c.Detail = false, fmt.Sprintf("process %d is still there", pid)
	}
	return c
}

// python runs a script as the guest of a box and returns its output. Only such ids begin with an
// underscore.
func (h *host) python(ctx context.Context, id string, limits plugins.Limits, script string, input []byte) ([]byte,
	plugins.Exit, error) {
	var out stdio.Answer
	p := program{path: h.interpreter, argv: []string{h.interpreter, "-s", "-B", "-c", script, "airlock-probe-mark"}}
	exit, err := h.run(ctx, plugins.Spec{ID: id, Limits: limits}, p, bytes.NewReader(input), &out)
	if err == nil && exit.Reason == plugins.ReasonKilled {
		err = fmt.Errorf("%s: %w", id, ctx.Err())
	}
	return out.Bytes(), exit, err
}
