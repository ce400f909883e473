package landlock

import (
	"bytes"
	"context"
	_ "embed" // the probes
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/stdio"
)

//go:embed probe.py
var probeScript string

// facts tell the probe what to try. They come over stdin so that they're not in its arguments.
type facts struct {
	Calls    map[string]int `json:"calls"`  // numbers of system calls on this architecture
	Closed   []string       `json:"closed"` // those that must be refused whatever their arguments
	Hidden   []string       `json:"hidden"` // paths of the host
	File     string         `json:"file"`   // canaries
	Socket   string         `json:"socket"` // beside it
	Abstract string         `json:"abstract"`
	Port     int            `json:"port"`
	Password string         `json:"password"`
	Outside  int            `json:"outside"` // a process
	UID      int            `json:"uid"`     // Airlock's
	OwnUID   bool           `json:"own_uid"`
	Pids     int64          `json:"pids"`
	Tmp      int64          `json:"tmp"`
	Files    int64          `json:"files"`
}

func systemCalls() map[string]int {
	calls := map[string]int{
		"truncate": unix.SYS_TRUNCATE, "openat": unix.SYS_OPENAT, "openat2": unix.SYS_OPENAT2,
		"unshare": unix.SYS_UNSHARE, "clone": unix.SYS_CLONE, "clone3": unix.SYS_CLONE3, "setns": unix.SYS_SETNS,
		"mount": unix.SYS_MOUNT, "umount2": unix.SYS_UMOUNT2, "pivot_root": unix.SYS_PIVOT_ROOT, "chroot": unix.SYS_CHROOT,
		"open_tree": unix.SYS_OPEN_TREE, "move_mount": unix.SYS_MOVE_MOUNT, "fsopen": unix.SYS_FSOPEN,
		"mount_setattr": unix.SYS_MOUNT_SETATTR,
		"ptrace":        unix.SYS_PTRACE, "process_vm_readv": unix.SYS_PROCESS_VM_READV,
		"process_vm_writev": unix.SYS_PROCESS_VM_WRITEV,
		"pidfd_getfd":       unix.SYS_PIDFD_GETFD, "kcmp": unix.SYS_KCMP, "bpf": unix.SYS_BPF,
		"perf_event_open": unix.SYS_PERF_EVENT_OPEN,
		"userfaultfd":     unix.SYS_USERFAULTFD, "io_uring_setup": unix.SYS_IO_URING_SETUP,
		"io_uring_enter": unix.SYS_IO_URING_ENTER,
		"keyctl":         unix.SYS_KEYCTL, "add_key": unix.SYS_ADD_KEY, "request_key": unix.SYS_REQUEST_KEY,
		"open_by_handle_at": unix.SYS_OPEN_BY_HANDLE_AT, "name_to_handle_at": unix.SYS_NAME_TO_HANDLE_AT,
		"init_module":  unix.SYS_INIT_MODULE,
		"finit_module": unix.SYS_FINIT_MODULE, "kexec_load": unix.SYS_KEXEC_LOAD, "reboot": unix.SYS_REBOOT,
		"swapon": unix.SYS_SWAPON,
		"acct":   unix.SYS_ACCT, "quotactl": unix.SYS_QUOTACTL, "syslog": unix.SYS_SYSLOG,
		"inotify_init1": unix.SYS_INOTIFY_INIT1,
		"fanotify_init": unix.SYS_FANOTIFY_INIT, "bind": unix.SYS_BIND, "listen": unix.SYS_LISTEN,
		"mq_open": unix.SYS_MQ_OPEN, "mq_unlink": unix.SYS_MQ_UNLINK,
		"shmget": unix.SYS_SHMGET, "shmat": unix.SYS_SHMAT, "semget": unix.SYS_SEMGET, "semop": unix.SYS_SEMOP,
		"msgget": unix.SYS_MSGGET,
		"msgsnd": unix.SYS_MSGSND, "msgrcv": unix.SYS_MSGRCV, "process_madvise": unix.SYS_PROCESS_MADVISE,
		"move_pages":    unix.SYS_MOVE_PAGES,
		"migrate_pages": unix.SYS_MIGRATE_PAGES,
	}
	if runtime.GOARCH == "amd64" { // the only one of the two that has them
		calls["open"], calls["creat"] = 2, 85
	}
	return calls
}

