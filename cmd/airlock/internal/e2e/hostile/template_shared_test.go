package hostile_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
)

// besideScript locks all that every box has, and dies in a child with a robust mutex. Meanwhile
// another box does the same; inputs say who begins.
const besideScript = `
import ctypes, fcntl, json, os, sys, time
libc = ctypes.CDLL(None, use_errno=True)

def locked(name, take, *args):
    try:
        take(*args)
        return None
    except OSError as error:
        return [name, error.strerror]

refused = []
for fd in sorted(int(name) for name in os.listdir("/proc/self/fd")):
    try:
        kind = os.readlink("/proc/self/fd/%d" % fd).partition(":")[0]
    except OSError:
        continue  # what listed the others
    refused.append(locked("flock of %d %s" % (fd, kind), fcntl.flock, fd, fcntl.LOCK_EX | fcntl.LOCK_NB))
for path in ("/tmp/own", "/dev/shm/own"):
    file = open(path, "w")
    refused += [locked(path, fcntl.flock, file, fcntl.LOCK_EX | fcntl.LOCK_NB), locked(path, fcntl.lockf, file, fcntl.LOCK_EX | fcntl.LOCK_NB)]
    globals()[path] = file

# A robust mutex that its owner leaves: who comes next in this box is told so, and nobody elsewhere.
import mmap
memory = mmap.mmap(-1, 4096)
mutex, attributes = (ctypes.c_char * 64).from_buffer(memory), ctypes.create_string_buffer(64)
libc.pthread_mutexattr_init(attributes)
libc.pthread_mutexattr_setpshared(attributes, 1)
libc.pthread_mutexattr_setrobust(attributes, 1)
libc.pthread_mutex_init(mutex, attributes)
free = libc.pthread_mutex_trylock(mutex)
libc.pthread_mutex_unlock(mutex)
child = os.fork()
if child == 0:
    libc.pthread_mutex_lock(mutex)
    os._exit(0)
os.waitpid(child, 0)
left = libc.pthread_mutex_lock(mutex)
print("holds", flush=True)
time.sleep(3)
set_result({"refused": [r for r in refused if r], "free": free, "left": left, "address": id(json.__doc__),
    "processes": sorted(int(p) for p in os.listdir("/proc") if p.isdigit()),
    "foreign": [line for line in open("/proc/self/maps") if "/box" in line or "deleted" in line and "zero" not in line],
    "roots": [line.split()[3] for line in open("/proc/self/mountinfo") if "/tmp/box" in line]})`

// TestBoxesOfATemplateLockNothingOfEachOther: boxes hold the same locks at once, also on inherited
// descriptors. The death of a mutex's owner shows only in its own box.
func TestBoxesOfATemplateLockNothingOfEachOther(t *testing.T) {
	if !e2e.InNamespaces(t) {
		return
	}
	in, same := startForked(t, 3)
	var all []e2e.Execution
	for _, profile := range []string{same, same, in.PlaceProfile("bubblewrap")} {
		all = append(all, in.Submit(profile, besideScript, time.Minute))
	}
	const ownerDead = 130
	addresses := map[int64]bool{}
	for i, x := range all {
		x = in.Await(x, time.Minute)
		if x.Status != "completed" {
			t.Fatalf("%s: %s", x.Status, x.Error)
		}
		var found struct {
			Refused, Foreign, Roots []any
			Free, Left              int
			Address                 int64
			Processes               []int
		}
		e2e.Must(t, json.Unmarshal(x.Result, &found))
		if len(found.Refused)+len(found.Foreign)+len(found.Roots) > 0 || found.Free != 0 || found.Left != ownerDead ||
			len(found.Processes) != 2 {
			t.Errorf("box %d: %s", i, x.Result)
		}
		addresses[found.Address] = true
	}
	if len(addresses) != 1 {
		t.Errorf("the boxes are of different templates: %v", addresses)
	}
}

