package guest

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// waited opens a box and returns after its interpreter has imported the usual modules.
func waited(t *testing.T) *Session {
	t.Helper()
	stdin, stdout, cmd := stdio(t)
	s, err := Open(t.Context(), stdin, stdout, Boot{})
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		for _, pid := range descendants(t, cmd.Process.Pid) {
			maps, _ := os.ReadFile(fmt.Sprintf("/proc/%s/maps", pid))
			if strings.Contains(string(maps), "_decimal") { // the last of them
				return s
			}
		}
		if time.Now().After(deadline) {
			t.Fatal("a waiting box imports nothing")
		}
	}
}

// TestWaitingMakesNoDifference: a box that waited has compiled and imported more. Scripts and
// reports of failures must not show that.
func TestWaitingMakesNoDifference(t *testing.T) {
	for name, tt := range map[string]struct{ script, result, stderr, traceback string }{
		"own files under standard names": {
			script: `
for name in "json enum re types traceback linecache tokenize threading contextlib decimal datetime collections".split():
    with open(name + ".py", "w") as f: f.write("raise SystemExit('hidden')")
with open("own.py", "w") as f: f.write("x = 1")
import json, decimal, own, threading, datetime
set_result([json.dumps({"a": 1}), decimal.Decimal("1.10"), own.x, datetime.date(2024, 2, 29)])
1/0`,
			result: `["{\"a\": 1}","1.10",1,"2024-02-29"]`,
			traceback: "Traceback (most recent call last):\n  File \"script.py\", line 7, in <module>\n    " +
				"1/0\nZeroDivisionError: division by zero\n",
		},
		"no descriptors left": {
			script: "import os\nwhile True: os.dup(0)",
			traceback: "Traceback (most recent call last):\n  File \"script.py\", line 2, in <module>\n    while True: " +
				"os.dup(0)\nOSError: [Errno 24] Too many open files\n",
		},
		"all descriptors closed": {
			script: "import os\nos.closerange(4, 200)\nf = open('/tmp/f', 'w')\n1/0",
			traceback: "Traceback (most recent call last):\n  File \"script.py\", line 4, in <module>\n    " +
				"1/0\nZeroDivisionError: division by zero\n",
		},
		"nowhere to import from": {
			script: "import sys\nsys.path.clear()\n1/0",
			traceback: "Traceback (most recent call last):\n  File \"script.py\", line 3, in <module>\n    " +
				"1/0\nZeroDivisionError: division by zero\n",
		},
		"a warning with its line": {
			script: "import warnings\nwarnings.warn('old')",
			stderr: "script.py:2: UserWarning: old\n  warnings.warn('old')\n",
		},
		"a thread that fails": {
			script: "import threading\nt = threading.Thread(target=lambda: 1/0)\nt.start()\nt.join()",
			stderr: "Exception in thread Thread-1 (<lambda>):\nTraceback (most recent call last):\n  File \"script.py\", line " +
				"2, in <lambda>\n    t = threading.Thread(target=lambda: 1/0)\nZeroDivisionError: division by zero\n",
		},
		"a question": {script: "try: llm.complete('Name?')\nexcept llm.Error as e: set_result(str(e))",
			result: `"nobody is there to answer"`},
		"other values": {
			script: "import enum, datetime\nclass C(enum.Enum): A = datetime.timedelta(days=1)\nset_result({1: C.A, 'b': {1, " +
				"2}})",
			result: `{"1":"P1D","b":[1,2]}`,
		},
	} {
		for how, open := range map[string]func() *Session{"at once": func() *Session { return open(t) },
			"after a while": func() *Session { return waited(t) }} {
			t.Run(name+", "+how, func(t *testing.T) {
				r := &recorder{}
				outcome, err := open().Run(t.Context(), job(tt.script), r.handler())
				if err != nil {
					t.Fatal(err)
				}
				var traceback string
				if outcome.Failed != nil {
					traceback = withoutCarets(outcome.Failed.Traceback)
				}
				if diff := cmp.Diff([]string{tt.result, tt.stderr, tt.traceback},
					[]string{string(outcome.Result), withoutCarets(r.stderr.String()), traceback}); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
}