// decided lists calls that aren't refused whatever their arguments, or not on every kernel.
func decided() []string {
	return []string{"clone", "clone3", "unshare", "truncate", "open", "creat", "openat", "openat2"}
}

// probeLimits are small, so that reaching them is quick.
func probeLimits() plugins.Limits {
	return plugins.Limits{Memory: 96 << 20, CPU: 1, Pids: 20, Tmp: 4 << 20, Files: 64}
}

// probe opens a box, tries to break out of it and returns what held. It fails if the box could not
// be opened or the answer is not complete; a control that did not hold is no error.
func (h *host) probe(ctx context.Context, hidden []string) ([]plugins.Control, error) {
	birds, err := newCanaries(h.fresh("_canaries"))
	if err != nil {
		return nil, fmt.Errorf("put up canaries: %w", err)
	}
	defer birds.close()
	limits := probeLimits()
	f := facts{
		Calls: systemCalls(), Hidden: hidden, File: birds.file, Socket: birds.socket, Abstract: birds.abstract,
		Port:     birds.port,
		Password: birds.password, Outside: os.Getpid(), UID: os.Geteuid(), OwnUID: h.identity.count > 0, Pids: limits.Pids,
		Tmp: limits.Tmp, Files: limits.Files,
	}
	for name := range f.Calls {
		if !slices.Contains(decided(), name) {
			f.Closed = append(f.Closed, name)
		}
	}
	slices.Sort(f.Closed)
	input, err := json.Marshal(f)
	if err != nil {
		return nil, err
	}
	out, exit, err := h.python(ctx, "_probe", limits, probeScript, append(input, '\n'))
	if err != nil {
		return nil, err
	}
	var answer struct {
		Controls map[string][2]any `json:"controls"`
		Daemon   int               `json:"daemon"` // a process that tried to stay
	}
	if json.Unmarshal(out, &answer) != nil || len(answer.Controls) == 0 {
		return nil, fmt.Errorf("the probe ended with code %d, signal %d, reason %s: %s", exit.Code, exit.Signal, exit.Reason,
			exit.Diagnostic)
	}
	controls := []plugins.Control{stayed(answer.Daemon), untouched(birds)}
	for name, r := range answer.Controls {
		held, _ := r[0].(bool)
		detail, _ := r[1].(string)
		controls = append(controls, plugins.Control{Name: name, Proved: held, Detail: detail})
	}
	slices.SortFunc(controls, func(a, b plugins.Control) int { return strings.Compare(a.Name, b.Name) })
	return controls, nil
}

// stayed looks for a process that the probe forked twice and put into a session of its own.
func stayed(pid int) plugins.Control {
	c := plugins.Control{Name: "nothing outlives a box", Proved: pid > 0, Detail: "forked twice into a session of its own"}
	if line, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline"); err == nil &&
		bytes.Contains(line, []byte("airlock-probe-mark")) {
		c.Proved, c.Detail = false, fmt.Sprintf("process %d is still there", pid)
	}
	return c
}

func untouched(c *canaries) plugins.Control {
	reached := c.reached()
	detail := "a file, a port and two Unix sockets that are open to everybody"
	if reached != "" {
		detail = reached + " was reached"
	}
	return plugins.Control{Name: "canaries of the host are untouched", Proved: reached == "", Detail: detail}
}

// python runs a script as the guest of a box and returns what it wrote. The id begins with an
// underscore, which no other box's does.
func (h *host) python(ctx context.Context, id string, limits plugins.Limits, script string, input []byte) ([]byte,
	plugins.Exit, error) {
	var out stdio.Answer
	p := program{path: h.interpreter, argv: []string{h.interpreter, "-s", "-B", "-c", script, "airlock-probe-mark"}}
	exit, err := h.run(ctx, plugins.Spec{ID: id, Limits: limits}, p, bytes.NewReader(input), &out)
	if err == nil && exit.Reason == plugins.ReasonKilled {
		err = fmt.Errorf("%s: %w", id, ctx.Err())
	}
	return out.Bytes(), exit, err
}
