package ruleset

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// ScopedABI is the first version of Landlock that keeps signals and abstract Unix sockets in.
const ScopedABI = 6

// referABI is the first version that lets files be moved between directories at all.
const referABI = 2

// TruncateABI is the first version of Landlock that prevents truncation by path or by opening to
// read. Before, the caller has to.
const TruncateABI = 3

// ABI returns the version of the kernel's Landlock, or 0 if it is missing or disabled.
func ABI() int {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(version)
}

// Ruleset lists the reachable paths inside. Missing paths are left out; links are followed.
type Ruleset struct {
	Programs []string // trees to read and execute
	Files    []string // trees or files to read
	Devices  []string // files to read and write
	Private  string   // the one directory to do anything in; empty for none
}

const (
	readFile = unix.LANDLOCK_ACCESS_FS_READ_FILE
	readDir  = unix.LANDLOCK_ACCESS_FS_READ_DIR
	execute  = unix.LANDLOCK_ACCESS_FS_EXECUTE
	write    = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE
	arrange  = unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_DIR |
		unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK | unix.LANDLOCK_ACCESS_FS_MAKE_FIFO |
		unix.LANDLOCK_ACCESS_FS_MAKE_SYM | unix.LANDLOCK_ACCESS_FS_REFER
	// ofFiles are the rights that a rule for something else than a directory may have.
	ofFiles = readFile | execute | write
)

// handledRights returns all rights that version abi can deny. Those without a rule are denied.
func handledRights(abi int) unix.LandlockRulesetAttr {
	attr := unix.LandlockRulesetAttr{Handled_access_fs: 1<<13 - 1}
	for _, more := range []struct {
		abi    int
		access uint64
	}{
		{referABI, unix.LANDLOCK_ACCESS_FS_REFER},
		{TruncateABI, unix.LANDLOCK_ACCESS_FS_TRUNCATE},
		{5, unix.LANDLOCK_ACCESS_FS_IOCTL_DEV},
		{9, unix.LANDLOCK_ACCESS_FS_RESOLVE_UNIX},
	} {
		if abi >= more.abi {
			attr.Handled_access_fs |= more.access
		}
	}
	if abi >= 4 {
		attr.Handled_access_net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	}
	attr.Scoped = scopes(abi)
	return attr
}

func scopes(abi int) uint64 {
	if abi < ScopedABI {
		return 0
	}
	return unix.LANDLOCK_SCOPE_SIGNAL | unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET
}

// Enforce restricts the calling thread with version abi of Landlock. The returned descriptors must
// stay open while the ruleset is needed: Landlock knows files of /proc by an inode that exists only
// while it is open.
func (w Ruleset) Enforce(abi int) (pins []*os.File, err error) {
	attr := handledRights(abi)
	ruleset, err := create(attr)
	if err != nil {
		return nil, err
	}
	defer unix.Close(ruleset)
	for _, grant := range []struct {
		paths  []string
		access uint64
	}{
		{w.Programs, execute | readFile | readDir},
		{w.Files, readFile | readDir},
		{w.Devices, readFile | unix.LANDLOCK_ACCESS_FS_WRITE_FILE},
		{w.private(), readFile | readDir | execute | write | arrange},
	} {
		for _, path := range grant.paths {
			pin, err := allow(ruleset, path, grant.access&attr.Handled_access_fs)
			if err != nil {
				return nil, err
			}
			if pin != nil {
				pins = append(pins, pin)
			}
		}
	}
	return pins, restrict(ruleset)
}

func (w Ruleset) private() []string {
	if w.Private == "" {
		return nil
	}
	return []string{w.Private}
}

// EnforceInner restricts the calling thread further, inside a ruleset. Its children can neither
// signal nor trace it. Nothing else changes, so it has to allow moving files between directories,
// which every ruleset denies by default.
func EnforceInner(abi int) error {
	attr := unix.LandlockRulesetAttr{Handled_access_fs: unix.LANDLOCK_ACCESS_FS_REFER, Scoped: scopes(abi)}
	if abi < referABI {
		// something has to be denied, and nobody in a box can do this
		attr.Handled_access_fs = unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK
	}
	ruleset, err := create(attr)
	if err != nil {
		return err
	}
	defer unix.Close(ruleset)
	if abi >= referABI {
		if _, err := allow(ruleset, "/", unix.LANDLOCK_ACCESS_FS_REFER); err != nil {
			return err
		}
	}
	return restrict(ruleset)
}

func create(attr unix.LandlockRulesetAttr) (int, error) {
	// An older kernel takes the longer structure if the unknown part is zero.
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)),
		unsafe.Sizeof(attr), 0)
	if errno != 0 {
		return -1, fmt.Errorf("landlock: create ruleset: %w", errno)
	}
	return int(fd), nil
}

// allow adds a rule for path. A returned descriptor has to stay open.
func allow(ruleset int, path string, access uint64) (pin *os.File, err error) {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("landlock: open %s: %w", path, err)
	}
	file := os.NewFile(uintptr(fd), path)
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("landlock: %w", err)
	}
	if !info.IsDir() {
		access &= ofFiles
	}
	attr := unix.LandlockPathBeneathAttr{Allowed_access: access, Parent_fd: int32(fd)}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(ruleset), unix.LANDLOCK_RULE_PATH_BENEATH,
		uintptr(unsafe.Pointer(&attr)), 0, 0, 0)
	if errno != 0 {
		file.Close()
		return nil, fmt.Errorf("landlock: rule for %s: %w", path, errno)
	}
	var kind unix.Statfs_t
	if unix.Fstatfs(fd, &kind) == nil && kind.Type == unix.PROC_SUPER_MAGIC {
		return file, nil
	}
	return nil, file.Close()
}

// restrict gives up new privileges, without which the kernel would ask for some, and enters.
func restrict(ruleset int) error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("set no new privileges: %w", err)
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(ruleset), 0, 0); errno != 0 {
		return fmt.Errorf("landlock: restrict: %w", errno)
	}
	return nil
}
