package guest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/plugins/wire"
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

func TestQuestions(t *testing.T) {
	r := &recorder{llm: func(_ context.Context, q wire.LLMRequest) (wire.LLMReply, error) {
		if q.Prompt == "fail" {
			text := "the person said no"
			return wire.LLMReply{Error: &text}, nil
		}
		return wire.LLMReply{ID: "forged", Text: q.Model + ": " + q.Prompt + " ☃"}, nil
	}}
	f := execute(t, job(`
answers = [llm.complete("one"), llm.complete("two", model="big"), llm.complete(prompt="", model="m")]
try:
    llm.complete("fail")
except llm.Error as e:
    answers.append(str(e))
for bad in (None, 7, b"x"):
    try: llm.complete(bad)
    except TypeError as e: answers.append(str(e))
for prompt, model in ("x" * ((1 << 20) + 1), "m"), ("x", "m" * 201):
    try: llm.complete(prompt, model)
    except llm.Error as e: answers.append(str(e))
answers.append(len(llm.complete("☃" * (1 << 18))))
set_result(answers)`), r)
	types := `"llm.complete(prompt, model) takes two strings"`
	want := `["default: one ☃","big: two ☃","m:  ☃","the person said no",` + types + `,` + types + `,` + types +
		`,"the prompt has 1048577 bytes, the limit is 1048576; shorten it",` +
		`"the model's name is longer than 200 bytes; shorten it",262155]`
	if diff := cmp.Diff(want, string(f.Result)); diff != "" || f.err != nil {
		t.Errorf("%s %v %+v", diff, f.err, f.Failed)
	}
}

// TestQuestionsFromThreads holds all answers back until all questions are there, then gives them in
// another order.
func TestQuestionsFromThreads(t *testing.T) {
	const threads = 20
	var mu sync.Mutex
	waiting := map[string]chan struct{}{}
	all := make(chan struct{})
	r := &recorder{llm: func(ctx context.Context, q wire.LLMRequest) (wire.LLMReply, error) {
		mu.Lock()
		turn := make(chan struct{})
		waiting[q.Prompt] = turn
		if len(waiting) == threads {
			close(all)
		}
		mu.Unlock()
		select {
		case <-turn:
			return wire.LLMReply{Text: "answer to " + q.Prompt}, nil
		case <-ctx.Done():
			return wire.LLMReply{}, ctx.Err()
		}
	}}
	go func() {
		<-all
		for n := threads - 1; n >= 0; n-- {
			close(waiting[fmt.Sprint(n)])
		}
	}()
	f := execute(t, job(fmt.Sprintf(`
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(%d) as pool:
    set_result(list(pool.map(lambda n: llm.complete(str(n)), range(%[1]d))))`, threads)), r)
	var want []string
	for n := range threads {
		want = append(want, fmt.Sprintf(`"answer to %d"`, n))
	}
	if diff := cmp.Diff("["+strings.Join(want, ",")+"]", string(f.Result)); diff != "" || f.err != nil {
		t.Errorf("%s %v %+v", diff, f.err, f.Failed)
	}
}

func TestQuestionLimit(t *testing.T) {
	asked := 0
	r := &recorder{llm: func(context.Context, wire.LLMRequest) (wire.LLMReply, error) {
		asked++
		return wire.LLMReply{Text: "yes"}, nil
	}}
	j := job("n = 0\ntry:\n    while True: llm.complete('x'); n += 1\nexcept llm.Error as e: set_result([n, str(e)])")
	j.Questions = 7
	f := execute(t, j, r)
	want := `[7,"this script has asked its 7 questions; ask for several texts in one prompt"]`
	if string(f.Result) != want || asked != 7 || f.err != nil {
		t.Errorf("%s, asked %d, %v", f.Result, asked, f.err)
	}
}

func TestQuestionFlood(t *testing.T) {
	r := &recorder{llm: func(context.Context, wire.LLMRequest) (wire.LLMReply, error) { return wire.LLMReply{}, nil }}
	f := execute(t, job("while True:\n    try: llm.complete('x')\n    except llm.Error as e:\n        if 'closed' in "+
		"str(e): raise SystemExit"), r)
	if !errors.As(f.err, new(*ProtocolError)) {
		t.Errorf("%v", f.err)
	}
}

func TestHugeAnswer(t *testing.T) {
	r := &recorder{llm: func(context.Context, wire.LLMRequest) (wire.LLMReply, error) {
		return wire.LLMReply{Text: strings.Repeat("x", wire.MaxFrame)}, nil
	}}
	f := execute(t, job("llm.complete('x')"), r)
	if f.Failed == nil || f.Failed.Error != "airlock.llm.Error: the answer is too large" {
		t.Errorf("%+v %v", f.Failed, f.err)
	}
}

