package httpx

import (
	"sync"

	"github.com/computclaw/airlock/app"
)

// Long polls that are held open at once. Anybody who reaches the port can make unlocked profiles,
// so these have a limit of their own.
const (
	maxProfileWaits  = 64
	maxUnlockedWaits = 512
	maxWaits         = 2048
)

// ErrBusy refuses a long poll that would be one too many. An answer at once would make agents poll
// in a loop.
var ErrBusy = app.E(app.CodeRateLimited, "too many calls are waiting already",
	"Wait 5 s, then call again; one waiting call per execution is enough.")

// WaitLimiter bounds the long polls that are held open: of one profile, of all unlocked ones, and
// of all. Its zero value is ready; it is safe for concurrent use.
type WaitLimiter struct {
	mu       sync.Mutex
	all      int
	unlocked int
	profiles map[string]int // by handle
}

// Acquire takes a place for a long poll of a profile, or returns ErrBusy.
func (l *WaitLimiter) Acquire(profile string, locked bool) (release func(), err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all >= maxWaits || l.profiles[profile] >= maxProfileWaits || !locked && l.unlocked >= maxUnlockedWaits {
		return nil, ErrBusy
	}
	l.addLocked(profile, locked, 1)
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.addLocked(profile, locked, -1)
	}, nil
}

func (l *WaitLimiter) addLocked(profile string, locked bool, n int) {
	if l.profiles == nil {
		l.profiles = map[string]int{}
	}
	l.all += n
	if !locked {
		l.unlocked += n
	}
	if l.profiles[profile] += n; l.profiles[profile] == 0 {
		delete(l.profiles, profile)
	}
}

// Held is how many long polls are held open.
func (l *WaitLimiter) Held() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all
}
