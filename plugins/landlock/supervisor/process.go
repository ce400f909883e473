package supervisor

import (
	"os"
	"strings"

	"github.com/computclaw/airlock/plugins/memusage"
	"github.com/computclaw/airlock/plugins/procfs"
)

type process struct{ procfs.Process }

// listProcesses lists every process below this one. It sees a moving target.
func listProcesses() []process {
	var found []process
	for _, p := range procfs.Tree(os.Getpid()) {
		if p.PID != os.Getpid() {
			found = append(found, process{p})
		}
	}
	return found
}

func countTasks() int64 {
	var n int64
	for _, p := range listProcesses() {
		n += int64(len(p.Threads))
	}
	return n
}

// stopped reports whether no thread of p will run on. A thread in an uninterruptible wait (D), or
// waiting for the supervisor, stops before it runs more of the script.
func (p process) stopped() bool {
	for _, thread := range p.Threads {
		if stat, err := procfs.ReadStat(thread); err == nil && !strings.ContainsRune("TtZXD", rune(stat.State)) {
			return false
		}
	}
	return true
}

func (p process) memory() memusage.Usage { return memusage.OfThreads(p.Threads) }
