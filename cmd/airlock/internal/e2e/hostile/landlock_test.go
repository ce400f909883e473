package hostile_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
)

// TestLandlockFromInside tests the real guest in boxes that share the host's namespaces. It
// includes a question from a box that is frozen from outside.
func TestLandlockFromInside(t *testing.T) {
	t.Parallel()
	in := e2e.StartInstance(t, "AIRLOCK_SANDBOX=landlock", "AIRLOCK_POOL=0",
		"AIRLOCK_LOCAL_SERVICES=web.test:8080=127.0.0.1:9")
	profile := in.Admin("", "profile", "create", "--description", "landlock", "--host", "web.test:8080")
	in.Admin("", "profile", "lock", profile)
	run := func(script string) e2e.Execution {
		// all fork: on a busy machine it may take long to reach a limit
		return in.Await(in.Submit(profile, script, 2*time.Minute), 3*time.Minute)
	}

	x := run(`
import getpass, os, signal, socket, tempfile, threading
bad = []
if getpass.getuser() != "nobody": bad.append(getpass.getuser())
# The guest is in the same box, but one wall further out, with all its threads.
for pid in range(os.getppid(), os.getpid()):
    for number in (0, signal.SIGSTOP, signal.SIGKILL):
        try:
            if os.getsid(pid) != os.getsid(0):
                os.kill(pid, number)
                bad.append("signalled %d, the guest is %d" % (pid, os.getppid()))
        except OSError: pass
for fd in range(3, 64):
    try:
        if not os.path.samestat(os.fstat(fd), os.fstat(0)) and fd != 3:
            bad.append("descriptor %d" % fd) # the runner keeps a copy of the empty input
    except OSError: pass
if socket.gethostbyname("localhost") != "127.0.0.1": bad.append("localhost")
for name in ("example.com", "sub.web.test"):
    try: bad.append(name + " is " + socket.gethostbyname(name))
    except OSError: pass
try: socket.create_connection(("web.test", 9999), 5); bad.append("another port")
except ConnectionRefusedError: pass
with tempfile.NamedTemporaryFile() as f:
    if not f.name.startswith(os.environ["HOME"]): bad.append(f.name)
threads = [threading.Thread(target=socket.gethostbyname, args=("web.test",)) for _ in range(16)]
[t.start() for t in threads]; [t.join() for t in threads]
set_result(bad)`)
	if x.Status != "completed" || string(x.Result) != "[]" {
		t.Errorf("%s %s %s %s", x.Status, x.Result, x.Error, x.Stderr)
	}

	// A thread and a child that compute stop while the question is open.
	asked := in.Submit(profile, `
import os, threading, time
count = 0
def work():
    global count
    while True: count += 1
threading.Thread(target=work, daemon=True).start()
r, w = os.pipe()
if os.fork() == 0:
    while True: os.write(w, b"x") if os.times().user > 0 else 0
time.sleep(0.2)
spent = sum(os.times()[:2])
llm.complete("go on?")
set_result(sum(os.times()[:2]) - spent < 0.5)`, 20*time.Second)
	e2e.Eventually(t, 20*time.Second, "the question is asked", func() bool {
		var now e2e.Execution
		in.Call(http.MethodGet, "/executions/"+asked.ID, nil, &now)
		return now.Status == "awaiting_llm"
	})
	time.Sleep(time.Second) // the time in which it doesn't compute
	in.Call(http.MethodPost, "/executions/"+asked.ID+"/respond", map[string]any{"response": "yes"}, nil)
	if x := in.Await(asked, time.Minute); x.Status != "completed" || string(x.Result) != "true" {
		t.Errorf("frozen: %s %s %s", x.Status, x.Result, x.Error)
	}

	for script, want := range map[string]string{
		"i = 0\nwhile True:\n    i += 1\n    open(str(i), 'wb').write(b'x' * (1 << 20))": "AIRLOCK_LIMIT_TMP",
		"x = []\nwhile True: x.append(bytearray(b'1') * (8 << 20))":                      "AIRLOCK_LIMIT_MEMORY",
		"import os\nwhile True: os.fork()":                                               "AIRLOCK_LIMIT_PIDS",
		"import os, signal\nos.kill(os.getpid(), signal.SIGKILL)":                        "signal 9",
	} {
		if x := run(script); x.Status != "error" || !strings.Contains(x.Error, want) {
			t.Errorf("%q: %s %q, want %q", script, x.Status, x.Error, want)
		}
	}
	if left := in.Descendants(); len(left) > 0 {
		t.Errorf("processes are left: %q", left)
	}
}
