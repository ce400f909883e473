package bubblewrap

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// explain adds what a person can do to the error of a box that didn't open.
func explain(err error) error {
	if advice := advise(err, currentSurroundings()); advice != "" {
		return fmt.Errorf("boxes cannot be opened here: %w. %s", err, advice)
	}
	return fmt.Errorf("boxes cannot be opened here: %w", err)
}

type surroundings struct {
	sysctl    func(string) string
	powerless bool // root that can't give boxes uids of their own
}

func currentSurroundings() surroundings { return surroundings{sysctl: sysctl, powerless: powerless()} }

func advise(err error, at surroundings) string {
	text, sysctl := err.Error(), at.sysctl
	refused := errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EACCES) || errors.Is(err, syscall.ENOSPC) ||
		strings.Contains(text, "ermission denied") || strings.Contains(text, "not permitted")
	switch {
	case sysctl("kernel.unprivileged_userns_clone") == "0":
		return "This kernel forbids user namespaces: sysctl -w kernel.unprivileged_userns_clone=1"
	case sysctl("user.max_user_namespaces") == "0":
		return "This kernel allows no user namespaces: sysctl -w user.max_user_namespaces=10000"
	case refused && sysctl("kernel.apparmor_restrict_unprivileged_userns") == "1":
		return "AppArmor restricts user namespaces (Ubuntu 23.10 and later). Install deploy/apparmor/airlock-bwrap: " +
			"install -m 644 deploy/apparmor/airlock-bwrap /etc/apparmor.d/ && apparmor_parser -r " +
			"/etc/apparmor.d/airlock-bwrap; or lift it for every program: sysctl -w " +
			"kernel.apparmor_restrict_unprivileged_userns=0"
	case strings.Contains(text, "mount proc"): // the first step's and bwrap's
		return "The container masks parts of /proc: run it with --security-opt systempaths=unconfined"
	case refused && at.powerless:
		return inContainer + "; Airlock is root without the capabilities SETUID and SETGID here, so add --cap-add " +
			"SETUID --cap-add SETGID to these, or --user 65534"
	case refused:
		return inContainer
	default:
		return ""
	}
}

const inContainer = "In a container, run it with --security-opt seccomp=deploy/seccomp/airlock.json --security-opt " +
	"systempaths=unconfined"

func powerless() bool {
	const needed = 1<<unix.CAP_SETUID | 1<<unix.CAP_SETGID
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData // 32 capabilities each
	return os.Geteuid() == 0 && unix.Capget(&header, &data[0]) == nil && data[0].Effective&needed != needed
}

func sysctl(name string) string {
	b, _ := os.ReadFile("/proc/sys/" + strings.ReplaceAll(name, ".", "/"))
	return strings.TrimSpace(string(b))
}
