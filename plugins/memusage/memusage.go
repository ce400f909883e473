// Package memusage measures a process's memory from outside, for backends that poll the memory
// limit.
package memusage

import (
	"bytes"
	"os"
	"strconv"
	"strings"
)

// Usage is one process's memory, in bytes. The zero value is a process that has ended.
type Usage struct {
	// Thread is the directory in /proc of a thread that answered. An ended one, even the first,
	// shows nothing of its process's memory and descriptors.
	Thread   string
	Resident int64 // in RAM; pages shared with others count in full
	Hidden   int64 // what is neither: page tables, memory that was swapped out, huge pages
}

// OfThreads looks at the process that has these threads.
func OfThreads(threads []string) Usage {
	for _, thread := range threads {
		if status, err := os.ReadFile(thread + "/status"); err == nil {
			if f, ok := parse(status); ok {
				f.Thread = thread
				return f
			}
		}
	}
	return Usage{}
}

// Total is all of it.
func (f Usage) Total() int64 { return f.Resident + f.Hidden }

// Share is the same with shared pages divided among their users. It is slow.
func (f Usage) Share() int64 {
	rollup, err := os.ReadFile(f.Thread + "/smaps_rollup")
	if err != nil {
		return f.Total()
	}
	for line := range bytes.Lines(rollup) {
		if name, value, _ := bytes.Cut(line, []byte(":")); string(name) == "Pss" {
			return kib(value) + f.Hidden
		}
	}
	return f.Total()
}

func parse(status []byte) (f Usage, ok bool) {
	for line := range bytes.Lines(status) {
		switch name, value, _ := bytes.Cut(line, []byte(":")); string(name) {
		case "VmRSS":
			f.Resident, ok = kib(value), true
		case "VmPTE", "VmSwap", "HugetlbPages":
			f.Hidden += kib(value)
		}
	}
	return f, ok
}

func kib(value []byte) int64 {
	n, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(string(value)), " kB"), 10, 64)
	return n << 10
}
