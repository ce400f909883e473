package bubblewrap

import (
	"context"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/fdlink"
	"github.com/computclaw/airlock/plugins/netns"
	"github.com/computclaw/airlock/plugins/stdio"
	guest "github.com/computclaw/airlock/plugins/template"
	"github.com/computclaw/airlock/plugins/wire"
)

var (
	//go:embed template.py
	templateSource []byte
	//go:embed pid1.py
	pid1Source []byte
	//go:embed imports.py
	importsSource []byte
)

// guestsMemory is what a template's guests may need for one box, in bytes: its connections' buffers
// and a message.
const guestsMemory = 64 << 20

// readyWithin bounds the start of a template, and of a box in it. triedWithin bounds one that tries
// imports first.
const (
	readyWithin = 10 * time.Second
	triedWithin = 2 * time.Minute
)

// maxReady is how many bytes a template says when it is ready.
const maxReady = 64 << 10

type template struct {
	process *process
	group   group
	link    *fdlink.Link // requests, each with its descriptors
	ended   func()       // called at the end of end

	loaded loaded

	// Guarded by templates.mu.
	boxes int // that were begun
	users int // boxes that are open
}

// plan is what the boxes of a template have in common.
type plan struct {
	Clone    int               `json:"clone"` // the number of that system call here
	Hostname string            `json:"hostname"`
	Masked   []string          `json:"masked"`
	Sysctls  map[string]string `json:"sysctls"`
	SYNs     string            `json:"syns"`   // filter of the socket, in hex
	Filter   string            `json:"filter"` // of system calls, in hex

	Guests []string `json:"guests"` // what serves boxes from outside; empty if each serves itself
	UID    int      `json:"uid"`    // of that, in the template
	Memory int64    `json:"memory"` // in bytes, below which it tries to stay
	Out    string   `json:"out"`    // where scripts leave artifacts

	Imports []string `json:"imports"` // modules to load
	Tried   bool     `json:"tried"`   // all of them can be
}

// loaded is what a template has loaded for its boxes.
type loaded struct {
	Imports []string          `json:"imports"`
	Refused map[string]string `json:"refused"` // modules that scripts import themselves, and why
}

// request asks a template for one box. stdin, stdout, stderr, status and the cgroup.procs of the
// box's group come with it.
type request struct {
	Command []string   `json:"command"` // of PID 1, or what that is called where an interpreter waits
	Waits   bool       `json:"waits"`   // an interpreter waits beside PID 1, and both are served from outside
	UID     int        `json:"uid"`     // in the template
	RLimits [][2]int64 `json:"rlimits"`
	Tmp     int64      `json:"tmp"`
	Shm     int64      `json:"shm"`
}

func (h *host) canFork() error {
	switch {
	case os.Geteuid() != 0:
		return errors.New("each box of a template has a uid of its own, which only root can give it")
	case h.limiter.listEnforced()["pids"] != "cgroup":
		return errors.New("each box of a template is held by a control group, and there is none: " + h.noCgroup)
	}
	return nil
}

// startTemplate starts a template with modules and waits until it takes requests. Modules that
// weren't tried yet are tried first.
func (h *host) startTemplate(ctx context.Context, id string, imports []string, tried bool) (*template, error) {
	limits, err := plugins.Limits{CPU: float64(runtime.NumCPU()), Memory: mostAtOnce() * guestsMemory}.Bound(least())
	if err != nil {
		return nil, err
	}
	ours, theirs, err := fdlink.New()
	if err != nil {
		return nil, err
	}
	defer theirs.Close() // the template has it
	g, err := h.limiter.create(id, limits)
	if err != nil {
		return nil, errors.Join(err, ours.Close())
	}
	command := append(slices.Clone(plugins.GuestArgv), guest.Mode)
	p, err := h.stage(purpose{command: command, limits: limits, template: true}, theirs)
	if err != nil {
		return nil, errors.Join(err, ours.Close(), drain(g))
	}
	t := &template{process: p, group: g, link: ours, ended: func() {}}
	if err := errors.Join(p.begin(g), t.prepare(ctx, h, imports, tried)); err != nil {
		p.kill()
		err = fmt.Errorf("%w: %s", err, p.lastWords())
		t.end()
		return nil, err
	}
	return t, nil
}