// searchScript returns which of inputs' words its memory holds; it puts the first there. Words come
// in two halves, so that the search doesn't find itself.
const searchScript = `
import re
halves = inputs["words"]
own = "".join(inputs["own"])
found, size = set(), 0
with open("/proc/self/maps") as maps, open("/proc/self/mem", "rb", 0) as memory:
    for line in maps.readlines():
        begin, end = (int(part, 16) for part in line.split()[0].split("-"))
        if line.split()[1][0] != "r" or "[v" in line:
            continue
        try:
            memory.seek(begin)
            content = memory.read(end - begin)
        except OSError:
            continue
        size += len(content)
        for first, second in halves + [inputs["own"]]:
            at = content.find(first.encode())
            while at >= 0:
                if content[at + len(first):at + len(first) + len(second)] == second.encode():
                    found.add(first)
                at = content.find(first.encode(), at + 1)
        del content
set_result({"found": sorted(found), "size": size})`

// TestATemplateKnowsNoSecret: after runs with values, neither the template's memory nor another
// profile's box has one.
func TestATemplateKnowsNoSecret(t *testing.T) {
	if !e2e.InNamespaces(t) {
		return
	}
	in, profile := startForked(t, 1)
	const first, second = "a-plain-value-that-", "only-one-profile-has"
	in.Admin(first+second, "credential", "set", "WORD", "--mode", "plain")
	knows := in.PlaceProfile("bubblewrap", "--key", "WORD")
	for range 3 {
		x := in.Await(in.Submit(knows, "set_result(len(settings['WORD']))", time.Minute), time.Minute)
		if string(x.Result) != strconv.Itoa(len(first+second)) {
			t.Fatalf("%s %s: %s", x.Status, x.Error, x.Result)
		}
	}
	var pids []int
	for _, pid := range templates(in) {
		for _, p := range e2e.Under(t, pid) {
			if !strings.Contains(p.Line, "airlock-init guests") {
				pids = append(pids, p.PID)
			}
		}
	}
	read := 0
	for _, pid := range pids {
		content := memoryOf(t, pid)
		read += len(content)
		for what, text := range map[string]string{"a value": first + second, "a profile": knows} {
			if bytes.Contains(content, []byte(text)) {
				t.Errorf("process %d of the template has %s", pid, what)
			}
		}
	}
	if read < 4<<20 {
		t.Errorf("only %d bytes of %v could be read", read, pids)
	}
	inputs := fmt.Sprintf("inputs = {'words': [[%q, %q]], 'own': ['is-', 'here']}\n", first, second)
	x := complete(t, in, profile, inputs+searchScript)
	var found struct {
		Found []string
		Size  int
	}
	e2e.Must(t, json.Unmarshal(x.Result, &found))
	if len(found.Found) != 1 || found.Found[0] != "is-" || found.Size < 4<<20 {
		t.Errorf("%s", x.Result)
	}
}

// memoryOf returns a process's readable memory; nothing if it ended.
func memoryOf(t *testing.T, pid int) (all []byte) {
	t.Helper()
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	e2e.Must(t, err)
	memory, err := os.Open(fmt.Sprintf("/proc/%d/mem", pid))
	e2e.Must(t, err)
	defer memory.Close()
	for line := range strings.Lines(string(maps)) {
		var begin, end int64
		var mode string
		if _, err := fmt.Sscanf(line, "%x-%x %s", &begin, &end, &mode); err != nil || mode[0] != 'r' {
			continue
		}
		part := make([]byte, end-begin)
		n, _ := memory.ReadAt(part, begin)
		all = append(all, part[:n]...)
	}
	return all
}

// TestTheGuestsOfATemplateKeepNothingOfABox: boxes leave no descriptors open.
func TestTheGuestsOfATemplateKeepNothingOfABox(t *testing.T) {
	if !e2e.InNamespaces(t) {
		return
	}
	in, profile := startForked(t, 0)
	open := func() int {
		count := 0
		for _, p := range in.Processes() {
			if strings.HasSuffix(strings.TrimSpace(p.Line), "/airlock-init guests") {
				entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", p.PID))
				e2e.Must(t, err)
				count += len(entries)
			}
		}
		return count
	}
	run := func(script string, timeout time.Duration) {
		in.Await(in.Submit(profile, script, timeout), time.Minute)
	}
	run("set_result(1)", time.Minute)
	before := open()
	for range 5 {
		run("set_result(1)", time.Minute)
		run("import os\nos.fork()\nos.abort()", time.Minute)
		run("import time\ntime.sleep(100)", time.Second)
	}
	e2e.Eventually(t, 20*time.Second, "what boxes had open is closed", func() bool { return open() <= before })
}
