package landlock

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// supervisors are the running ones. Every other child of this process is an orphan: what a supervisor
// leaves if it is killed comes to us, as the next subreaper up, and has to go.
type supervisors struct {
	mu  sync.Mutex
	pid map[int]bool
}

func newSupervisors() *supervisors { return &supervisors{pid: map[int]bool{}} }

func (w *supervisors) start(cmd *exec.Cmd) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("become subreaper: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	w.pid[cmd.Process.Pid] = true
	return nil
}

func (w *supervisors) ended(pid int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.pid, pid)
}

// orphansWithin bounds how long killed orphans may take to go away.
const orphansWithin = 15 * time.Second

// endOrphans kills what a dead supervisor left and returns when nothing is. A child of ours keeps its
// number until we take its status, so nobody else is hit.
func (w *supervisors) endOrphans() error {
	for deadline := time.Now().Add(orphansWithin); ; time.Sleep(time.Millisecond) {
		n := w.strike()
		if n == 0 {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%d processes of the box survive", n)
		}
	}
}

func (w *supervisors) strike() int {
	w.mu.Lock() // no supervisor is started while we look
	defer w.mu.Unlock()
	n := 0
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", os.Getpid()))
	for _, list := range lists {
		b, _ := os.ReadFile(list)
		for _, field := range bytes.Fields(b) {
			pid, err := strconv.Atoi(string(field))
			if err != nil || w.pid[pid] {
				continue
			}
			n++
			_ = unix.Kill(pid, unix.SIGKILL)
			_, _ = unix.Wait4(pid, nil, unix.WNOHANG, nil)
		}
	}
	return n
}
