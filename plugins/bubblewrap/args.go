package bubblewrap

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/rlimit"
)

// uid is who scripts are, inside.
const uid = 65534

const hostname = "sandbox"

// etcFiles are written into the box's /etc. The resolver's only server is airlock-init, which
// answers at once.
func etcFiles() []file {
	return []file{
		{"/etc/passwd", "nobody:x:65534:65534:nobody:/tmp:/usr/sbin/nologin\n"},
		{"/etc/group", "nogroup:x:65534:\n"},
		{"/etc/hosts", "127.0.0.1 localhost " + hostname + "\n::1 localhost\n"},
		{"/etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\nservices: files\nprotocols: files\n"},
		{"/etc/resolv.conf", "nameserver 127.0.0.1\noptions single-request timeout:2 attempts:1\n"},
	}
}

// hostFacts are files of /proc that describe the host. People put secrets into the kernel's command
// line.
func hostFacts() []string {
	return []string{"cmdline", "diskstats", "interrupts", "iomem", "ioports", "keys", "key-users", "modules",
		"partitions",
		"sched_debug", "softirqs", "swaps", "sys/kernel/random/boot_id", "timer_list", "vmallocinfo"}
}

// readableFacts returns the host facts that a box could read. Root-only files need no mount: a
// box's user is nobody outside.
func readableFacts(proc string) (files []string) {
	for _, name := range hostFacts() {
		info, err := os.Stat(filepath.Join(proc, name))
		if err == nil && info.Mode().Perm()&0o044 != 0 {
			files = append(files, "/proc/"+name)
		}
	}
	return files
}

type file struct{ path, content string }

// etcBinds lists the paths that the runtime's own /etc has to provide. These are the linker's
// cache, Debian's library links (numpy's BLAS), certificates without private keys, service names,
// rendering settings and Java's needs.
func etcBinds() []string {
	return []string{
		"/etc/ld.so.cache", "/etc/alternatives", "/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/etc/pki/tls/certs",
		"/etc/pki/ca-trust/extracted", "/etc/services", "/etc/protocols", "/etc/mime.types", "/etc/matplotlibrc",
		"/etc/java-*/security", "/etc/java-*/*.properties", "/etc/java-*/*.cfg",
	}
}

type layout struct {
	usr     string      // host directory that becomes /usr
	links   [][2]string // target, path: /bin -> usr/bin
	binds   [][2]string // source, path
	copies  [][2]string // source, path: small files
	covered []string    // directories below /usr that are hidden
	remade  []string    // directories on top of binds that are made anew, of some of made
	made    [][2]string // target, path: links that come after everything else
	masked  []string    // files of the box's /proc that are hidden
}

// findLayout looks at root, a directory with a merged /usr such as a Debian root.
func findLayout(root string, usrLocal bool) (layout, error) {
	l := layout{usr: filepath.Join(root, "usr"), masked: readableFacts("/proc")}
	if info, err := os.Stat(l.usr); err != nil || !info.IsDir() {
		return l, fmt.Errorf("runtime %s has no usr directory", root)
	}
	for _, name := range []string{"bin", "sbin", "lib", "lib32", "lib64", "libx32"} {
		target, err := os.Readlink(filepath.Join(root, name))
		switch {
		case os.IsNotExist(err):
		case err != nil: // a directory of its own: a root that isn't merged
			l.binds = append(l.binds, [2]string{filepath.Join(root, name), "/" + name})
		default:
			l.links = append(l.links, [2]string{target, "/" + name})
		}
	}
	for _, pattern := range etcBinds() {
		matches, _ := filepath.Glob(filepath.Join(root, pattern)) // the patterns are well-formed
		for _, match := range matches {
			found := [2]string{match, strings.TrimPrefix(match, strings.TrimSuffix(root, "/"))}
			f := openSmall(match)
			if f != nil && len(l.copies) < maxCopies {
				l.copies = append(l.copies, found)
			} else {
				l.binds = append(l.binds, found)
			}
			f.Close() // which a nil file survives
		}
	}
	hidden := []string{"src"}
	if !usrLocal {
		hidden = append(hidden, "local")
	}
	for _, name := range hidden {
		if info, err := os.Lstat(filepath.Join(l.usr, name)); err == nil && info.IsDir() {
			l.covered = append(l.covered, "/usr/"+name)
		}
	}
	l.replaceRoots(root)
	return l, nil
}

// bubblewrap reads the whole mount table for each mount, so it copies small files instead. Each
// needs a descriptor during set-up.
const (
	maxCopied = 16 << 10 // bytes
	maxCopies = 8
)

