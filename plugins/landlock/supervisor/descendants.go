package supervisor

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// descendants tells the box's processes from others during one round of signals. It remembers whom it has
// made sure of, so that a round over a tree of any shape looks twice at each process: without that,
// a chain of ten thousand would take fifty million looks.
type descendants struct {
	self   int
	origin func(pid int) origin
	known  map[int]uint64 // start by pid
}

// origin is where a process comes from. Number and start together name one process: the numbers go
// all the way round before one comes back, which takes longer than a tick of the clock that starts
// are measured in. The zero origin is no process.
type origin struct {
	parent int
	start  uint64
}

func newDescendants() *descendants {
	return &descendants{self: os.Getpid(), origin: originOf, known: map[int]uint64{}}
}

// has reports whether this process is an ancestor of pid.
func (k *descendants) has(pid int) bool {
	const deepest = 1 << 16
	line := map[int]uint64{} // from pid upwards
	for range deepest {
		if pid == k.self {
			k.remember(line)
			return true
		}
		o := k.origin(pid)
		if o.start == 0 || pid <= 1 {
			return false
		}
		if start, found := k.known[pid]; found && start == o.start {
			k.remember(line)
			return true
		}
		line[pid] = o.start
		pid = o.parent
	}
	return false
}

func (k *descendants) remember(line map[int]uint64) {
	for pid, start := range line {
		k.known[pid] = start
	}
}

// originOf reads /proc; zero if there is no such process.
func originOf(pid int) (o origin) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return origin{}
	}
	// The name in parentheses may hold anything, so the fields are counted from its end.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	const parent, start = 1, 19
	if len(fields) <= start {
		return origin{}
	}
	o.parent, _ = strconv.Atoi(string(fields[parent]))
	o.start, _ = strconv.ParseUint(string(fields[start]), 10, 64)
	return o
}
