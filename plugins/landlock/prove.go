package landlock

import (
	"context"
	"fmt"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/probe"
)

// Scripts that exceed a polled limit several times over and then wait. They stop there to spare a
// host without polling.
const (
	takeMemory = `
held = []
while len(held) < 100:
    held.append(bytearray(b"\1") * (4 << 20))
` + stay
	takeDisk = `
for n in range(50):
    open("file%d" % n, "wb").write(b"x" * (1 << 20))
` + stay
	takeHidden = `
import tempfile
held = []
while len(held) < 50:
    held.append(tempfile.TemporaryFile(dir="."))
    held[-1].write(b"x" * (1 << 20))
    held[-1].flush()
` + stay
	stay = "import time; time.sleep(60)"
)

func (h *host) prove(ctx context.Context, stateDir string) ([]plugins.Control, error) {
	hidden := []string{
		"/", "/etc", "/etc/shadow", "/etc/passwd", "/etc/hosts", "/etc/resolv.conf", "/etc/hostname", "/root", "/home",
		"/var", "/run", "/sys", "/boot", "/data", "/dev", "/dev/shm", "/dev/pts", "/dev/tty", "/dev/ptmx", "/proc",
		"/proc/net/tcp", "/proc/mounts", "/proc/cmdline",
		"/var/run/docker.sock", h.tmp,
	}
	if stateDir != "" {
		hidden = append(hidden, stateDir)
	}
	controls, err := h.probe(ctx, hidden)
	if err != nil {
		return nil, err
	}
	for _, s := range []struct {
		name, script string
		want         plugins.Reason
	}{
		{probe.ControlMemory, takeMemory, plugins.ReasonOOM},
		{"files are limited together", takeDisk, plugins.ReasonTmp},
		{"removed files are limited too", takeHidden, plugins.ReasonTmp},
	} {
		_, exit, err := h.python(ctx, "_limits", probeLimits(), s.script, nil)
		if err != nil {
			return nil, err
		}
		controls = append(controls, plugins.Control{
			Name: s.name, Proved: exit.Reason == s.want,
			Detail: fmt.Sprintf("took several times as much: ended by %s (wanted %s) at %d MiB of memory",
				exit.Reason, s.want,
				exit.PeakMemory>>20),
		})
	}
	return controls, nil
}