// openSmall opens a file that may be copied, or returns nil. Everybody must be able to read it,
// since the script owns the copy. It follows no links.
func openSmall(name string) *os.File {
	f, err := os.OpenFile(name, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Mode().Perm()&0o004 == 0 || info.Size() > maxCopied {
		f.Close()
		return nil
	}
	return f
}

type fds struct {
	guest, status, seccomp int
	copies                 []int // one per layout.copies; 0 for one that is bound
	files                  []int // one per etcFiles
}

type purpose struct {
	command  []string
	limits   plugins.Limits
	counted  bool // memory is, so that there may be none that can't be seen
	template bool // boxes are forked in it
}

// arguments returns bwrap's options, NUL-separated as --args wants them.
func (l layout) arguments(is purpose, fd fds) []byte {
	a := argList{}
	a.add("--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--hostname", hostname)
	a.add("--new-session", "--die-with-parent", "--as-pid-1", "--clearenv", "--chdir", "/tmp")
	if !is.template { // a template gives its boxes user namespaces, with none of its capabilities
		a.add("--unshare-user", "--disable-userns", "--uid", strconv.Itoa(uid), "--gid", strconv.Itoa(uid),
			"--cap-drop", "ALL", "--seccomp", strconv.Itoa(fd.seccomp))
	}

	a.add("--ro-bind", l.usr, "/usr")
	for _, dir := range l.covered {
		a.add("--size", "4096", "--tmpfs", dir, "--remount-ro", dir)
	}
	for _, link := range l.links {
		a.add("--symlink", link[0], link[1])
	}
	for _, dir := range l.parents() { // else only bwrap's own user could look into them
		a.add("--perms", "0755", "--dir", dir)
	}
	for _, bind := range l.binds {
		a.add("--ro-bind", bind[0], bind[1])
	}
	for i, f := range l.copies {
		if fd.copies[i] == 0 {
			a.add("--ro-bind", f[0], f[1])
		} else {
			a.add("--perms", "0444", "--file", strconv.Itoa(fd.copies[i]), f[1])
		}
	}
	for _, dir := range l.remade {
		a.add("--size", "4096", "--tmpfs", dir)
	}
	for _, link := range l.made {
		a.add("--symlink", link[0], link[1])
	}
	for _, dir := range l.remade {
		a.add("--remount-ro", dir)
	}
	for i, f := range etcFiles() {
		a.add("--perms", "0444", "--file", strconv.Itoa(fd.files[i]), f.path)
	}
	a.add("--proc", "/proc")
	if !is.template { // the kernel mounts no /proc for its boxes if parts of this one are covered
		for _, file := range l.masked {
			a.add("--ro-bind", "/dev/null", file)
		}
	}
	// A box has no ptys: the whole host shares their pool.
	a.add("--dev", "/dev", "--size", "4096", "--tmpfs", "/dev/pts", "--remount-ro", "/dev/pts")
	if is.counted { // reads like it, but can't be mapped
		a.add("--dev-bind", "/dev/full", "/dev/zero")
	}
	a.add("--perms", "1777", "--size", strconv.FormatInt(is.limits.Shm(), 10), "--tmpfs", "/dev/shm", "--remount-ro",
		"/dev")
	a.add("--perms", "1777", "--size", strconv.FormatInt(is.limits.Tmp, 10), "--tmpfs", "/tmp")
	a.add("--symlink", fmt.Sprintf("/proc/self/fd/%d", fd.guest), "/airlock-init")
	a.add("--remount-ro", "/")

	a.add("--json-status-fd", strconv.Itoa(fd.status))
	return a.buf.Bytes()
}

// parents returns the directories of /etc above paths of the layout, from the top down.
func (l layout) parents() []string {
	paths := slices.Concat(l.binds, l.copies, l.made)
	for _, f := range etcFiles() {
		paths = append(paths, [2]string{"", f.path})
	}
	seen := map[string]string{}
	for _, entry := range paths {
		for dir := path.Dir(entry[1]); strings.HasPrefix(dir, "/etc"); dir = path.Dir(dir) {
			seen[dir] = ""
		}
	}
	return sortedKeys(seen)
}

type argList struct{ buf bytes.Buffer }

func (a *argList) add(args ...string) {
	for _, arg := range args {
		a.buf.WriteString(arg)
		a.buf.WriteByte(0)
	}
}

func least() plugins.Limits {
	return plugins.Limits{Memory: 16 << 20, CPU: 0.01, Pids: 12, Tmp: 4 << 10, Files: 32}
}

const socketMemory = 64 << 20 // bytes in TCP buffers, where they are counted apart

// overhead is bwrap's own process outside the box. It counts against the same limit.
const overhead = 1

// rlimits are the per-process limits of a box, with or without a cgroup. Where a cgroup counts
// processes, the resource limit is a little higher: the cgroup refuses first and counts that.
func rlimits(l plugins.Limits, counted bool) []rlimit.Limit {
	processes := l.Pids + overhead
	if counted {
		processes += 16
	}
	return append(rlimit.OfBox(l.Files, max(l.Tmp, l.Shm())), rlimit.Limit{Name: "nproc", Value: processes})
}
