package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/computclaw/airlock/plugins/netns"
	"github.com/computclaw/airlock/plugins/osthread"
	"github.com/computclaw/airlock/plugins/template"
)

// order is the first line of stdin. It mirrors sandboxtest.Order.
type order struct {
	Exit *int     `json:"exit"` // end at once with this code
	Echo bool     `json:"echo"` // copy stdin to stdout; end with 0 at end of file
	Argv []string `json:"argv"` // run this, its stderr joined to stdout; end with its code, or 128+signal
	Hold bool     `json:"hold"` // after Argv ended, stay until the end of stdin
}

// threads are more than it ever needs. Two block in reading and waiting; the others are the
// runtime's own.
const threads = 8

// codeEOF is how the guest ends when its stdin ends before what it runs.
const codeEOF = 99

func main() {
	if len(os.Args) > 1 && os.Args[1] == "netns" {
		fmt.Fprintln(os.Stderr, "testguest:", netns.Become(os.Args[2:]))
		os.Exit(1)
	}
	if len(os.Args) > 1 && os.Args[1] == template.Mode {
		fmt.Fprintln(os.Stderr, "testguest:", template.Become("/usr/bin/python3", "", []string{}))
		os.Exit(1)
	}
	// Boxes whose supervisor has to see their memory don't allow it.
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil && !errors.Is(err, unix.EPERM) {
		fail(err)
	}
	// What runs must not inherit what a backend left open.
	if err := unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		fail(err)
	}
	signal.Notify(make(chan os.Signal, 1)) // caught and dropped: what is in the box must not end it
	in := bufio.NewReader(os.Stdin)
	line, err := in.ReadBytes('\n')
	if errors.Is(err, io.EOF) {
		os.Exit(codeEOF)
	}
	var o order
	if err := json.Unmarshal(line, &o); err != nil {
		fail(err)
	}
	os.Exit(follow(o, in))
}

func follow(o order, in *bufio.Reader) int {
	switch {
	case o.Exit != nil:
		return *o.Exit
	case o.Echo:
		if _, err := io.Copy(os.Stdout, in); err != nil {
			fail(err)
		}
		return 0
	default:
		return run(o, in)
	}
}

func run(o order, in io.Reader) int {
	osthread.Reserve(threads)
	cmd := exec.Command(o.Argv[0], o.Argv[1:]...)
	cmd.Env = []string{"PATH=/usr/bin:/bin", "PYTHONHASHSEED=0"}
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stdout
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		fail(err)
	}
	if err := cmd.Start(); err != nil {
		fail(err)
	}
	eof := make(chan struct{})
	go func() {
		_, _ = io.Copy(stdin, in)
		_, _ = io.Copy(io.Discard, in) // the child may have closed its end
		close(eof)
	}()
	done := make(chan int, 1)
	go reap(cmd.Process.Pid, done)
	select {
	case code := <-done:
		if o.Hold {
			<-eof
		}
		return code
	case <-eof:
		return codeEOF
	}
}

// reap collects every child, as PID 1 must, and reports how one of them ended.
func reap(pid int, done chan<- int) {
	for {
		var ws unix.WaitStatus
		got, err := unix.Wait4(-1, &ws, 0, nil)
		switch {
		case err == unix.EINTR:
		case err != nil:
			return
		case got != pid:
		case ws.Signaled():
			done <- 128 + int(ws.Signal())
		default:
			done <- ws.ExitStatus()
		}
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "testguest:", err)
	os.Exit(1)
}
