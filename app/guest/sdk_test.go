package guest

import (
	"context"
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
