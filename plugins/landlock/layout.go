package landlock

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/computclaw/airlock/plugins/landlock/ruleset"
)

// programs are trees of software for boxes. People put their own files into /usr/src and
// /usr/local; the latter is optional.
func programs(usrLocal bool) []string {
	trees := []string{
		"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/usr/bin", "/usr/sbin", "/usr/lib", "/usr/lib32",
		"/usr/lib64", "/usr/libx32", "/usr/libexec", "/usr/share",
	}
	if usrLocal {
		trees = append(trees, "/usr/local")
	}
	return trees
}

// files are readable: the needs of Python, its libraries, OpenSSL and the linker in /etc, and
// /proc's facts about the machine. The host's accounts, hosts and resolver settings are left out;
// libc's defaults suit a box.
func files() []string {
	return []string{
		"/etc/ld.so.cache", "/etc/alternatives", "/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/etc/pki/tls/certs",
		"/etc/pki/ca-trust/extracted", "/etc/services", "/etc/protocols", "/etc/mime.types",
		"/dev/zero",         // not to write: mapped writable and shared it would be memory that nobody counts
		"/etc/matplotlibrc", // Debian's matplotlib reads it if it is there, and Landlock can't hide that it is
		"/proc/cpuinfo", "/proc/filesystems", "/proc/loadavg", "/proc/meminfo", "/proc/stat", "/proc/uptime",
		"/proc/version", "/proc/sys/vm/overcommit_memory",
	}
}

func devices() []string {
	return []string{"/dev/null", "/dev/full", "/dev/random", "/dev/urandom"}
}

func layout(s settings) ruleset.Ruleset {
	return ruleset.Ruleset{Programs: programs(s.usrLocal), Files: files(), Devices: devices()}
}

func findPython(s settings) (string, error) {
	paths := []string{"/usr/bin/python3", "/bin/python3"}
	if s.usrLocal {
		paths = append([]string{"/usr/local/bin/python3"}, paths...)
	}
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return path, nil
		}
	}
	return "", errors.New("there is no /usr/bin/python3: apt-get install python3 (or set " +
		"AIRLOCK_PLUGIN_LANDLOCK_USR_LOCAL=true if Python is in /usr/local)")
}

// findTmp returns the parent of boxes' private directories. A box with a uid of its own can't enter
// the state directory.
func findTmp(s settings, i identity, stateDir string) (string, error) {
	candidates := []string{s.tmp}
	if s.tmp == "" {
		candidates = []string{"/tmp"}
		if i.count == 0 && stateDir != "" {
			candidates = append(candidates, stateDir)
		}
	}
	var errs []error
	for _, dir := range candidates {
		// The real path, because the kernel tells that one.
		real, err := filepath.EvalSymlinks(dir)
		if err == nil && i.count == 0 {
			err = unix.Access(real, unix.W_OK|unix.X_OK)
		}
		if info, serr := os.Stat(dir); err == nil && i.count > 0 &&
			(serr != nil || info.Mode()&os.ModeSticky == 0 || info.Mode().Perm() != 0o777) {
			err = errors.New("must be writable for all and sticky (mode 1777), because boxes have uids of their own")
		}
		if err == nil {
			return real, nil
		}
		errs = append(errs, fmt.Errorf("%s: %w", dir, err))
	}
	return "", fmt.Errorf("no directory for boxes' files; set AIRLOCK_PLUGIN_LANDLOCK_TMP: %w", errors.Join(errs...))
}
