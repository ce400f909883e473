package landlock

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/computclaw/airlock/plugins/landlock/ruleset"
	"github.com/computclaw/airlock/plugins/landlock/supervisor"
	"github.com/computclaw/airlock/plugins/owner"
	"github.com/computclaw/airlock/plugins/seccomp"
)

type host struct {
	names       owner.Names
	abi         int
	identity    identity
	uids        *uids
	supervisors *supervisors
	ruleset     ruleset.Ruleset
	filter      []byte
	tmp         string // boxes' directories are made there
	interpreter string
	guest       *os.File
	supervisor  *os.File
}

// inspect finds what boxes need. Its errors tell a person what to do.
func (b *Backend) inspect(s settings, instance, stateDir string) (*host, error) {
	names, err := owner.NamesOf(instance)
	if err != nil {
		return nil, err
	}
	h := &host{
		names: names, abi: min(ruleset.ABI(), b.maxABI), uids: b.uids, supervisors: b.supervisors,
		ruleset: layout(s), guest: b.guestFile, supervisor: b.supervisorFile,
	}
	if h.identity, err = findIdentity(h.abi); err != nil {
		return nil, err
	}
	if err := canPeek("/proc/sys/kernel/yama/ptrace_scope"); err != nil {
		return nil, err
	}
	if _, err := os.Stat("/proc/thread-self/children"); err != nil {
		return nil, fmt.Errorf("this kernel doesn't list child processes in /proc, so boxes can't be watched")
	}
	if h.interpreter, err = findPython(s); err != nil {
		return nil, err
	}
	if h.tmp, err = findTmp(s, h.identity, stateDir); err != nil {
		return nil, err
	}
	if err := hasRoom(h.tmp); err != nil {
		return nil, err
	}
	h.filter, err = seccomp.Program(runtime.GOARCH,
		seccomp.Options{Mediated: true, OpenToTruncate: h.abi < ruleset.TruncateABI})
	return h, err
}

// canPeek returns an error unless a parent may read its descendants' memory. The supervisor reads
// their connect addresses there.
func canPeek(setting string) error {
	b, err := os.ReadFile(setting)
	if err != nil {
		return nil // no such restriction in this kernel
	}
	scope, _ := strconv.Atoi(strings.TrimSpace(string(b)))
	if scope >= 2 {
		return fmt.Errorf("kernel.yama.ptrace_scope is %d, so nobody can see where a script wants to connect: sysctl "+
			"-w kernel.yama.ptrace_scope=1 on the host", scope)
	}
	return nil
}

func hasRoom(dir string) error {
	var fs unix.Statfs_t
	if err := unix.Statfs(dir, &fs); err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	if fs.Blocks > 0 && int64(fs.Bavail)*fs.Bsize < supervisor.Reserve(fs) {
		return fmt.Errorf("the disk with %s is nearly full, so boxes would be stopped at once: make room, or set "+
			"AIRLOCK_PLUGIN_LANDLOCK_TMP to another disk", dir)
	}
	return nil
}

func (h *host) version() string {
	held := "same uid"
	if h.identity.count > 0 {
		held = "own uids"
	}
	return fmt.Sprintf("Landlock %d, %s", h.abi, held)
}

// newPath returns an unforeseeable path in the directory for temporary files. Nobody can make
// something there first.
func (h *host) newPath(id string) string {
	return filepath.Join(h.tmp, h.names.Of(id+"-"+rand.Text()[:8]))
}

// sweep removes leftovers of this instance's earlier processes and of dead ones of others. It looks
// only at directories owned by us or by boxes, since anybody can fake the names.
func (h *host) sweep(isLive func(id string) bool) error {
	entries, err := os.ReadDir(h.tmp)
	errs := []error{err}
	for _, e := range entries {
		whose, box, ok := owner.Parse(e.Name())
		path := filepath.Join(h.tmp, e.Name())
		switch {
		case !ok, !h.owns(path), whose == h.names && isLive(box[:max(strings.LastIndexByte(box, '-'), 0)]):
		case whose.Instance == h.names.Instance:
			errs = append(errs, supervisor.RemoveOwned(path))
		case whose.Owner.Dead():
			_ = supervisor.RemoveOwned(path) // the next to find it tries again
		}
	}
	return errors.Join(errs...)
}

// owns reports whether something belongs to Airlock or to a uid of boxes.
func (h *host) owns(path string) bool {
	var stat unix.Stat_t
	if unix.Lstat(path, &stat) != nil {
		return false
	}
	return int(stat.Uid) == os.Geteuid() || stat.Uid >= h.identity.first && stat.Uid-h.identity.first < h.identity.count
}
