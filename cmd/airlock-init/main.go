package main

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

func main() {
	err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "airlock-init:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) > 0 && args[0] == "netns" {
		return netns(args[1:])
	}
	if len(args) > 0 {
		return fmt.Errorf("unknown argument %q", args[0])
	}
	// Ending a box means killing every process there is. Anywhere but in a box's own pid namespace that would be a disaster.
	if os.Getpid() != 1 {
		return errors.New("must be PID 1 of a box")
	}
	if err := harden(); err != nil {
		return err
	}
	tame()
	pipe, err := newStdio()
	if err != nil {
		return err
	}
	return serve(pipe)
}

// harden closes this process to the script, which has the same user id, and lowers what its children may do.
func harden() error {
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("set non-dumpable: %w", err)
	}
	if _, _, errno := syscall.AllThreadsSyscall6(unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0, 0); errno != 0 {
		return fmt.Errorf("set no new privileges: %w", errno)
	}
	if err := setRlimit("core", 0); err != nil {
		return err
	}
	if err := ignoreSignals(); err != nil {
		return err
	}
	return nil
}
