package supervisor

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// interval is how often memory is looked at.
	interval = 25 * time.Millisecond
	// idleInterval is the time between looks while no script can run: before it starts, and while
	// it's frozen. Most boxes wait most of the time.
	idleInterval = time.Second
	// diskInterval is the least time between looks at the private directory. For a big one it is
	// longer, so looking takes a tenth of the time.
	diskInterval = 100 * time.Millisecond
	// maxVain is how many walks in a row may be led astray.
	maxVain = 20
	// maxClosed is how many looks in a row may find an unreadable process. A starting one may be.
	maxClosed = 3
)

type limitWatch struct {
	limits    Limits
	tmp       string
	boxThread *thread // acts as the box's uid
	ram       bool    // the private directory is in memory

	peak     int64
	files    int64 // in the private directory, at the last look
	nextLook time.Time
	vain     int
	closed   int
}

// look returns the reason to end the box, or "".
func (w *limitWatch) look() (reason string) {
	w.boxThread.do(func() {
		processes := listProcesses()
		var memory int64
		for _, p := range processes {
			memory += p.memory().Total()
		}
		now := time.Now()
		suspicious := memory > w.limits.Memory
		if !suspicious && now.Before(w.nextLook) {
			w.peak = max(w.peak, memory)
			return
		}
		hidden := findDeletedFiles(processes, w.tmp, w.limits.Tmp)
		if reason = w.disk(hidden); reason != "" {
			return
		}
		if suspicious { // or it only looks so
			memory = 0
			for _, p := range processes {
				memory += p.memory().Share()
			}
		}
		if w.ram {
			memory += w.files
		}
		w.peak = max(w.peak, memory)
		if memory > w.limits.Memory {
			reason = ReasonMemory
		}
		w.nextLook = time.Now().Add(max(diskInterval, 10*time.Since(now)))
	})
	return reason
}

// disk looks at the private directory and at its disk, which others need too.
func (w *limitWatch) disk(hidden deletedFiles) string {
	if !hidden.closed {
		w.closed = 0
	} else if w.closed++; w.closed >= maxClosed {
		return ReasonTmp
	}
	used, err := tmpUsage(w.tmp, w.limits.Tmp)
	switch {
	case errors.Is(err, errMoved):
		if w.vain++; w.vain > maxVain {
			return ReasonTmp
		}
	case err != nil:
		return ReasonTmp // what can't be looked at is too much
	default:
		w.vain = 0
		w.files = used + hidden.disk
	}
	if w.files > w.limits.Tmp {
		return ReasonTmp
	}
	var fs unix.Statfs_t
	if unix.Statfs(w.tmp, &fs) == nil && fs.Blocks > 0 && int64(fs.Bavail)*fs.Bsize < Reserve(fs) {
		return ReasonTmp
	}
	return ""
}

// Reserve is how much of a disk boxes leave free, in bytes: a hundredth, at most 64 MiB.
func Reserve(fs unix.Statfs_t) int64 {
	return min(int64(fs.Blocks)/100*fs.Bsize, 64<<20)
}

func inMemory(dir string) bool {
	var fs unix.Statfs_t
	return unix.Statfs(dir, &fs) == nil && (fs.Type == unix.TMPFS_MAGIC || fs.Type == unix.RAMFS_MAGIC)
}
