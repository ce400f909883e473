package landlock

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/computclaw/airlock/plugins/landlock/ruleset"
	"github.com/computclaw/airlock/plugins/landlock/supervisor"
)

type identity struct {
	first, count uint32 // uids of boxes; count is 0 if boxes share Airlock's
}

// minABI is Landlock's first version. It suffices with a uid per box: the filter prevents binding
// and connecting, and, below ruleset.TruncateABI, truncation by path.
const minABI = 1

// findIdentity decides. Its errors tell a person what to do.
func findIdentity(abi int) (identity, error) {
	if abi < minABI {
		return identity{}, errors.New(
			"this kernel has no Landlock, or a seccomp profile forbids it: use Linux 5.13 or later with landlock in " +
				"the lsm= list, and a container runtime whose default profile knows it (Docker 20.10.10 or later)")
	}
	own, err := supervisor.OwnCapabilities()
	if err != nil {
		return identity{}, err
	}
	missing := missingCapability(own)
	switch {
	case missing == "":
		return findRange()
	case os.Geteuid() == 0 && !own.Powerless():
		return identity{}, fmt.Errorf(
			"root without the capability %s can't give boxes uids of their own: add it, drop all "+
				"(docker run --cap-drop ALL), or run Airlock as another user (docker run --user 65534)", missing)
	case abi < ruleset.ScopedABI:
		return identity{}, fmt.Errorf(
			"this kernel's Landlock (version %d) can't keep a box's signals away from processes with the same uid, "+
				"which takes version %d (Linux 6.12): run Airlock as root with the capabilities SETUID, SETGID and "+
				"KILL, which Docker gives by default, so that each box gets a uid of its own", abi, ruleset.ScopedABI)
	}
	return identity{}, nil
}

// Capabilities are those with which boxes get uids of their own, and end. Root has them in most
// containers; other users don't by default.
func Capabilities() []uintptr { return []uintptr{unix.CAP_SETUID, unix.CAP_SETGID, unix.CAP_KILL} }

// missingCapability names one of these that isn't in effect.
func missingCapability(own supervisor.Capabilities) string {
	for i, number := range Capabilities() {
		if !own.Has(int(number)) {
			return []string{"SETUID", "SETGID", "KILL"}[i]
		}
	}
	return ""
}

// ranges returns uids for boxes. The first is far from people and services; the second exists in
// every user namespace.
func ranges() []identity {
	return []identity{{1_900_100_000, 65_536}, {50_000, 10_000}}
}

// findRange returns a range that this process may use, uids and gids alike.
func findRange() (identity, error) {
	for _, r := range ranges() {
		if isMapped("/proc/self/uid_map", r) && isMapped("/proc/self/gid_map", r) {
			return r, nil
		}
	}
	return identity{}, errors.New(
		"this user namespace has no spare uids for boxes (50000 to 59999): map more, or run Airlock as another user " +
			"than root")
}

func isMapped(path string, r identity) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var inside, outside, length uint64
		if _, err := fmt.Sscan(lines.Text(), &inside, &outside, &length); err != nil {
			return false
		}
		if uint64(r.first) >= inside && uint64(r.first)+uint64(r.count) <= inside+length {
			return true
		}
	}
	return false
}

// uids hands out box uids in turn, each to one box at a time. A waiting box may outlive ten
// thousand others.
type uids struct {
	mu    sync.Mutex
	last  uint32
	taken map[int]bool
}

func newUIDs() *uids {
	return &uids{last: rand.Uint32(), taken: map[int]bool{}} // not where another Airlock on this host began
}

// take returns a uid that no box has, 0 if it is Airlock's.
func (u *uids) take(i identity) (int, error) {
	if i.count == 0 {
		return 0, nil
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	for range i.count {
		u.last++
		if uid := int(i.first + u.last%i.count); !u.taken[uid] {
			u.taken[uid] = true
			return uid, nil
		}
	}
	return 0, fmt.Errorf("%d boxes are open, and there are no more uids", i.count)
}

// release gives a uid back whose box is gone.
func (u *uids) release(uid int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.taken, uid)
}
