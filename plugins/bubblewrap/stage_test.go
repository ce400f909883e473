package bubblewrap

import (
	"bufio"
	"cmp"
	"os"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/memfile"
	"github.com/computclaw/airlock/plugins/procfs"
	"github.com/computclaw/airlock/plugins/sandboxtest"
)

// TestNothingOutlivesBwrap ends the first step while its child ignores every signal, as bwrap's
// does after clone. That moment is too short to hit, so a script stands in for bwrap.
func TestNothingOutlivesBwrap(t *testing.T) {
	guest, err := memfile.Seal("airlock-init", sandboxtest.Guest(t))
	if err != nil {
		t.Fatal(err)
	}
	defer guest.Close()
	h := &host{guest: guest, bwrap: writeScript(t, "/bin/sleep 600 &\necho ready\nwait\n"), spawner: newSpawner(),
		uids: &atomic.Uint32{}, limiter: polled{}}
	p, err := h.stage(purpose{limits: plugins.Limits{Pids: 100, Files: 100}, command: []string{"/airlock-init"}})
	if err != nil {
		t.Fatal(err)
	}
	defer p.CloseOurs()
	if line, err := bufio.NewReader(p.stdio.Stdout).ReadString('\n'); line != "ready\n" {
		_ = p.cmd.Process.Kill()
		t.Fatalf("%q, %v", line, err)
	}

	var pids []int
	for _, p := range procfs.Tree(p.cmd.Process.Pid) {
		pids = append(pids, p.PID)
	}
	if len(pids) != 2 {
		t.Fatalf("processes %v, want the first step and its child", pids)
	}
	child, err := unix.PidfdOpen(pids[1], 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(child)
	defer func() { _ = unix.PidfdSendSignal(child, unix.SIGKILL, nil, 0) }()
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
	if n, err := unix.Poll([]unix.PollFd{{Fd: int32(child), Events: unix.POLLIN}}, 0); n != 1 {
		t.Errorf("the child lives on after the first step was reaped (%v)", err)
	}
}

// writeScript makes a shell script that everybody may run. The first step isn't root.
func writeScript(t *testing.T, commands string) (path string) {
	f, err := os.CreateTemp("", "airlock-test-*.sh")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Remove(f.Name()) })
	_, err = f.WriteString("#!/bin/sh\n" + commands)
	if err := cmp.Or(err, f.Chmod(0o755), f.Close()); err != nil {
		t.Fatal(err)
	}
	return f.Name()
}
