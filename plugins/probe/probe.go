// Package probe proves that boxes hold. Its scripts try to break out of a box or past its limits,
// and it reads their reports.
//
// A probe is common.py, the backend's own part, namespaces.py for boxes with namespaces, and
// tail.py, run as one script by the box's Python.
package probe

import (
	"context"
	_ "embed" // the scripts
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"

	"github.com/computclaw/airlock/plugins"
)

var (
	//go:embed common.py
	common string
	//go:embed namespaces.py
	namespaces string
	//go:embed tail.py
	tail string
)

// Names of controls that backends have something to say about.
const (
	ControlCPU    = "processor time is limited"
	ControlMemory = "memory is limited"
	ControlPids   = "processes are limited"
)

// Facts tell a probe what to try. They come over stdin and are thus not in its arguments.
type Facts struct {
	Hidden []string `json:"hidden"` // paths of the host
	Canary int      `json:"canary"` // port that is open on the host's 127.0.0.1
	Pids   int64    `json:"pids"`
	Tmp    int64    `json:"tmp"`
	Shm    int64    `json:"shm"`
	Files  int64    `json:"files"`
	Exec   bool     `json:"exec"` // /tmp may hold programs
}

// Python runs a script in a box of its own and returns what it printed.
type Python func(ctx context.Context, id string, limits plugins.Limits, script string, input []byte) ([]byte,
	plugins.Exit, error)

// Answer is what a probe reports.
type Answer struct {
	Controls []plugins.Control // by name
	Daemon   int               // a process that tried to outlive the box; 0 for none
}

// InNamespaces tries the controls of a namespaced box. own is the backend's part of the script. A
// failed control is no error.
func InNamespaces(ctx context.Context, python Python, limits plugins.Limits, own string,
	f Facts) ([]plugins.Control, error) {
	canary, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	defer canary.Close()
	f.Canary = canary.Addr().(*net.TCPAddr).Port
	answer, err := Run(ctx, python, limits, own+namespaces, f)
	return answer.Controls, err
}

// Run tries the controls of a box. own is the backend's script, facts its input. It fails if the
// box doesn't open or the answer is incomplete.
func Run(ctx context.Context, python Python, limits plugins.Limits, own string, facts any) (Answer, error) {
	input, err := json.Marshal(facts)
	if err != nil {
		return Answer{}, err
	}
	out, exit, err := python(ctx, "_probe", limits, common+own+tail, append(input, '\n'))
	if err != nil {
		return Answer{}, err
	}
	var raw struct {
		Controls map[string]outcome `json:"controls"`
		Daemon   int                `json:"daemon"`
	}
	if json.Unmarshal(out, &raw) != nil || len(raw.Controls) == 0 {
		return Answer{}, fmt.Errorf("the probe ended with code %d, signal %d, reason %s: %s", exit.Code, exit.Signal,
			exit.Reason, exit.Diagnostic)
	}
	answer := Answer{Daemon: raw.Daemon}
	for name, o := range raw.Controls {
		answer.Controls = append(answer.Controls, plugins.Control{Name: name, Proved: o.held, Detail: o.detail})
	}
	slices.SortFunc(answer.Controls, func(a, b plugins.Control) int { return strings.Compare(a.Name, b.Name) })
	return answer, nil
}

type outcome struct {
	held   bool
	detail string
}

func (o *outcome) UnmarshalJSON(text []byte) error {
	return json.Unmarshal(text, &[]any{&o.held, &o.detail})
}

// Refute returns an error for the first control that did not hold. Processor time may be missing if
// the report admits it: excess is a nuisance, not a breach.
func Refute(r plugins.Report) error {
	for _, c := range r.Controls {
		if !c.Proved && !(c.Name == ControlCPU && r.Enforced["cpu"] == "") {
			return fmt.Errorf("control %q did not hold: %s", c.Name, strings.TrimSuffix(c.Detail+"; "+c.Fix, "; "))
		}
	}
	if len(r.Controls) == 0 {
		return errors.New("no control was tried")
	}
	return nil
}
