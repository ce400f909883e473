package sandboxtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"

	"github.com/computclaw/airlock/plugins"
)

type testCase struct {
	name      string
	test      func(t *testing.T, b *bench)
	essential bool // see Options.Essential
}

func cases() []testCase {
	return []testCase{
		{"exit codes", exitCodes, true},
		{"stdin to stdout", echo, true},
		{"end of stdin ends the guest", endOfStdin, true},
		{"big output", bigOutput, true},
		{"guest blocks while stdout is not read", backPressure, true},
		{"context kills", contextKills, true},
		{"context kills behind unread stdin", killBehindStdin, true},
		{"context kills behind unread stdout", killBehindStdout, true},
		{"failing stdout ends the box", failingStdout, true},
		{"grandchildren die with the guest", grandchildren, true},
		{"memory limit", memoryLimit, false},
		{"memory of many processes", memoryOfMany, false},
		{"memory out of sight", memoryOutOfSight, false},
		{"fork bomb", forkBomb, false},
		{"busy loop is killed", busyLoop, true},
		{"resource limits", resourceLimits, true},
		{"shared memory", sharedMemory, true},
		{"hostile scripts", hostile, false},
		{"usage of an open box", usageWhileOpen, true},
		{"usage tells of limits", usageTellsOfLimits, false},
		{"next box is fresh", nextBoxIsFresh, true},
		{"boxes do not see each other", neighbours, true},
		{"bad specs", badSpecs, false},
		{"many at once", manyAtOnce, true},
		{"descriptors do not leak", descriptorsDoNotLeak, true},
		{"a check that is cut short", checkCutShort, true},
		{"plugin killed", pluginKilled, true},
		{"host killed", hostKilled, true},
	}
}

func exitCodes(t *testing.T, b *bench) {
	codes := []int{0, 1, 42, 126, 127, 137, 255, 128, 143, 2, 99, 124, 129, 139, 254}
	for _, code := range codes[:b.pick(4, 9, len(codes))] {
		r := b.run(t, plugins.Spec{}, Order{Exit: &code})
		if r.Code != code || r.Signal != 0 || r.Reason != plugins.ReasonExit {
			t.Errorf("exit code %d came back as %+v", code, r.Exit)
		}
	}
	counted := false // some backends sample, and a box may be over before the first sample
	for try := 0; try < 5 && !counted; try++ {
		r := b.run(t, plugins.Spec{}, python("print(sum(range(10**7)))"))
		if r.Code != 0 || r.out != "49999995000000\n" {
			t.Errorf("python: %+v, output %q", r.Exit, r.out)
		}
		counted = r.CPUTime > 0 && r.PeakMemory > 0
	}
	if !counted {
		t.Error("five boxes ended, and none is said to have used time and memory")
	}
}

func grandchildren(t *testing.T, b *bench) {
	const code = `
import os, signal, sys, time
for depth in range(3):  # a daemon, a daemon's daemon, and one that hears nothing
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            for s in range(1, 65):
                try: signal.signal(s, signal.SIG_IGN)
                except (OSError, ValueError): pass
            time.sleep(10000)
        os._exit(0)
print('left')
`
	mark := token()
	r := b.run(t, plugins.Spec{}, python(code, mark))
	if r.Code != 0 || r.out != "left\n" {
		t.Errorf("Run = %+v, output %q", r.Exit, r.out)
	}
	noneWith(t, mark, 0)
}

func nextBoxIsFresh(t *testing.T, b *bench) {
	const leave = `
import os
for d in (".", "/tmp", "/dev/shm", "/var/tmp"):
    try: open(d + "/left-behind", "w").write("x")
    except OSError: pass
path = os.getcwd()
for i in range(300):  # a tree that is hard to clear away
    path += "/" + "d\n" * 60
    try: os.mkdir(path)
    except OSError: break
print(os.listdir(".") != [])
`
	if r := b.run(t, plugins.Spec{}, python(leave)); r.out != "True\n" {
		t.Fatalf("nothing could be left: %q", r.out)
	}
	const look = `
import os
found = os.listdir(".")
for d in ("/tmp", "/dev/shm", "/var/tmp"):
    try: found += [open(d + "/left-behind").name]
    except OSError: pass
print(found)
`
	if r := b.run(t, plugins.Spec{}, python(look)); r.out != "[]\n" {
		t.Errorf("a later box found %s", r.out)
	}
}

