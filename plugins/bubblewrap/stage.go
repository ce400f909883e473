package bubblewrap

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"syscall"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/netns"
	"github.com/computclaw/airlock/plugins/stdio"
)

// process is the chain of one box, started but held at the gate: bwrap waits for its options.
type process struct {
	stdio.Wiring
	cmd     *exec.Cmd
	options []byte // for bwrap
	gate    *os.File
	stdio   stdio.Pipes
	status  *os.File // bwrap's own account of the box
}

// stage starts the chain up to the gate. The caller must close what is returned.
func (h *host) stage(l layout, limits plugins.Limits, command []string) (*process, error) {
	p := &process{}
	fd := fds{guest: p.Pass(h.guest)}
	var stdin, stdout, stderr, gate, status *os.File
	p.stdio.Stdin, stdin = p.Down()
	p.stdio.Stdout, stdout = p.Up()
	stdio.Enlarge(stdin) // theirs: asking for the number of ours would make it block
	stdio.Enlarge(stdout)
	p.stdio.Stderr, stderr = p.Up()
	p.gate, gate = p.Down()
	p.status, status = p.Up()
	args := p.Pass(gate)
	fd.status = p.Pass(status)
	fd.seccomp = p.Data(h.filter)
	for _, f := range l.copies {
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

	argv := []string{"airlock-init", "netns"}
	if slices.Equal(command, plugins.GuestArgv) {
		argv = append(argv, netns.SYNSocket)
	}
	argv = append(argv, rlimits(limits, h.limiter.enforced()["pids"] == "cgroup")...)
	argv = append(argv, "--", h.bwrap, "--args", strconv.Itoa(args), "--")
	p.options = l.arguments(limits, h.countsMemory(), fd)
	p.cmd = &exec.Cmd{
		Path: fmt.Sprintf("/proc/self/fd/%d", fd.guest),
		Args: append(argv, command...),
		Env:  []string{}, // not nil, which would mean: inherit
		Dir:  "/",
		// Files, not readers: exec then starts no goroutine that Wait would have to wait for.
		Stdin: stdin, Stdout: stdout, Stderr: stderr,
		ExtraFiles:  p.Inherited,
		SysProcAttr: stageAttributes(os.Geteuid(), os.Getegid(), h.outsideUID()),
	}
	if err := h.spawner.start(p.cmd); err != nil {
		p.CloseOurs()
		return nil, fmt.Errorf("start: %w", err)
	}
	return p, nil
}

// open lets the chain go on past the gate.
func (p *process) open() error {
	_, err := p.gate.Write(p.options)
	return cmp.Or(err, p.gate.Close())
}

// Uids of boxes outside, when Airlock is root. The kernel counts some things per uid over the whole
// host (epoll watches, descriptors in flight); with a uid of its own a box can only use up its own
// share. The range is above those that systemd gives out.
const (
	firstUID = 1_900_000_000
	countUID = 65_536
)

// outsideUID returns the next uid. One comes back after countUID boxes: a box that still waits for
// an answer then shares its budget with the new one, and nothing else, since each has namespaces of
// its own.
func (h *host) outsideUID() int { return firstUID + int(h.uids.Add(1)%countUID) }

// stageAttributes put the first step into a user, network and pid namespace of its own, and one of
// mounts for its /proc. Its end is then the end of all that comes after it, also of a process that
// bwrap has just forked and that waits for bwrap. It is root there, which is euid outside, or a uid
// of the box's own if that is root. Without privileges the kernel doesn't let groups be dropped;
// they then stay, without use in a box.
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
