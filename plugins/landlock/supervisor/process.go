package supervisor

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/computclaw/airlock/plugins/memusage"
)

// process is one of the box's, as /proc showed it.
type process struct {
	pid     int
	threads []string // paths below /proc
}

// descendants lists every process below this one. It sees a moving target.
func listProcesses() []process {
	var found []process
	var descend func(pid int)
	descend = func(pid int) {
		threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", pid))
		if len(threads) == 0 {
			return // gone
		}
		if pid != os.Getpid() {
			found = append(found, process{pid, threads})
		}
		for _, thread := range threads {
			children, _ := os.ReadFile(thread + "/children")
			for _, field := range bytes.Fields(children) {
				if child, err := strconv.Atoi(string(field)); err == nil {
					descend(child)
				}
			}
		}
	}
	descend(os.Getpid())
	return found
}

// tasks counts processes and threads.
func tasks() int64 {
	var n int64
	for _, p := range listProcesses() {
		n += int64(len(p.threads))
	}
	return n
}

// state returns the letter that /proc gives a thread's or process's state, 0 if it's gone.
func state(path string) byte {
	stat, err := os.ReadFile(path + "/stat")
	if err != nil {
		return 0
	}
	end := bytes.LastIndexByte(stat, ')') // the name before it may contain anything
	if end < 0 || end+2 >= len(stat) {
		return 'R'
	}
	return stat[end+2]
}

// stopped reports whether no thread of p will run on. One in an uninterruptible wait (D) runs no
// more of the script's code before it stops, and one that waits for the supervisor's leave doesn't
// either.
func (p process) stopped() bool {
	for _, thread := range p.threads {
		if s := state(thread); s != 0 && !strings.ContainsRune("TtZXD", rune(s)) {
			return false
		}
	}
	return true
}

// memory is what p takes.
func (p process) memory() memusage.Usage { return memusage.OfThreads(p.threads) }