func neighbours(t *testing.T, b *bench) {
	// Where a box shares the host's network it can't listen at all.
	const listen = `
import socket, time
l = []
for family, address in ((socket.AF_INET, ("0.0.0.0", 8765)), (socket.AF_UNIX, "\0airlock-test")):
    s = socket.socket(family)
    try: s.bind(address); s.listen(); l.append(s)
    except PermissionError: pass
print("up", flush=True); time.sleep(1000)
`
	const connect = `
import socket
for family, address in ((socket.AF_INET, ("127.0.0.1", 8765)), (socket.AF_UNIX, "\0airlock-test")):
    try:
        socket.socket(family).connect(address); print("connected", address)
    except OSError as e: print(e.strerror)
`
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stdout, up := awaitUp()
	done := b.start(ctx, plugins.Spec{}, python(listen), stdout)
	receive(t, "listener", up, patience)
	r := b.run(t, plugins.Spec{}, python(connect))
	if want := "Connection refused\nConnection refused\n"; r.out != want {
		t.Errorf("a box reached another: %q", r.out)
	}
	cancel()
	wantKilled(t, <-done)
}

func badSpecs(t *testing.T, b *bench) {
	for name, spec := range map[string]plugins.Spec{
		"no id":            {},
		"path in id":       {ID: "../x"},
		"no memory":        {ID: "a", Limits: plugins.Limits{Memory: 1}},
		"negative memory":  {ID: "a", Limits: plugins.Limits{Memory: -1}},
		"negative pids":    {ID: "a", Limits: plugins.Limits{Pids: -1}},
		"negative cpu":     {ID: "a", Limits: plugins.Limits{CPU: -1}},
		"no such runtime":  {ID: "a", Runtime: "/nonexistent"},
		"relative runtime": {ID: "a", Runtime: "../.."},
	} {
		stdin, end := order(Order{Echo: true})
		_, err := b.sandbox.Run(t.Context(), spec, stdin, io.Discard)
		end()
		if err == nil {
			t.Errorf("%s: no error", name)
		}
		if errors.Is(err, plugins.ErrLost) {
			t.Errorf("%s: %v, want the backend's own words", name, err)
		}
	}
	spec := plugins.Spec{ID: "twice-" + token(), Limits: limits()}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stdout, up := awaitUp()
	done := b.start(ctx, spec, sleeper(token()), stdout)
	awaitBox(t, up, done)
	if r := <-b.start(t.Context(), spec, Order{Echo: true}, io.Discard); r.err == nil {
		t.Error("two boxes with one id")
	}
	cancel()
	wantKilled(t, <-done)
}

func manyAtOnce(t *testing.T, b *bench) {
	var wg sync.WaitGroup
	for i := range b.pick(8, 24, 24) {
		wg.Go(func() {
			want := fmt.Sprintf("%d\n", i*i)
			r := b.run(t, plugins.Spec{}, python(fmt.Sprintf("import time; time.sleep(0.2); print(%d * %d)", i, i)))
			if r.Code != 0 || r.out != want {
				t.Errorf("box %d: %+v, output %q", i, r.Exit, r.out)
			}
		})
	}
	wg.Wait()
}

func descriptorsDoNotLeak(t *testing.T, b *bench) {
	code := 0
	b.run(t, plugins.Spec{}, Order{Exit: &code})
	before := b.descriptors(t)
	for range b.pick(6, 6, 20) { // one that each box leaves is more than is let pass
		b.run(t, plugins.Spec{}, Order{Exit: &code})
	}
	eventually(t, patience, func() []string {
		if after := b.descriptors(t); after > before+2 {
			return []string{fmt.Sprintf("%d descriptors before, %d after", before, after)}
		}
		return nil
	})
}
