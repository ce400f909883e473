package bubblewrap

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"

	"github.com/computclaw/airlock/plugins/owner"
	"github.com/computclaw/airlock/plugins/seccomp"
)

type host struct {
	bwrap       string
	version     string // of bwrap
	guest       *os.File
	served      bool   // the guest serves the boxes of a template from outside, as airlock-init does
	filter      []byte // seccomp program
	limiter     limiter
	noCgroup    string // why there is none; empty if there is
	spawner     *spawner
	uids        *atomic.Uint32
	layout      layout
	interpreter string     // Python's path in the box
	templates   *templates // nil if boxes are opened afresh
}

// inspect finds what boxes need. Its errors tell a person what to do.
func (b *Backend) inspect(ctx context.Context, s settings, instance string) (*host, error) {
	h := &host{spawner: b.spawner, uids: b.uids, guest: b.guestFile, served: b.served}
	var err error
	if h.bwrap, err = findBwrap(s.bwrap); err != nil {
		return nil, err
	}
	if h.version, err = bwrapVersion(ctx, h.bwrap); err != nil {
		return nil, err
	}
	if h.layout, err = findLayout(s.root, s.usrLocal); err != nil {
		return nil, err
	}
	if h.interpreter, err = findPython(s); err != nil {
		return nil, err
	}
	names, err := owner.NamesOf(instance)
	if err != nil {
		return nil, err
	}
	if h.limiter, h.noCgroup, err = findLimiter(s, names); err != nil {
		if s.limits == limitsCgroup || s.cgroup != "" {
			err = fmt.Errorf("%w. Leave out the settings limits and cgroup, so that memory is watched instead, or "+
				"%s", err,
				b.group)
		}
		return nil, err
	}
	if h.filter, err = seccomp.Program(runtime.GOARCH,
		seccomp.Options{CountedMemoryOnly: h.countsMemory()}); err != nil {
		return nil, err
	}
	return h, nil
}

// countsMemory reports whether polling holds the memory limit. Then no memory may escape the count.
func (h *host) countsMemory() bool { return h.limiter.listEnforced()["memory"] == "polled" }

func findBwrap(configured string) (string, error) {
	if configured != "" {
		if !executable(configured) {
			return "", fmt.Errorf("%s is not an executable file; correct the setting bwrap", configured)
		}
		return configured, nil
	}
	// Fixed places: a plugin has no PATH, and no directory that others can write to may decide what
	// sets boxes up.
	for _, path := range []string{"/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap"} {
		if executable(path) {
			return path, nil
		}
	}
	return "", errors.New("bubblewrap is not installed: apt-get install bubblewrap")
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

func bwrapVersion(ctx context.Context, path string) (string, error) {
	cmd := exec.CommandContext(ctx, path, "--version")
	cmd.Env = []string{}
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s --version: %w", path, err)
	}
	return strings.TrimSpace(string(out)), nil
}

func findPython(s settings) (string, error) {
	paths := []string{"/usr/bin/python3"}
	if s.usrLocal {
		paths = append([]string{"/usr/local/bin/python3"}, paths...)
	}
	for _, path := range paths {
		// The host's root resolves these links, which fits the links that distributions use.
		if executable(filepath.Join(s.root, path)) {
			return path, nil
		}
	}
	return "", errors.New("the runtime has no /usr/bin/python3: apt-get install python3 (or set usr_local=true if " +
		"Python is in /usr/local)")
}
