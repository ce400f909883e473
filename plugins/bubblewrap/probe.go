package bubblewrap

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"net"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/probe"
	"github.com/computclaw/airlock/plugins/stdio"
	"golang.org/x/sys/unix"
)

//go:embed probe.py
var probeScript string

// facts tell the probe what to try. Nothing in them is secret, but they come over stdin so that
// they're not in its arguments.
type facts struct {
	Calls  map[string]int `json:"calls"`  // numbers of system calls on this architecture
	Closed []string       `json:"closed"` // those that must be refused whatever their arguments
	Hidden []string       `json:"hidden"` // paths of the host
	Canary int            `json:"canary"` // port somebody listens on at the host's 127.0.0.1
	Pids   int64          `json:"pids"`
	Tmp    int64          `json:"tmp"`
	Shm    int64          `json:"shm"`
	Files  int64          `json:"files"`
}

func systemCalls() map[string]int {
	return map[string]int{
		"unshare": unix.SYS_UNSHARE, "clone": unix.SYS_CLONE, "clone3": unix.SYS_CLONE3, "setns": unix.SYS_SETNS,
		"mount": unix.SYS_MOUNT, "umount2": unix.SYS_UMOUNT2, "pivot_root": unix.SYS_PIVOT_ROOT, "chroot": unix.SYS_CHROOT,
		"open_tree": unix.SYS_OPEN_TREE, "move_mount": unix.SYS_MOVE_MOUNT, "fsopen": unix.SYS_FSOPEN,
		"mount_setattr": unix.SYS_MOUNT_SETATTR,
		"ptrace":        unix.SYS_PTRACE, "process_vm_writev": unix.SYS_PROCESS_VM_WRITEV,
		"pidfd_getfd": unix.SYS_PIDFD_GETFD, "kcmp": unix.SYS_KCMP,
		"bpf": unix.SYS_BPF, "perf_event_open": unix.SYS_PERF_EVENT_OPEN, "userfaultfd": unix.SYS_USERFAULTFD,
		"io_uring_setup": unix.SYS_IO_URING_SETUP, "keyctl": unix.SYS_KEYCTL, "add_key": unix.SYS_ADD_KEY,
		"request_key":       unix.SYS_REQUEST_KEY,
		"open_by_handle_at": unix.SYS_OPEN_BY_HANDLE_AT, "name_to_handle_at": unix.SYS_NAME_TO_HANDLE_AT,
		"init_module":  unix.SYS_INIT_MODULE,
		"finit_module": unix.SYS_FINIT_MODULE, "kexec_load": unix.SYS_KEXEC_LOAD, "reboot": unix.SYS_REBOOT,
		"swapon": unix.SYS_SWAPON,
		"acct":   unix.SYS_ACCT, "quotactl": unix.SYS_QUOTACTL, "syslog": unix.SYS_SYSLOG,
		"inotify_init1": unix.SYS_INOTIFY_INIT1,
		"fanotify_init": unix.SYS_FANOTIFY_INIT,
	}
}

const controlCPU = "processor time is limited"

// probeLimits are small, so that reaching them is quick.
func probeLimits() plugins.Limits {
	return plugins.Limits{Memory: 96 << 20, CPU: 0.5, Pids: 20, Tmp: 2 << 20, Files: 40}
}

// probe opens a box, tries to break out of it and returns what held. It fails if the box could not
// be opened or the answer is not complete; a control that did not hold is no error.
func (h *host) probe(ctx context.Context, hidden []string) ([]plugins.Control, error) {
	canary, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	defer canary.Close()
	limits := probeLimits()
	f := facts{
		Calls: systemCalls(), Hidden: hidden, Canary: canary.Addr().(*net.TCPAddr).Port,
		Pids: limits.Pids, Tmp: limits.Tmp, Shm: shmSize, Files: limits.Files,
	}
	for name := range f.Calls {
		if !slices.Contains([]string{"clone", "clone3", "unshare"}, name) {
			f.Closed = append(f.Closed, name)
		}
	}
	// the probe ends at the first that works, which must not be ptrace: bwrap takes a process that
	// asks to be traced for an ended one
	slices.Sort(f.Closed)
	input, err := json.Marshal(f)
	if err != nil {
		return nil, err
	}
	limits.CPU = float64(runtime.NumCPU())
	out, exit, err := h.python(ctx, "_probe", limits, probeScript, append(input, '\n'))
	if err != nil {
		return nil, err
	}
	raw := map[string][2]any{}
	if json.Unmarshal(out, &raw) != nil || len(raw) == 0 {
		return nil, fmt.Errorf("the probe ended with code %d, reason %s: %s", exit.Code, exit.Reason, exit.Diagnostic)
	}
	var controls []plugins.Control
	for name, r := range raw {
		held, _ := r[0].(bool)
		detail, _ := r[1].(string)
		controls = append(controls, plugins.Control{Name: name, Proved: held, Detail: detail})
	}
	slices.SortFunc(controls, func(a, b plugins.Control) int { return strings.Compare(a.Name, b.Name) })
	return controls, nil
}

// strain opens a box that uses up processor and memory, and returns what was held.
func (h *host) strain(ctx context.Context) (cpu, memory plugins.Control, err error) {
	limits := probeLimits()
	out, exit, err := h.python(ctx, "_strain", limits, probe.LimitScript, probe.LimitInput(limits.Memory))
	if err != nil {
		return cpu, memory, err
	}
	share, perr := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
	cpu = plugins.Control{
		Name: controlCPU, Proved: perr == nil && share <= 1.3*limits.CPU,
		Detail: fmt.Sprintf("computed without pause at a limit of %v cores: got %.2f", limits.CPU, share),
	}
	memory = plugins.Control{
		Name: "memory is limited", Proved: exit.Reason == plugins.ReasonOOM,
		Detail: fmt.Sprintf("took several times as much as a limit of %d MiB: ended by %s at %d MiB", limits.Memory>>20,
			exit.Reason, exit.PeakMemory>>20),
	}
	return cpu, memory, nil
}

// python runs a script as PID 1 of a box and returns what it wrote. The id begins with an
// underscore, which no other box's does.
func (h *host) python(ctx context.Context, id string, limits plugins.Limits, script string, input []byte) ([]byte,
	plugins.Exit, error) {
	var out stdio.Answer
	command := []string{h.interpreter, "-s", "-B", "-c", script}
	exit, err := h.run(ctx, plugins.Spec{ID: id, Limits: limits}, h.layout, command, newMeter(), bytes.NewReader(input),
		&out)
	if err == nil && exit.Reason == plugins.ReasonKilled {
		err = fmt.Errorf("%s: %w", id, ctx.Err())
	}
	return out.Bytes(), exit, err
}
