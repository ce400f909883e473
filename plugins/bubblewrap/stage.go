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
	p.options = l.arguments(limits.Tmp, fd)
	p.cmd = &exec.Cmd{
		Path: fmt.Sprintf("/proc/self/fd/%d", fd.guest),
		Args: append(argv, command...),
		Env:  []string{}, // not nil, which would mean: inherit
		Dir:  "/",
		// Files, not readers: exec then starts no goroutine that Wait would have to wait for.
		Stdin: stdin, Stdout: stdout, Stderr: stderr,
		ExtraFiles:  p.inherited,
		SysProcAttr: stageAttributes(os.Geteuid(), os.Getegid()),
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

// stageAttributes put the first step into a user and network namespace of its own. It is root there, which is euid outside,
// or nobody if that is root. Without privileges the kernel doesn't let groups be dropped; they then stay, without use in a box.
func stageAttributes(euid, egid int) *syscall.SysProcAttr {
	root := euid == 0
	if root {
		euid, egid = uid, uid
	}
	return &syscall.SysProcAttr{
		Cloneflags:                 syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET,
		UidMappings:                []syscall.SysProcIDMap{{ContainerID: 0, HostID: euid, Size: 1}},
		GidMappings:                []syscall.SysProcIDMap{{ContainerID: 0, HostID: egid, Size: 1}},
		GidMappingsEnableSetgroups: root,
		Credential:                 &syscall.Credential{Uid: 0, Gid: 0, NoSetGroups: !root},
		Setpgid:                    true, // a terminal's Ctrl-C is for the host, which ends boxes in order
		Pdeathsig:                  syscall.SIGKILL,
	}
}
