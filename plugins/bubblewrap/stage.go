package bubblewrap

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"syscall"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/netns"
	"github.com/computclaw/airlock/plugins/stdio"
)

// process is a box that has been prepared, and begins with begin.
type process struct {
	stdio.Wiring
	stdio  stdio.Pipes
	status *status
	cmd    *exec.Cmd // of the first step; nil of a box from a template

	begin func(group) error // puts the box into its group and lets it go on
	wait  func()            // until nothing of it is left; from begin on
	kill  func()            // besides its group
}

// pipes makes a box's stdio and status, and returns the box's ends.
func (p *process) pipes() (stdin, stdout, stderr, status *os.File) {
	p.stdio.Stdin, stdin = p.Down()
	p.stdio.Stdout, stdout = p.Up()
	stdio.Enlarge(stdin) // theirs: asking for the number of ours would make it block
	stdio.Enlarge(stdout)
	p.stdio.Stderr, stderr = p.Up()
	ours, status := p.Up()
	p.status = newStatus(ours)
	return stdin, stdout, stderr, status
}

// stage starts the chain up to the gate, where bwrap waits for its options. extra descriptors come
// after the guest's. The caller must close the result.
func (h *host) stage(is purpose, extra ...*os.File) (*process, error) {
	p := &process{}
	fd := fds{guest: p.Pass(h.guest)}
	for _, f := range extra {
		p.Pass(f)
	}
	stdin, stdout, stderr, status := p.pipes()
	ours, gate := p.Down()
	args := p.Pass(gate)
	fd.status = p.Pass(status)
	if !is.template {
		fd.seccomp = p.Data(h.filter)
	}
	for _, f := range h.layout.copies {
		n := 0
		if file := openSmall(f[0]); file != nil { // it may be another one by now
			n = p.Give(file)
		}
		fd.copies = append(fd.copies, n)
	}
	for _, f := range etcFiles() {
		fd.files = append(fd.files, p.Data([]byte(f.content)))
	}
	defer p.CloseTheirs()
	if p.Err != nil {
		p.CloseOurs()
		return nil, fmt.Errorf("pipes: %w", p.Err)
	}

	argv := append([]string{"airlock-init", "netns"}, h.netnsFlags(is)...)
	argv = append(argv, "--", h.bwrap, "--args", strconv.Itoa(args), "--")
	attributes := stageAttributes(os.Geteuid(), os.Getegid(), h.outsideUID())
	if is.template {
		attributes = templateAttributes(attributes)
	}
	p.cmd = &exec.Cmd{
		Path: fmt.Sprintf("/proc/self/fd/%d", fd.guest),
		Args: append(argv, is.command...),
		Env:  []string{}, // not nil, which would mean: inherit
		Dir:  "/",
		// With files instead of readers, exec starts no goroutine that Wait would wait for.
		Stdin: stdin, Stdout: stdout, Stderr: stderr,
		ExtraFiles:  p.Inherited,
		SysProcAttr: attributes,
	}
	if err := h.spawner.start(p.cmd); err != nil {
		p.CloseOurs()
		return nil, fmt.Errorf("start: %w", err)
	}
	p.begin = func(g group) error {
		return cmp.Or(g.add(p.cmd.Process.Pid), open(ours, h.layout.arguments(is, fd)))
	}
	p.wait = func() { _ = p.cmd.Wait() }
	p.kill = func() { _ = p.cmd.Process.Kill() } // all of the box: it is PID 1 of the outer namespace
	return p, nil
}

func (h *host) netnsFlags(is purpose) (flags []string) {
	if is.template {
		return nil // its boxes have limits of their own
	}
	if slices.Equal(is.command, plugins.GuestArgv) {
		flags = append(flags, netns.SYNSocket)
	}
	for _, r := range rlimits(is.limits, h.limiter.listEnforced()["pids"] == "cgroup") {
		flags = append(flags, "--rlimit", fmt.Sprintf("%s=%d", r.Name, r.Value))
	}
	return flags
}

// open lets the chain go on past the gate.
func open(gate *os.File, options []byte) error {
	_, err := gate.Write(options)
	return cmp.Or(err, gate.Close())
}

// Uids of boxes outside, when Airlock is root. The kernel counts some things per uid (epoll
// watches, descriptors in flight), so a box uses up only its own share. systemd allocates no uids
// in this range.
const (
	firstUID = 1_900_000_000
	countUID = 65_536
)

const templateUID = firstUID + countUID

// templateAttributes add the uids of its boxes to those of a template.
func templateAttributes(a *syscall.SysProcAttr) *syscall.SysProcAttr {
	ids := []syscall.SysProcIDMap{
		{ContainerID: 0, HostID: templateUID, Size: 1},
		{ContainerID: firstForked, HostID: firstUID, Size: countUID},
		{ContainerID: guestsUID, HostID: templateUID + 1, Size: 1},
	}
	a.UidMappings, a.GidMappings = ids, ids
	return a
}

// firstForked is the template's uid for firstUID. guestsUID is that of the boxes' server.
const (
	firstForked = 1
	guestsUID   = firstForked + countUID
)

// outsideUID returns the next uid. They repeat after countUID boxes; two boxes with one uid share
// only its budget.
func (h *host) outsideUID() int { return firstUID + h.nextUID() }

func (h *host) nextUID() int { return int(h.uids.Add(1) % countUID) }

// stageAttributes put the first step into user, network, pid and mount namespaces. Its end then
// ends everything after it, also a process that bwrap has just forked. It is root in there: euid
// outside, or a uid of the box's own if euid is root. Without privileges groups can't be dropped; a
// box has no use for them.
func stageAttributes(euid, egid, outside int) *syscall.SysProcAttr {
	root := euid == 0
	if root {
		euid, egid = outside, outside
	}
	return &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET | syscall.CLONE_NEWPID |
			syscall.CLONE_NEWNS,
		UidMappings:                []syscall.SysProcIDMap{{ContainerID: 0, HostID: euid, Size: 1}},
		GidMappings:                []syscall.SysProcIDMap{{ContainerID: 0, HostID: egid, Size: 1}},
		GidMappingsEnableSetgroups: root,
		Credential:                 &syscall.Credential{Uid: 0, Gid: 0, NoSetGroups: !root},
		Setpgid:                    true, // a terminal's Ctrl-C is for the host, which ends boxes in order
		Pdeathsig:                  syscall.SIGKILL,
	}
}

// spawner starts processes from one thread that lives as long as this process. The kernel sends a
// parent-death signal when the forking thread ends, and Go ends threads at any time.
type spawner struct{ requests chan spawnRequest }

type spawnRequest struct {
	cmd  *exec.Cmd
	done chan<- error
}

func newSpawner() *spawner {
	s := &spawner{requests: make(chan spawnRequest)}
	go s.serve()
	return s
}

func (s *spawner) serve() {
	runtime.LockOSThread() // never unlocked
	for r := range s.requests {
		r.done <- r.cmd.Start()
	}
}

func (s *spawner) start(cmd *exec.Cmd) error {
	done := make(chan error, 1)
	s.requests <- spawnRequest{cmd, done}
	return <-done
}
