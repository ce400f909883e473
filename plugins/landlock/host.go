package landlock

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/computclaw/airlock/plugins/landlock/walls"
	"github.com/computclaw/airlock/plugins/landlock/warden"
	"github.com/computclaw/airlock/plugins/seccomp"
)

// host is what Check found out about this machine. It doesn't change afterwards.
type host struct {
	instance    string
	abi         int
	identity    identity
	uids        *uids
	wardens     *wardens
	walls       walls.Walls
	filter      []byte
	tmp         string // boxes' directories are made there
	interpreter string
	guest       *os.File
	warden      *os.File
}

// inspect finds what boxes need. Its errors tell a person what to do.
func (b *Backend) inspect(s settings, instance, stateDir string) (*host, error) {
	h := &host{
		instance: instance, abi: min(walls.ABI(), b.maxABI), uids: b.uids, wardens: b.wardens,
		walls: layout(s), guest: b.guestFile, warden: b.wardenFile,
	}
	var err error
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
	h.filter, err = seccomp.Program(runtime.GOARCH, seccomp.Options{Mediated: true, OpenToTruncate: h.abi < walls.TruncateABI})
	return h, err
}

// canPeek tells whether a parent may read its descendants' memory, which it needs to know whom they want to connect to.
func canPeek(setting string) error {
	b, err := os.ReadFile(setting)
	if err != nil {
		return nil // no such restriction in this kernel
	}
	scope, _ := strconv.Atoi(strings.TrimSpace(string(b)))
	if scope >= 2 {
		return fmt.Errorf("kernel.yama.ptrace_scope is %d, so nobody can see where a script wants to connect: sysctl -w kernel.yama.ptrace_scope=1 on the host", scope)
	}
	return nil
}

func hasRoom(dir string) error {
	var fs unix.Statfs_t
	if err := unix.Statfs(dir, &fs); err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	if fs.Blocks > 0 && int64(fs.Bavail)*fs.Bsize < warden.Reserve(fs) {
		return fmt.Errorf("the disk with %s is nearly full, so boxes would be stopped at once: make room, or set AIRLOCK_PLUGIN_LANDLOCK_TMP to another disk", dir)
	}
	return nil
}

// version describes what boxes are held by, for people.
func (h *host) version() string {
	held := "same uid"
	if h.identity.count > 0 {
		held = "own uids"
	}
	return fmt.Sprintf("Landlock %d, %s", h.abi, held)
}

// prefix begins the names of this instance's directories.
func (h *host) prefix() string { return filepath.Join(h.tmp, "airlock-"+h.instance+"-") }

// sweep removes what an earlier process of this instance left behind. Its boxes end by themselves; they may be about to.
func (h *host) sweep(isLive func(id string) bool) error {
	found, err := filepath.Glob(h.prefix() + "*")
	if err != nil {
		return err
	}
	for _, dir := range found {
		if isLive(strings.TrimPrefix(dir, h.prefix())) {
			continue
		}
		if err := warden.RemoveOwned(dir); err != nil {
			return err
		}
	}
	return nil
}
