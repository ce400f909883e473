package sandboxtest

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/rlimit"
)

func wantOOM(t *testing.T, r result, limit int64) {
	t.Helper()
	if r.Reason != plugins.ReasonOOM {
		t.Errorf("Run = %+v, output %q, want oom", r.Exit, r.out)
	}
	if r.PeakMemory < limit/2 {
		t.Errorf("peak memory %d of %d", r.PeakMemory, limit)
	}
}

func memoryLimit(t *testing.T, b *bench) {
	for name, code := range map[string]string{
		"bytes": "held = [bytearray(b'\\1') * (8 << 20) for i in range(128)]",
		"child": "import os\nif os.fork() == 0: held = bytearray(b'\\1') * (1 << 30)\n" +
			"os.wait(); import time; time.sleep(1000)",
	} {
		t.Run(name, func(t *testing.T) { wantOOM(t, b.run(t, plugins.Spec{}, python(code)), limits().Memory) })
	}
	t.Run("files", func(t *testing.T) {
		r := b.run(t, plugins.Spec{},
			python("[open(str(i), 'w').close() for i in range(10**6)]; held = bytearray(b'\\1') * (1 << 30)"))
		// Files in memory run into its limit; others into their own.
		if r.Reason == plugins.ReasonTmp && b.report.Enforced["tmp"] != "tmpfs" {
			return
		}
		wantOOM(t, r, limits().Memory)
	})
	t.Run("code 137 is not oom", func(t *testing.T) {
		r := b.run(t, plugins.Spec{}, python("import os; os.kill(os.getpid(), 9)"))
		if r.Reason != plugins.ReasonExit || r.Code != 137 {
			t.Errorf("Run = %+v, want code 137", r.Exit)
		}
	})
}

// memoryOfMany is over the limit only together.
func memoryOfMany(t *testing.T, b *bench) {
	const code = `
import os, time
for i in range(8):
    if os.fork() == 0:
        held = bytearray(b'\1') * (24 << 20)
        time.sleep(1000)
time.sleep(1000)
`
	wantOOM(t, b.run(t, plugins.Spec{}, python(code)), limits().Memory)
}

// memoryOutOfSight checks memory that no visible process seems to have. A box may be refused it, or
// end for it.
func memoryOutOfSight(t *testing.T, b *bench) {
	code, err := scripts.ReadFile("scripts/memory.py")
	if err != nil {
		t.Fatal(err)
	}
	for _, way := range []string{
		"shared", "zero", "page_tables", "memory_files", "own_descriptors", "close_range", "mapped_files",
		"in_a_socket", "unreadable", "no_first_thread", "removed_files", "unreadable_removed_files",
	} {
		t.Run(way, func(t *testing.T) {
			spec := plugins.Spec{Limits: limits()}
			spec.Limits.Tmp = 32 << 20
			if r := b.run(t, spec, python(string(code), way, string(code))); r.err != nil ||
				strings.Contains(r.out, "kept") {
				t.Errorf("a box of %d MiB had more: %+v\n%s", spec.Limits.Memory>>20, r.Exit, r.out)
			}
		})
	}
}

func forkBomb(t *testing.T, b *bench) {
	const code = `
import os
while True:
    try: os.fork()
    except OSError: pass
`
	mark := token()
	// Where the kernel counts refusals, the backend ends the box by itself.
	want, limit := plugins.ReasonPids, patience
	if b.report.Enforced["pids"] != "cgroup" || b.opts.UncountedForks {
		want, limit = plugins.ReasonKilled, 3*time.Second
	}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	spec := plugins.Spec{Limits: limits()}
	spec.Limits.Memory = 512 << 20 // or so many interpreters reach that limit first
	r := receive(t, "exit", b.start(ctx, spec, python(code, mark), &bytes.Buffer{}), 2*patience)
	if r.err != nil || r.Reason != want || !r.PidsHit {
		t.Errorf("Run = %+v, want %s with the process limit hit", r, want)
	}
	noneWith(t, mark, 0)
}

func busyLoop(t *testing.T, b *bench) {
	const code = `
import os
for i in range(4): os.fork()
while True: pass
`
	mark := token()
	spec := plugins.Spec{Limits: limits()}
	spec.Limits.CPU = 0.5
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	r := receive(t, "exit", b.start(ctx, spec, python(code, mark), &bytes.Buffer{}), patience)
	wantKilled(t, r)
	if b.report.Enforced["cpu"] != "" && r.CPUTime > 1500*time.Millisecond {
		t.Errorf("used %s of processor time in 2s at half a core", r.CPUTime)
	}
	noneWith(t, mark, 0)
}

// resourceLimits are the same on every backend, but for the size of one file.
func resourceLimits(t *testing.T, b *bench) {
	numbers := map[string]int{}
	want := map[string]int64{}
	for _, l := range rlimit.OfBox(limits().Files, 0) {
		number, err := l.Resource()
		if err != nil {
			t.Fatal(err)
		}
		if l.Name != "fsize" {
			numbers[l.Name], want[l.Name] = number, l.Value
		}
	}
	in, err := json.Marshal(numbers)
	if err != nil {
		t.Fatal(err)
	}
	r := b.run(t, plugins.Spec{}, python(`
import json, resource, sys
limits = {name: resource.getrlimit(n) for name, n in json.loads(sys.argv[1]).items()}
print(json.dumps({name: hard for name, (soft, hard) in limits.items() if soft == hard}))`, string(in)))
	got := map[string]int64{}
	if err := json.Unmarshal([]byte(r.out), &got); err != nil || !maps.Equal(got, want) {
		t.Errorf("a box has the limits %s, want %v (%v)", r.out, want, err)
	}
}

// sharedMemory checks a box's own /dev/shm. A polling limiter counts mapped files twice, so a box
// can't use all of it at once.
func sharedMemory(t *testing.T, b *bench) {
	if b.report.Tier == plugins.TierRestricted {
		return
	}
	r := b.run(t, plugins.Spec{}, python(`
from multiprocessing.shared_memory import SharedMemory
size = int(__import__("sys").argv[1])
block = SharedMemory(create=True, size=size)
block.buf[:] = bytes([7]) * size
print(sum(block.buf[::4096]) == 7 * len(block.buf[::4096]))
block.close()
block.unlink()`, strconv.FormatInt(limits().Shm()/2, 10)))
	if r.out != "True\n" || r.Reason != plugins.ReasonExit {
		t.Errorf("shared memory of %d MiB: %+v %q", limits().Shm()/2>>20, r.Exit, r.out)
	}
}
