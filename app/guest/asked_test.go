package guest

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func lines(r *recorder) map[string]int {
	r.mu.Lock()
	defer r.mu.Unlock()
	got := map[string]int{}
	for _, a := range r.asked {
		got[a.Host] = a.Line*100_000 + a.Port
	}
	return got
}

func TestAskedTellsTheScriptsLine(t *testing.T) {
	r := &recorder{}
	f := execute(t, job(`import socket, threading, asyncio, http.client
def fetch(host, port):
    try:
        http.client.HTTPSConnection(host, port, timeout=1).request("GET", "/")
    except OSError:
        pass
fetch("API.Example.com.", 8443)
fetch("api.example.com", 8443)
try: socket.getaddrinfo(b"bytes.example", "https")
except OSError: pass
try: socket.create_connection(("192.0.2.9", 5432), timeout=0.01)
except OSError: pass
try: socket.create_connection(("localhost", 1), timeout=0.01)
except OSError: pass
async def main():
    try:
        await asyncio.open_connection("loop.example", 80)
    except OSError:
        pass
asyncio.run(main())
thread = threading.Thread(target=fetch, args=("thread.example", 443))
thread.start(); thread.join()
local = socket.socket(socket.AF_UNIX)
try: local.connect("/tmp/none")
except OSError: pass
set_result("done")
`), r)
	if string(f.Result) != `"done"` || f.err != nil {
		t.Fatalf("%s %v %+v", f.Result, f.err, f.Failed)
	}
	want := map[string]int{
		"api.example.com": 4_08443, "bytes.example": 9_00443, "192.0.2.9": 11_05432, "loop.example": 17_00080,
		"thread.example": 4_00443,
	}
	if diff := cmp.Diff(want, lines(r)); diff != "" {
		t.Error(diff)
	}
	if len(r.asked) != len(want) {
		t.Errorf("%d claims, want each place once: %v", len(r.asked), r.asked)
	}
}

func TestAskedIsBoundedAndHarmless(t *testing.T) {
	for name, text := range map[string]string{
		"many hosts": `
import socket
for n in range(1000):
    try: socket.getaddrinfo("h%d.example" % n, 443, flags=socket.AI_NUMERICHOST)
    except OSError: pass
set_result("done")`,
		"straight to Airlock": `
import os
for n in range(5000):
    body = b'{"asked": {"host": "h%d.example", "port": 443, "line": 7}}' % n
    os.write(3, len(body).to_bytes(4, "big") + body)
set_result("done")`,
		"nonsense": `
import os
for claim in (b'{"host": "a b", "port": 1, "line": 1}', b'{"host": "a", "port": -1, "line": 1}', b'{"host": "a", "port": 70000, "line": 1}', b'{"host": "a", "port": 1, "line": -1}', b'{"host": "a", "port": 1, "line": 4611686018427387904}'):
    body = b'{"asked": ' + claim + b'}'
    os.write(3, len(body).to_bytes(4, "big") + body)
set_result("done")`,
		"closed channel": `
import os, socket
os.close(3)
try: socket.getaddrinfo("h.example", 443)
except OSError as error: print(error)
os._exit(0)`,
		"odd arguments": `
import socket
for args in ((None, 80), ("", 80), ("x" * 5000, 80), ("\udcff", 1), (b"\xff", 1), ("h.example", "odd"), ("h.example", None), ("h.example", 10**30)):
    try: socket.getaddrinfo(*args, flags=socket.AI_NUMERICHOST)
    except (OSError, UnicodeError, OverflowError): pass
set_result("done")`,
		"in a signal handler": `
import signal, socket, threading
def handler(*_):
    try: socket.getaddrinfo(b"signal.example", 443, flags=socket.AI_NUMERICHOST)
    except OSError: pass
signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0005)
for n in range(2000): set_result("x" * 5000)
signal.setitimer(signal.ITIMER_REAL, 0)
set_result("done")`,
		"fork": `
import os, socket
if os.fork() == 0:
    try: socket.getaddrinfo("child.example", 443, flags=socket.AI_NUMERICHOST)
    except OSError: pass
    os._exit(0)
print(os.wait()[1])
set_result("done")`,
	} {
		t.Run(name, func(t *testing.T) {
			r := &recorder{}
			f := execute(t, job(text), r)
			if f.err != nil || f.Exited.Code != 0 || f.Exited.Signal != 0 ||
				name != "closed channel" && string(f.Result) != `"done"` {
				t.Errorf("%.200s %v %+v", f.Result, f.err, f.Failed)
			}
			if len(r.asked) > maxAsked || (name == "nonsense" || name == "fork") && len(r.asked) > 0 {
				t.Errorf("%d claims", len(r.asked))
			}
		})
	}
}

// TestPsycopg2IsAsked: it looks names up and connects in C.
func TestPsycopg2IsAsked(t *testing.T) {
	r := &recorder{}
	f := execute(t, job(`
try:
    import psycopg2
    psycopg2.connect("postgresql://u:p@db.example.com:6543/d", connect_timeout=1)
except Exception as error: print(type(error).__name__)
set_result("done")`), r)
	if string(f.Result) != `"done"` {
		t.Fatalf("%v %+v", f.err, f.Failed)
	}
	if diff := cmp.Diff(map[string]int{"db.example.com": 4_06543}, lines(r)); diff != "" {
		t.Errorf("%s\n%s", diff, f.stdout)
	}
}

func TestAskedIsCheap(t *testing.T) {
	f := script(t, `
import socket, sys, time
def look(name):
    begin = time.thread_time()
    try: socket.getaddrinfo(name, 443, flags=socket.AI_NUMERICHOST)
    except OSError: pass
    return time.thread_time() - begin
def deep(n, name): return look(name) if n == 0 else deep(n - 1, name)
first = sorted(deep(30, "h%d.example" % n) for n in range(150))[75]
for n in range(60): look("x%d.example" % n)
beyond = sorted(look("x1.example") for n in range(300))[150]
set_result([first, beyond])`)
	var us [2]float64
	if err := json.Unmarshal(f.Result, &us); err != nil {
		t.Fatalf("%v %+v", err, f.Failed)
	}
	t.Logf("look-up that is told: %.1f µs, look-up without: %.1f µs", us[0]*1e6, us[1]*1e6)
	if added := (us[0] - us[1]) * 1e6; added > 200 { // the target is 20 µs; a machine in use must not fail the test
		t.Errorf("the hook takes %.1f µs", added)
	}
}
