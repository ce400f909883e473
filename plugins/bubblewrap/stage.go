package bubblewrap

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"

	"github.com/computclaw/airlock/plugins"
)

// process is the chain of one box, started but held at the gate: bwrap waits for its options.
type process struct {
	wiring
	cmd     *exec.Cmd
	options []byte // for bwrap
	gate    *os.File
	stdin   *os.File
	stdout  *os.File
	stderr  *os.File
	status  *os.File // bwrap's own account of the box
}

// stage starts the chain up to the gate. The caller must close what is returned.
func (h *host) stage(l layout, limits plugins.Limits, command []string) (*process, error) {
	p := &process{}
	fd := fds{guest: p.pass(h.guest)}
	var stdin, stdout, stderr, gate, status *os.File
	p.stdin, stdin = p.down()
	p.stdout, stdout = p.up()
	enlarge(stdin) // theirs: asking for the number of ours would make it block
	enlarge(stdout)
	p.stderr, stderr = p.up()
	p.gate, gate = p.down()
	p.status, status = p.up()
	args := p.pass(gate)
	fd.status = p.pass(status)
	fd.seccomp = p.data(h.filter)
	for _, f := range etcFiles() {
		fd.files = append(fd.files, p.data([]byte(f.content)))
	}
	defer p.closeTheirs()
	if p.err != nil {
		p.closeOurs()
		return nil, fmt.Errorf("pipes: %w", p.err)
	}

	argv := append([]string{"airlock-init", "netns"}, rlimits(limits, h.limiter.enforced()["pids"] == "cgroup")...)
	argv = append(argv, "--", h.bwrap, "--args", strconv.Itoa(args), "--")
	p.options = l.arguments(limits.Tmp, h.countsMemory(), fd)
	p.cmd = &exec.Cmd{
		Path: fmt.Sprintf("/proc/self/fd/%d", fd.guest),
		Args: append(argv, command...),
		Env:  []string{}, // not nil, which would mean: inherit
		Dir:  "/",
		// Files, not readers: exec then starts no goroutine that Wait would have to wait for.
		Stdin: stdin, Stdout: stdout, Stderr: stderr,
		ExtraFiles:  p.inherited,
		SysProcAttr: stageAttributes(os.Geteuid(), os.Getegid(), h.outsideUID()),
	}
	if err := h.spawner.start(p.cmd); err != nil {
		p.closeOurs()
		return nil, fmt.Errorf("start: %w", err)
	}
	return p, nil
}

// open lets the chain go on past the gate.
func (p *process) open() error {
	_, err := p.gate.Write(p.options)
	return firstError(err, p.gate.Close())
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
		Cloneflags:                 syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET | syscall.CLONE_NEWPID | syscall.CLONE_NEWNS,
		UidMappings:                []syscall.SysProcIDMap{{ContainerID: 0, HostID: euid, Size: 1}},
		GidMappings:                []syscall.SysProcIDMap{{ContainerID: 0, HostID: egid, Size: 1}},
		GidMappingsEnableSetgroups: root,
		Credential:                 &syscall.Credential{Uid: 0, Gid: 0, NoSetGroups: !root},
		Setpgid:                    true, // a terminal's Ctrl-C is for the host, which ends boxes in order
		Pdeathsig:                  syscall.SIGKILL,
	}
}
