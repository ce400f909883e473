package guest

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/plugins/wire"
)

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