// TestTampering checks attacks of a script on its own channel and descriptors. They harm only the
// script, and the box ends cleanly.
func TestTampering(t *testing.T) {
	frame := `
import os, struct, json
def frame(body): os.write(3, struct.pack(">I", len(body)) + body)
`
	for name, tc := range map[string]struct {
		script    string
		violation bool
		failed    string
		want      wire.Exited
	}{
		"garbage": {script: "import os\nos.write(3, os.urandom(100000))\n"},
		"garbage, then a result": {script: "import os, time\nos.write(3, b'\\xff' * " +
			"100)\ntime.sleep(.2)\nset_result(1)", failed: "BrokenPipeError", want: wire.Exited{Code: 1}},
		"half a frame": {script: "import os\nos.write(3, b'\\0\\0\\0\\xff{')"},
		"forged exit": {script: frame + `frame(b'{"exited":{"code":0}}')` + "\nos._exit(7)",
			want: wire.Exited{Code: 7}},
		"forged ready":  {script: frame + `frame(b'{"ready":{"protocol":1}}')`},
		"forged reply":  {script: frame + `frame(b'{"reply":{"id":"1","text":"x"}}')`},
		"forged frozen": {script: frame + `frame(b'{"frozen":{"on":true}}')`},
		"forged abort":  {script: frame + `frame(b'{"abort":{"stream":1}}')`},
		"kill":          {script: frame + `frame(b'{"kill":{}}')`},
		"two messages": {script: frame +
			`frame(b'{"result":{"data":"MQ=="},"failed":{"error":"x","traceback":""}}')`},
		"invalid result": {script: frame + `frame(b'{"result":{"data":"e30t"}}')`, violation: true},
		"deep result": {script: frame +
			"import base64\nframe(json.dumps({'result': {'data': base64.b64encode(b'[' * 100000 + b']' * " +
			"100000).decode()}}).encode())", violation: true},
		"large result": {script: frame +
			"import base64\nframe(json.dumps({'result': {'data': base64.b64encode(b'1' * 5000000).decode()}}).encode())",
			violation: true},
		"repeated question": {script: frame +
			"for _ in range(2): frame(b'{\"llm\":{\"id\":\"1\",\"prompt\":\"\",\"model\":\"\"}}')\nimport time\ntime.sleep(5)",
			violation: true},
		"odd question": {script: frame +
			"frame(b'{\"llm\":{\"id\":\"<script>\",\"prompt\":\"\",\"model\":\"\"}}')\nimport time\ntime.sleep(5)",
			violation: true},
		"question nobody reads": {script: frame +
			"for n in range(90): frame(b'{\"llm\":{\"id\":\"%d\",\"prompt\":\"\",\"model\":\"\"}}' % n)"},
		"close the channel": {script: "import os\nos.close(3)\nset_result(1)", failed: "",
			want: wire.Exited{Code: 1}},
		"replace the channel": {script: "import os\nos.dup2(os.open('/tmp/x', os.O_RDWR | os.O_CREAT), " +
			"3)\nset_result(1)", want: wire.Exited{Code: 1}},
		"close everything":             {script: "import os\nos.closerange(0, 256)"},
		"close everything, then raise": {script: "import os\nos.closerange(0, 256)\n1/0", want: wire.Exited{Code: 1}},
		"garbage everywhere": {script: "import os\nfor fd in range(256):\n    try: os.write(fd, " +
			"b'\\0\\0\\0\\1garbage')\n    except OSError: pass"},
		"hand the channel to a daemon": {script: "import os, time\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() " +
			"== 0: time.sleep(1000)\n    os._exit(0)\nos.wait()\nset_result(1)"},
		"frames to PID 1's descriptors": {script: "import os\nfor n in range(10):\n    try: os.open('/proc/1/fd/%d' % n, " +
			"os.O_WRONLY); print('opened', n)\n    except OSError: pass"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := execute(t, job(tc.script), &recorder{})
			if tc.violation != errors.As(f.err, new(*ProtocolError)) || !tc.violation && f.err != nil {
				t.Fatalf("%v", f.err)
			}
			if !tc.violation && f.Exited != tc.want {
				t.Errorf("%+v", f)
			}
			if strings.Contains(f.stdout, "opened") {
				t.Error(f.stdout)
			}
			if tc.failed != "" && !strings.Contains(f.stderr, tc.failed) {
				t.Errorf("stderr %q, failed %+v", f.stderr, f.Failed)
			}
			if tc.violation && f.Result != nil {
				t.Errorf("result %.100s", f.Result)
			}
		})
	}
}

