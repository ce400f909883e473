package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/computclaw/airlock/plugins/landlock/supervisor"
	"github.com/computclaw/airlock/plugins/netns"
	"github.com/computclaw/airlock/plugins/osthread"
	"github.com/computclaw/airlock/plugins/template"
	"github.com/computclaw/airlock/plugins/wire"
)

func main() {
	log.SetOutput(io.Discard) // as in Airlock itself: libraries quote there what they were sent
	err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "airlock-init:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) > 0 && args[0] == "netns" {
		return netns.Become(args[1:])
	}
	switch mode := strings.Join(args, " "); mode {
	case "":
		return runFirst()
	case "supervisor":
		return supervisor.Main()
	case supervisor.GuestMode:
		return runSupervised()
	case template.Mode:
		return becomeTemplate()
	case template.Guests:
		return serveGuests()
	case receiveMode, sendMode:
		return runHelper(mode, os.Stdin, os.Stdout)
	default:
		return fmt.Errorf("unknown arguments %q", args)
	}
}

// runFirst runs PID 1 of a box.
func runFirst() error {
	// Ending a box kills every process. Outside a box's own pid namespace that would be a disaster.
	if os.Getpid() != 1 {
		return errors.New("must be PID 1 of a box")
	}
	oomScore := preferAsVictim()
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("set non-dumpable: %w", err)
	}
	return begin(nil, newOwn(oomScore, findSYNSocket()))
}

// becomeTemplate makes this process an interpreter that forks boxes. Its boxes inherit what any
// interpreter inherits.
func becomeTemplate() error {
	if err := harden(); err != nil {
		return err
	}
	python, err := findPython()
	if err != nil {
		return err
	}
	return template.Become(python, stub, runnerEnv("/tmp"))
}

// runSupervised runs a box without a pid namespace. Its processes stay dumpable, since the
// supervisor reads their memory. The ruleset closes this one to the script.
func runSupervised() error {
	w, err := joinSupervisor()
	if err != nil {
		return err
	}
	return begin(w, &supervised{own: newOwn("", nil), supervisorLink: w})
}

func begin(w *supervisorLink, b box) error {
	if err := harden(); err != nil {
		return err
	}
	configureRuntime()
	pipe, err := newStdio(0, 1)
	if err != nil {
		return err
	}
	tmp, err := os.Getwd()
	if err != nil {
		return err
	}
	g := &guest{box: b, supervisor: w, tmp: tmp, log: os.Stderr}
	return g.serve(pipe, wire.GuestWindow)
}

// harden ignores the script's signals and limits children's rights. It sets one umask, since
// engines and hosts differ.
func harden() error {
	unix.Umask(0o077)
	if err := forbidNewPrivileges(); err != nil {
		return err
	}
	if err := unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}); err != nil {
		return fmt.Errorf("no core files: %w", err)
	}
	if err := ignoreSignals(); err != nil {
		return err
	}
	return nil
}

// forbidNewPrivileges sets no-new-privileges for every thread. It first checks, as setting it stops
// each thread.
func forbidNewPrivileges() error {
	if set, err := unix.PrctlRetInt(unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0); err == nil && set == 1 {
		return nil
	}
	if _, _, errno := syscall.AllThreadsSyscall6(unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0, 0); errno != 0 {
		return fmt.Errorf("set no new privileges: %w", errno)
	}
	return nil
}

const threads = 6

// configureRuntime fits the Go runtime to PID 1 of a small box.
//
// Many boxes mostly wait, so memory matters. All threads start while there is room. Nothing here
// blocks a thread for long: the pipe is polled, and children are awaited by signal.
func configureRuntime() {
	runtime.GOMAXPROCS(2)
	debug.SetGCPercent(50)
	osthread.Reserve(threads)
}

// stdio is the pipe to the engine.
type stdio struct {
	io.Writer               // to the second file
	in        *bufio.Reader // yamux's own holds 4 KiB, so that a frame would take several reads
	files     []*os.File
}

const stdinBuffer = 64 << 10

// newStdio takes over two descriptors.
func newStdio(stdin, stdout int) (*stdio, error) {
	for _, fd := range []int{stdin, stdout} {
		if err := unix.SetNonblock(fd, true); err != nil {
			return nil, fmt.Errorf("stdio: %w", err)
		}
	}
	in, out := os.NewFile(uintptr(stdin), "stdin"), os.NewFile(uintptr(stdout), "stdout")
	return &stdio{Writer: wire.JoinFrames(out), in: bufio.NewReaderSize(in, stdinBuffer), files: []*os.File{in, out}}, nil
}

func (s *stdio) Read(p []byte) (int, error) { return s.in.Read(p) }

// Close closes both ends.
func (s *stdio) Close() error { return errors.Join(s.files[0].Close(), s.files[1].Close()) }
