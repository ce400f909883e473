package bubblewrap

import (
	"os/exec"
	"runtime"
)

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
