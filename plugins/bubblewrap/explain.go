package bubblewrap

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
)

// explain adds what a person can do to the error of a box that could not be opened.
func explain(err error) error {
	if advice := advise(err, sysctl); advice != "" {
		return fmt.Errorf("boxes cannot be opened here: %w. %s", err, advice)
	}
	return fmt.Errorf("boxes cannot be opened here: %w", err)
}

func advise(err error, sysctl func(string) string) string {
	text := err.Error()
	refused := errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EACCES) || errors.Is(err, syscall.ENOSPC) ||
		strings.Contains(text, "ermission denied") || strings.Contains(text, "not permitted")
	switch {
	case sysctl("kernel.unprivileged_userns_clone") == "0":
		return "This kernel forbids user namespaces: sysctl -w kernel.unprivileged_userns_clone=1"
	case sysctl("user.max_user_namespaces") == "0":
		return "This kernel allows no user namespaces: sysctl -w user.max_user_namespaces=10000"
	case refused && sysctl("kernel.apparmor_restrict_unprivileged_userns") == "1":
		return "AppArmor restricts user namespaces (Ubuntu 23.10 and later). Install deploy/apparmor/airlock-bwrap: " +
			"install -m 644 deploy/apparmor/airlock-bwrap /etc/apparmor.d/ && apparmor_parser -r /etc/apparmor.d/airlock-bwrap; " +
			"or lift it for every program: sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"
	case strings.Contains(text, "mount proc"): // the first step's and bwrap's
		return "The container masks parts of /proc: run it with --security-opt systempaths=unconfined"
	case refused:
		return "In a container, run it with --security-opt seccomp=deploy/seccomp/airlock.json --security-opt systempaths=unconfined"
	default:
		return ""
	}
}

func sysctl(name string) string {
	b, _ := os.ReadFile("/proc/sys/" + strings.ReplaceAll(name, ".", "/"))
	return strings.TrimSpace(string(b))
}
