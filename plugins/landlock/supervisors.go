package landlock

import (
	"fmt"
	"os"
	"os/exec"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/computclaw/airlock/plugins/procfs"
)

// supervisors are the running ones. Every other child of this process is an orphan of a killed
// supervisor and is ended.
type supervisors struct {
	mu  sync.Mutex
	pid map[int]bool
}

func newSupervisors() *supervisors { return &supervisors{pid: map[int]bool{}} }

func (s *supervisors) start(cmd *exec.Cmd) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("become subreaper: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	s.pid[cmd.Process.Pid] = true
	return nil
}

func (s *supervisors) remove(pid int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.pid, pid)
}

const orphansWithin = 15 * time.Second

// endOrphans kills what a dead supervisor left, and waits until nothing is. A child's number isn't
// reused before we reap it, so no other process is hit.
func (s *supervisors) endOrphans() error {
	for deadline := time.Now().Add(orphansWithin); ; time.Sleep(time.Millisecond) {
		n := s.killOrphans()
		if n == 0 {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%d processes of the box survive", n)
		}
	}
}

func (s *supervisors) killOrphans() int {
	s.mu.Lock() // no supervisor is started while we look
	defer s.mu.Unlock()
	n := 0
	for _, pid := range procfs.Children(os.Getpid()) {
		if s.pid[pid] {
			continue
		}
		n++
		_ = unix.Kill(pid, unix.SIGKILL)
		_, _ = unix.Wait4(pid, nil, unix.WNOHANG, nil)
	}
	return n
}