func TestOpenQuestionsAreBounded(t *testing.T) {
	var asked atomic.Int32
	h := (&recorder{}).handler()
	h.LLM = func(ctx context.Context, _ wire.LLMRequest) (wire.LLMReply, error) {
		asked.Add(1)
		<-ctx.Done()
		return wire.LLMReply{}, ctx.Err()
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	outcome, err := open(t).Run(ctx, job(`
import threading, os
refused = []
def ask():
    try: llm.complete("x" * 1000000)
    except llm.Error as e:
        refused.append(str(e))
        if len(refused) == 8: set_result(refused[0]); os._exit(0)
for _ in range(12): threading.Thread(target=ask).start()
`), h)
	if err != nil || !strings.Contains(string(outcome.Result), "open questions") || asked.Load() > 4 {
		t.Errorf("%v, %s, %d questions were passed on", err, outcome.Result, asked.Load())
	}
}

func TestCaretsStandUnderTheirCode(t *testing.T) {
	f := execute(t, job("import sys; undefined(3)"), &recorder{})
	if f.Failed == nil || !strings.Contains(f.Failed.Traceback,
		"\n    import sys; undefined(3)\n                ^^^^^^^^^\n") {
		t.Errorf("%+v", f.Failed)
	}
}

// TestInterruptedQuestion: a signal handler's exception leaves a question unchanged, and later
// questions get their own answers. Other threads may ask meanwhile.
func TestInterruptedQuestion(t *testing.T) {
	r := &recorder{llm: func(ctx context.Context, q wire.LLMRequest) (wire.LLMReply, error) {
		if q.Prompt == "slow" {
			select {
			case <-time.After(300 * time.Millisecond):
			case <-ctx.Done():
			}
		}
		return wire.LLMReply{Text: "answer to " + q.Prompt}, nil
	}}
	f := execute(t, job(`
import signal, threading, time
def on_alarm(number, frame): raise TimeoutError("mine")
signal.signal(signal.SIGALRM, on_alarm)
got = []
def interrupted():
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        llm.complete("slow")
    except BaseException as error:
        got.append(type(error).__name__ + ": " + str(error))
    got.append(llm.complete("next"))
interrupted()
stop = False
others = []
def ask():
    n = 0
    while not stop:
        n += 1
        if n < 20: others.append(llm.complete("other %d" % n) == "answer to other %d" % n)
        time.sleep(0.01)
thread = threading.Thread(target=ask)
thread.start()
for _ in range(5): interrupted()
stop = True
thread.join()
set_result([got, all(others), len(others) > 3])`), r)
	want := `[[` + repeated(`"TimeoutError: mine","answer to next"`, 6) + `],true,true]`
	if diff := cmp.Diff(want, string(f.Result)); diff != "" || f.err != nil {
		t.Errorf("%s %v %+v", diff, f.err, f.Failed)
	}
}

func repeated(text string, n int) string {
	all := text
	for range n - 1 {
		all += "," + text
	}
	return all
}

// TestTheLastResultCounts: an interrupted set_result went on, and its result could replace a later
// one.
func TestTheLastResultCounts(t *testing.T) {
	t.Parallel()
	f := execute(t, job(`
import _thread, signal, time
class Alarm(Exception): pass
def on_alarm(number, frame): raise Alarm
signal.signal(signal.SIGALRM, on_alarm)
start = _thread.start_new_thread
_thread.start_new_thread = lambda work, args: start(lambda: (time.sleep(0.5), work()), args)
signal.setitimer(signal.ITIMER_REAL, 0.1)
try: set_result("earlier")
except Alarm: pass
_thread.start_new_thread = start
set_result("later")
time.sleep(1)`), &recorder{})
	if string(f.Result) != `"later"` || f.err != nil {
		t.Errorf("%s %v %+v %s", f.Result, f.err, f.Failed, f.stderr)
	}
}

func TestSignalsAmongMessages(t *testing.T) {
	r := &recorder{llm: func(_ context.Context, q wire.LLMRequest) (wire.LLMReply, error) {
		return wire.LLMReply{Text: q.Prompt}, nil
	}}
	f := execute(t, job(`
import signal, socket
class Alarm(Exception): pass
def on_alarm(number, frame): raise Alarm
signal.signal(signal.SIGALRM, on_alarm)
try: socket.getaddrinfo("name.test", 80) # imports codecs: Python's own locks don't survive a handler that raises there
except OSError: pass
llm.complete("first")
big, n, alarms, wrong = "x" * 200_000, 0, 0, 0
for delay in range(1, 60):
    try:
        signal.setitimer(signal.ITIMER_REAL, delay * 0.0001)
        set_result(big)
        try: socket.getaddrinfo("name-%d.test" % (delay % 4), 80)
        except OSError: pass
        wrong += llm.complete("%d" % delay) != "%d" % delay
        signal.setitimer(signal.ITIMER_REAL, 0)
    except Alarm:
        alarms += 1
signal.setitimer(signal.ITIMER_REAL, 0)
set_result([llm.complete("last"), wrong, alarms > 0])`), r)
	if want := `["last",0,true]`; string(f.Result) != want || f.err != nil {
		t.Errorf("%.200s %v %+v %+v %s", f.Result, f.err, f.Failed, f.Exited, f.stderr)
	}
}