// prepare sends what the template runs, and waits until it is ready.
func (t *template) prepare(ctx context.Context, h *host, imports []string, tried bool) error {
	syns, err := netns.SYNFilter()
	if err != nil {
		return err
	}
	p := plan{
		Clone: unix.SYS_CLONE, Hostname: hostname, Masked: h.layout.masked, Sysctls: netns.Sysctls(),
		SYNs: hex.EncodeToString(syns), Filter: hex.EncodeToString(h.filter), UID: guestsUID,
		Memory: mostAtOnce() * guestsMemory * 3 / 4, Out: wire.OutDir, Imports: imports, Tried: tried,
	}
	within := readyWithin
	if !tried && len(imports) > 0 {
		within = triedWithin
	}
	if h.served {
		p.Guests = append(slices.Clone(plugins.GuestArgv), guest.Guests)
	}
	_ = t.process.stdio.Stdin.Close() // at its end, as that of every script
	if err := t.link.SetDeadline(time.Now().Add(within)); err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { _ = t.link.SetDeadline(time.Now()) })
	defer stop()
	if _, err = t.link.Write(slices.Concat(pid1Source, templateSource, importsSource)); err == nil {
		err = t.link.Send(p)
	}
	if err != nil {
		return fmt.Errorf("prepare the template: %w", err)
	}
	ready := make([]byte, maxReady)
	n, err := t.link.Read(ready)
	if err == nil {
		err = json.Unmarshal(ready[:n], &t.loaded)
	}
	if err != nil {
		return fmt.Errorf("wait for the template: %w", errors.Join(err, context.Cause(ctx)))
	}
	return t.link.SetDeadline(time.Time{})
}

// end ends the template with every box in it and returns when nothing is left.
func (t *template) end() {
	_ = t.link.Close()
	t.process.kill()
	t.process.wait()
	_ = drain(t.group) // what stays is swept by the next Check
	t.process.CloseOurs()
	t.ended()
}

// fork opens a box in the host's template. Its command runs when fork returns. The caller must call
// release after the box's end.
func (h *host) fork(ctx context.Context, spec plugins.Spec, is purpose) (b *box, release func(), err error) {
	if h.templates == nil || spec.Fresh {
		return nil, nil, errNoTemplate
	}
	t, err := h.templates.take(ctx, spec.Imports)
	if err != nil {
		return nil, nil, err
	}
	is.limits.Pids -= overhead // there is no bwrap
	g, err := h.limiter.create(spec.ID, is.limits)
	if err == nil {
		b, err = t.fork(ctx, g, h.request(is))
	}
	if err == nil {
		return b, func() { h.templates.release(t) }, nil
	}
	if ctx.Err() == nil {
		h.templates.discardFailed(t, err)
	}
	h.templates.release(t)
	return nil, nil, err
}

// fork returns a running box, or fails and leaves nothing of it.
func (t *template) fork(ctx context.Context, g group, r request) (*box, error) {
	procs, err := g.procs()
	if err != nil {
		return nil, errors.Join(err, drain(g))
	}
	defer closeAll(procs)
	p := &process{}
	stdin, stdout, stderr, status := p.pipes()
	err = p.Err
	if err == nil {
		err = t.send(r, append([]*os.File{stdin, stdout, stderr, status}, procs...))
	}
	p.CloseTheirs()
	if err == nil {
		err = p.status.waitReady(ctx)
	}
	if err != nil {
		err = errors.Join(err, drain(g))
		if p.Err == nil {
			err = fmt.Errorf("%w: %s", err, p.lastWords())
		}
		p.CloseOurs()
		return nil, err
	}
	p.begin = func(group) error { return nil } // it has
	p.wait = func() { p.status.exitCode() }
	p.kill = func() {}
	return &box{process: p, group: g}, nil
}

func (p *process) lastWords() string {
	_ = p.stdio.Stderr.SetReadDeadline(time.Now().Add(time.Second))
	return stdio.LastOf(p.stdio.Stderr)
}

func (h *host) request(is purpose) request {
	r := request{
		Command: is.command, Waits: h.served && slices.Equal(is.command, plugins.GuestArgv),
		UID: firstForked + h.nextUID(),
		Tmp: is.limits.Tmp, Shm: is.limits.Shm(),
	}
	for _, limit := range rlimits(is.limits, true) {
		if number, err := limit.Resource(); err == nil { // the table has no other
			r.RLimits = append(r.RLimits, [2]int64{int64(number), limit.Value})
		}
	}
	return r
}

func (t *template) send(r request, files []*os.File) error {
	if err := t.link.SetWriteDeadline(time.Now().Add(readyWithin)); err != nil {
		return err
	}
	if err := t.link.Send(r, files...); err != nil {
		return fmt.Errorf("ask the template: %w", err)
	}
	return nil
}
