package guest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/app/egress/ca"
	"github.com/computclaw/airlock/plugins/wire"
)

func TestExitStatus(t *testing.T) {
	for _, tc := range []struct {
		script string
		want   wire.Exited
	}{
		{"pass", wire.Exited{}},
		{"import sys; sys.exit()", wire.Exited{}},
		{"import sys; sys.exit(0)", wire.Exited{}},
		{"import sys; sys.exit(False)", wire.Exited{}},
		{"import sys; sys.exit(3)", wire.Exited{Code: 3}},
		{"import sys; sys.exit('no')", wire.Exited{Code: 1}},
		{"import os; os._exit(137)", wire.Exited{Code: 137}},
		{"import os; os._exit(254)", wire.Exited{Code: 254}},
		{"import os; os._exit(255)", wire.Exited{Code: 255}},
		{"1/0", wire.Exited{Code: 1}},
		{"import os; os.kill(os.getpid(), 9)", wire.Exited{Code: -1, Signal: 9}},
		{"import os; os.kill(os.getpid(), 15)", wire.Exited{Code: -1, Signal: 15}},
		{"import os; os.abort()", wire.Exited{Code: -1, Signal: 6}},
		{"import ctypes; ctypes.string_at(0)", wire.Exited{Code: -1, Signal: 11}},
	} {
		t.Run(tc.script, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, script(t, tc.script).Exited); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestFailures(t *testing.T) {
	header := "Traceback (most recent call last):\n"
	for _, tc := range []struct {
		name, script, error, traceback string
		line                           int
	}{
		{
			"runtime error", "def f():\n    return foo\n\nf()\n",
			"NameError: name 'foo' is not defined",
			header + "  File \"script.py\", line 4, in <module>\n    f()\n  File \"script.py\", line 2, in f\n    return " +
				"foo\nNameError: name 'foo' is not defined\n", 2,
		},
		{
			"in a library", "import json\njson.loads('{')\n",
			"json.decoder.JSONDecodeError: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)",
			header + "  File \"script.py\", line 2, in <module>\n    json.loads('{')\njson.decoder.JSONDecodeError: Expecting " +
				"property name enclosed in double quotes: line 1 column 2 (char 1)\n", 2,
		},
		{
			"chained", "try:\n    {}['a']\nexcept KeyError as e:\n    raise ValueError('bad') from e\n",
			"ValueError: bad",
			header + "  File \"script.py\", line 2, in <module>\n    {}['a']\nKeyError: 'a'\n\nThe above exception was the " +
				"direct cause of the following exception:\n\n" +
				header + "  File \"script.py\", line 4, in <module>\n    raise ValueError('bad') from e\nValueError: bad\n", 4,
		},
		{
			"syntax", "x = 1\ny = = 2\n",
			"SyntaxError: invalid syntax",
			"  File \"script.py\", line 2\n    y = = 2\nSyntaxError: invalid syntax\n", 2,
		},
		{
			"exit with text", "import sys\nsys.exit('nothing to do')\n",
			"SystemExit: nothing to do",
			header + "  File \"script.py\", line 2, in <module>\n    sys.exit('nothing to do')\nSystemExit: nothing to do\n", 2,
		},
		{
			"exit with code", "raise SystemExit(3)\n",
			"SystemExit: 3", header + "  File \"script.py\", line 1, in <module>\n    raise SystemExit(3)\nSystemExit: 3\n", 1,
		},
		{
			"interrupt", "raise KeyboardInterrupt\n",
			"KeyboardInterrupt", header +
				"  File \"script.py\", line 1, in <module>\n    raise KeyboardInterrupt\nKeyboardInterrupt\n", 1,
		},
		{
			"memory", "x = 'a' * (1 << 62)\n",
			"MemoryError", header + "  File \"script.py\", line 1, in <module>\n    x = 'a' * (1 << 62)\nMemoryError\n",
			1,
		},
		{
			"group", "raise ExceptionGroup('two', [ValueError(1), TypeError(2)])\n",
			"ExceptionGroup: two (2 sub-exceptions)", "", 1,
		},
		{
			"missing key", "settings.get('DB')\n",
			"airlock.MissingKey: this profile has no key 'DB'. Its keys: DB_HOST, TOKEN. Only a new profile can have others",
			header + "  File \"script.py\", line 1, in <module>\n    settings.get('DB')\nairlock.MissingKey: this profile has " +
				"no key 'DB'. Its keys: DB_HOST, TOKEN. Only a new profile can have others\n", 1,
		},
		{
			"no answer", "llm.complete('hi')\n",
			"airlock.llm.Error: nobody is there to answer",
			header + "  File \"script.py\", line 1, in <module>\n    llm.complete('hi')\nairlock.llm.Error: nobody is there " +
				"to answer\n", 1,
		},
		{"source cache emptied", "import linecache\nlinecache.cache.clear()\n1/0\n",
			"ZeroDivisionError: division by zero",
			header + "  File \"script.py\", line 3, in <module>\n    1/0\nZeroDivisionError: division by zero\n", 3},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := script(t, tc.script)
			if f.Failed == nil || f.Exited.Code == 0 {
				t.Fatalf("did not fail: %+v", f)
			}
			want := wire.Failed{Error: tc.error, Traceback: tc.traceback, Line: tc.line}
			if tc.traceback == "" {
				want.Traceback = f.Failed.Traceback
			}
			f.Failed.Traceback = withoutCarets(f.Failed.Traceback)
			if diff := cmp.Diff(want, *f.Failed); diff != "" {
				t.Error(diff)
			}
			if strings.Contains(f.Failed.Traceback, "airlock>") || strings.Contains(f.stderr, "airlock>") {
				t.Errorf("frames of the runner: %s%s", f.Failed.Traceback, f.stderr)
			}
		})
	}
}

func TestRecursion(t *testing.T) {
	f := script(t, "def f(n):\n    return f(n + 1)\nf(0)\n")
	if f.Failed == nil || !strings.HasPrefix(f.Failed.Error, "RecursionError: maximum recursion depth exceeded") ||
		f.Failed.Line != 2 || len(f.Failed.Traceback) > 2000 {
		t.Errorf("%+v", f.Failed)
	}
}

func TestHugeFailure(t *testing.T) {
	f := script(t, "raise ValueError('x' * 10_000_000)")
	if f.Failed == nil || len(f.Failed.Error) != 128<<10 || len(f.Failed.Traceback) != 512<<10 ||
		!strings.HasPrefix(f.Failed.Error, "ValueError: xxx") {
		t.Errorf("%.200v", f.Failed)
	}
}

func TestHugestFailure(t *testing.T) {
	f := script(t, "raise ValueError('\\U0001f600' * 1_000_000)")
	if f.Failed == nil || !strings.HasPrefix(f.Failed.Error, "ValueError: 😀😀") ||
		!strings.HasSuffix(f.Failed.Traceback, "😀") {
		t.Errorf("%.200v", f.Failed)
	}
}

// TestLongFailureIsWhole: what is cut before it is redacted shows most of a secret at the cut.
func TestLongFailureIsWhole(t *testing.T) {
	text := "strings = 'A' * 32700 + 's3cr3t' + 'B' * 60000\n"
	want := strings.Repeat("A", 32700) + "s3cr3t" + strings.Repeat("B", 60000)
	f := script(t, text+"raise RuntimeError(strings)")
	if f.Failed == nil || f.Failed.Error != "RuntimeError: "+want ||
		!strings.HasSuffix(f.Failed.Traceback, "RuntimeError: "+want+"\n") {
		t.Errorf("%.200v", f.Failed)
	}
	f = script(t, text+"import threading\ndef work():\n    raise RuntimeError(strings)\nt = "+
		"threading.Thread(target=work)\nt.start()\nt.join()")
	if !strings.HasSuffix(f.stderr, "RuntimeError: "+want+"\n") {
		t.Errorf("%d bytes on stderr", len(f.stderr))
	}
}

func TestThreadFailure(t *testing.T) {
	f := script(t, "import threading\ndef work():\n    1/0\nt = threading.Thread(target=work, "+
		"name='worker')\nt.start()\nt.join()\n")
	want := "Exception in thread worker:\nTraceback (most recent call last):\n  File \"script.py\", line 3, in work\n   " +
		" 1/0\nZeroDivisionError: division by zero\n"
	if diff := cmp.Diff(want, withoutCarets(f.stderr)); f.Failed != nil || diff != "" {
		t.Errorf("%+v\n%s", f.Failed, diff)
	}
}

// withoutCarets drops the marks under source lines, which every Python draws differently.
func withoutCarets(traceback string) string {
	var kept strings.Builder
	for line := range strings.Lines(traceback) {
		if line == "\n" || strings.Trim(line, " ~^\n") != "" {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

// TestOddFailures are those that each Python words in its own way.
func TestOddFailures(t *testing.T) {
	for name, tc := range map[string]struct {
		script, error string
		line          int
	}{
		"indentation":        {"x = 1\ndef f():\npass\n", "IndentationError: expected an indented block", 3},
		"NUL":                {"x = 1\x00\n", "", 0},
		"nested beyond hope": {strings.Repeat("(", 100_000), "", -1},
		"str() raises": {"class Odd(Exception):\n    def __str__(self):\n        raise RuntimeError\nraise Odd\n",
			"Odd: <", 4},
		"repr() raises": {"class Odd(Exception):\n    def __getattribute__(self, name):\n        raise " +
			"RuntimeError\nraise Odd\n", "", -1},
		"surrogates": {"raise ValueError('\\ud800')", `ValueError: \ud800`, 1},
		"a thousand causes": {"e = ValueError(0)\nfor n in range(1000):\n    try: raise ValueError(n) from e\n    except " +
			"ValueError as x: e = x\nraise e\n", "ValueError: 999", 3},
		"exit with object": {"raise SystemExit([1])", "SystemExit: [1]", 1},
		"base exception":   {"class Stop(BaseException): pass\nraise Stop('now')", "Stop: now", 2},
	} {
		t.Run(name, func(t *testing.T) {
			f := script(t, tc.script)
			if f.Failed == nil || f.Exited.Code != 1 || !strings.HasPrefix(f.Failed.Error, tc.error) ||
				tc.line >= 0 && f.Failed.Line != tc.line || strings.Contains(f.Failed.Traceback, "airlock>") {
				t.Errorf("%.2000v %+v", f.Failed, f.Exited)
			}
		})
	}
}

func TestSurroundings(t *testing.T) {
	f := script(t, `
import os, sys, time, locale
from airlock import settings as s, llm as l, set_result as r, inputs as i
import airlock
set_result({
    "same": [s is settings, l is llm, r is set_result, i is inputs],
    "env": dict(sorted(os.environ.items())),
    "argv": sys.argv, "name": __name__, "file": __file__, "path0": sys.path[0], "cwd": os.getcwd(),
    "main": sys.modules["__main__"].__dict__ is globals(),
    "globals": sorted(k for k in globals() if not k.startswith("__")),
    "hash": hash("airlock"), "set": list({"a", "b", "c", "d"}), "tz": time.tzname, "encoding": [sys.stdout.encoding, locale.getpreferredencoding()],
    "stdin": sys.stdin.read(), "keys": settings.keys(), "default": settings.get("NOPE", None), "repr": repr(settings),
    "fds": sorted(int(n) for n in os.listdir("/proc/self/fd"))[:5],
    "public": airlock.__all__, "inputs": inputs,
    "heavy": sorted({"numpy", "pandas", "ssl", "hashlib", "random", "uuid", "socket", "urllib"} & set(sys.modules)),
    "tmp": os.listdir("/tmp"),
})`)
	want := `{"same":[true,true,true,true],` +
		`"env":{"AIRLOCK_FILES":"/tmp/.airlock/files","AIRLOCK_OUT":"/tmp/.airlock/out","BLIS_NUM_THREADS":"1","GIT_CONFIG_NOSYSTEM":"1","HOME":"/tmp","LC_ALL":"C.UTF-8","MKL_NUM_THREADS":"1","NUMBA_NUM_THREADS":"1","NUMEXPR_NUM_THREADS":"1","OMP_NUM_THREADS":"1","OPENBLAS_NUM_THREADS":"1",` +
		`"PATH":"/usr/local/bin:/usr/bin:/bin","POLARS_MAX_THREADS":"1","PYTHONDONTWRITEBYTECODE":"1","PYTHONHASHSEED":"0","PYTHONUTF8":"1","PYTHON_CPU_COUNT":"1","RAYON_NUM_THREADS":"1","TMPDIR":"/tmp","TZ":"UTC"},` +
		`"argv":["script.py"],"name":"__main__","file":"script.py","path0":"/tmp","cwd":"/tmp","main":true,"globals":["airlock","i","l","locale","os","r","s","sys","time"],` +
		`"hash":HASH,"set":SET,"tz":["UTC","UTC"],"encoding":["utf-8","utf-8"],"stdin":"","keys":["DB_HOST","TOKEN"],"default":null,"repr":"<settings with 2 keys>",` +
		`"fds":[0,1,2,3,4],"public":["settings","llm","set_result","inputs","files","save_file","MissingKey","ResultError"],"inputs":null,"heavy":[],"tmp":["script.py",".airlock"]}`
	got := string(f.Result)
	for _, key := range []string{"hash", "set"} { // theirs is checked by running twice
		got = replaceValue(got, key)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s\n%+v", diff, f.Failed)
	}
}

func replaceValue(text, key string) string {
	before, after, _ := strings.Cut(text, fmt.Sprintf(`"%s":`, key))
	end := strings.Index(after, `,"`+map[string]string{"hash": "set", "set": "tz"}[key])
	return before + fmt.Sprintf(`"%s":%s`, key, strings.ToUpper(key)) + after[end:]
}

// TestOneProcessor checks a script's view of the processors on any machine. A process bound to one
// of them still is.
func TestOneProcessor(t *testing.T) {
	f := script(t, `
import concurrent.futures, multiprocessing, os, sys
first = os.sched_getaffinity(0)
os.sched_setaffinity(0, first)
set_result({
    "count": [os.cpu_count(), multiprocessing.cpu_count(), len(first), getattr(os, "process_cpu_count", os.cpu_count)()],
    "bound": os.sched_getaffinity(0) == first,
    "threads": concurrent.futures.ThreadPoolExecutor()._max_workers, "processes": concurrent.futures.ProcessPoolExecutor()._max_workers,
})`)
	if want := `{"count":[1,1,1,1],"bound":true,"threads":5,"processes":1}`; string(f.Result) != want {
		t.Errorf("%s, want %s\n%+v", f.Result, want, f.Failed)
	}
}

// TestScriptStandsBehindItsBox: when memory runs out the kernel kills PID 1 of the box first. A
// script must not inherit that priority.
func TestScriptStandsBehindItsBox(t *testing.T) {
	ours, err := os.ReadFile("/proc/self/oom_score_adj")
	if err != nil {
		t.Fatal(err)
	}
	f := script(t, "set_result(open('/proc/self/oom_score_adj').read())")
	if want := strconv.Quote(string(ours)); string(f.Result) != want {
		t.Errorf("%s, want %s\n%+v", f.Result, want, f.Failed)
	}
}

func TestRunsAreAlike(t *testing.T) {
	text := "set_result([hash('a'), list({'x', 'y', 'z', 'w'}), __import__('locale').getlocale()])"
	first := script(t, text)
	if second := script(t, text); len(first.Result) == 0 || string(first.Result) != string(second.Result) {
		t.Errorf("%s, then %s", first.Result, second.Result)
	}
}

func TestInputs(t *testing.T) {
	j := job("set_result([inputs, inputs['n'] + 1])")
	j.Inputs = []byte(`{"n": 41, "text": "naïve ☃", "list": [1.5, null, true]}`)
	f := execute(t, j, &recorder{})
	if want := `[{"n":41,"text":"naïve ☃","list":[1.5,null,true]},42]`; string(f.Result) != want {
		t.Errorf("%s %v %+v", f.Result, f.err, f.Failed)
	}
}

func TestEnding(t *testing.T) {
	for name, tc := range map[string]struct {
		script         string
		stdout, result string
		stderr         string
		code           int
	}{
		"no newline at the end": {"print('x', end='')", "x", "", "", 0},
		"exit handler": {"import atexit\natexit.register(print, 'bye')\natexit.register(lambda: " +
			"set_result('late'))\nset_result('early')", "bye\n", `"late"`, "", 0},
		"exit handler raises": {"import atexit\natexit.register(lambda: 1/0)\nset_result(1)", "", "1",
			"ZeroDivisionError",
			0},
		"non-daemon thread": {"import threading, time\nthreading.Thread(target=lambda: (time.sleep(.2), " +
			"set_result('thread'))).start()", "", `"thread"`, "", 0},
		"daemon thread": {"import threading, time\nthreading.Thread(target=time.sleep, args=(100,), " +
			"daemon=True).start()\nset_result(1)", "", "1", "", 0},
		"exit in thread": {"import threading, sys\nthreading.Thread(target=sys.exit, " +
			"args=(5,)).start()\nset_result(1)", "", "1", "", 0},
		"raising finalizer": {"class D:\n    def __del__(self): raise ValueError('in del')\nd = D()\ndel " +
			"d\nset_result(1)", "", "1", "ValueError: in del", 0},
		"fork goes on": {"import os\nif os.fork() == 0:\n    try: set_result('child')\n    except OSError as e: " +
			"print(e); os._exit(0)\nos.wait()\nset_result('parent')",
			"Airlock can be used in the script's first process only, not in one made by fork or multiprocessing\n",
			`"parent"`,
			"", 0},
		"fork fails": {"import os, sys\npid = os.fork()\nif pid == 0: " +
			"1/0\nset_result(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))", "", "1", "ZeroDivisionError", 0},
		"fork in exit handler": {"import atexit, os\natexit.register(os.fork)\nset_result(1)", "", "1", "", 0},
		"stdout replaced":      {"import sys\nsys.stdout = None\nset_result(1)", "", "1", "", 0},
		"stdout closed":        {"import sys\nsys.stdout.close()\nset_result(1)", "", "1", "", 0},
		"result then failure":  {"set_result(1)\nimport sys\nsys.exit(2)", "", "1", "", 2},
		"last result counts":   {"for n in range(100): set_result(n)", "", "99", "", 0},
		"looks like a frame": {"import sys\nsys.stdout.buffer.write(b'\\0\\0\\0\\x0b{\"kill\":{}}')",
			"\x00\x00\x00\x0b{\"kill\":{}}", "", "", 0},
		"text that names a code": {"import sys\nprint('Killed, exit 137')\nprint('Traceback (most recent call last):', " +
			"file=sys.stderr)", "Killed, exit 137\n", "", "Traceback", 0},
	} {
		t.Run(name, func(t *testing.T) {
			f := script(t, tc.script)
			if f.stdout != tc.stdout || string(f.Result) != tc.result || f.Exited.Code != tc.code ||
				f.Exited.Signal != 0 ||
				!strings.Contains(f.stderr, tc.stderr) || tc.stderr == "" && f.stderr != "" {
				t.Errorf("%+v", f)
			}
		})
	}
}

func TestLingeringThreadsAreStopped(t *testing.T) {
	t.Parallel()
	f := script(t, "import threading, time, atexit\nthreading.Thread(target=time.sleep, "+
		"args=(1000,)).start()\nset_result(1)")
	if f.Exited.Code != 0 || string(f.Result) != "1" ||
		!strings.Contains(f.stderr, "still busy 5 seconds after the script's end") {
		t.Errorf("%+v", f)
	}
}

// TestStub: airlock.pyi is Python, and names exactly what the module has.
func TestStub(t *testing.T) {
	j := job(`
import airlock, ast
tree = ast.parse(inputs, feature_version=(3, 9))
names = {getattr(n, "name", None) or n.target.id for n in tree.body if isinstance(n, (ast.FunctionDef, ast.ClassDef, ast.AnnAssign))}
set_result([n for n in names ^ set(airlock.__all__) if not n.startswith("_")])`)
	j.Inputs, _ = json.Marshal(string(Stub()))
	if f := execute(t, j, &recorder{}); string(f.Result) != "[]" {
		t.Errorf("%s %+v", f.Result, f.Failed)
	}
}

// TestRunnerIsOldPython: the runner compiles as Python 3.9.
func TestRunnerIsOldPython(t *testing.T) {
	j := job("import ast\nast.parse(inputs, feature_version=(3, 9))\nset_result(1)")
	j.Inputs, _ = json.Marshal(string(Runner()))
	if f := execute(t, j, &recorder{}); string(f.Result) != "1" {
		t.Errorf("%+v", f.Failed)
	}
}

// TestNewProcessesKnowTheScript: a new process of multiprocessing imports the script with Airlock's
// names, from any directory. Functions of the first process only say so.
func TestNewProcessesKnowTheScript(t *testing.T) {
	j := job(`from __future__ import annotations
from airlock import settings, inputs, set_result, llm
import multiprocessing, os
WORD = settings.get("WORD")

def work(n):
    refused = []
    for call in (lambda: set_result(1), lambda: llm.complete("?")):
        try: call()
        except Exception as error: refused.append("first process only" in str(error))
    return [WORD, inputs, n, __name__, refused, os.cpu_count()]

if __name__ == "__main__":
    os.mkdir("elsewhere")
    os.chdir("elsewhere")
    got = []
    for way in ("spawn", "forkserver"):
        with multiprocessing.get_context(way).Pool(1) as pool:
            got += pool.map(work, [7])
    set_result(got)
`)
	j.Settings, j.Inputs = map[string]string{"WORD": "value"}, []byte(`{"a":[1]}`)
	f := execute(t, j, &recorder{})
	one := `["value",{"a":[1]},7,"__mp_main__",[true,true],1]`
	if string(f.Result) != "["+one+","+one+"]" || f.err != nil {
		t.Errorf("%s %v %+v\n%.2000s", f.Result, f.err, f.Failed, f.stderr)
	}
}

func TestTheScriptIsAFile(t *testing.T) {
	f := script(t, `# żółw
import inspect, runpy, subprocess, sys
def f(): return 1
if sys.argv[1:]: print("child of", *sys.argv)
elif __name__ == "__main__":
    text = open(__file__).read()
    child = subprocess.run([sys.executable, __file__, "x"], capture_output=True, text=True)
    set_result([text.startswith("# żółw\nimport"), inspect.getsource(f), runpy.run_path(__file__)["f"](),
                child.stdout, child.stderr])`)
	want := `[true,"def f(): return 1\n",1,"child of script.py x\n",""]`
	if string(f.Result) != want || f.err != nil {
		t.Errorf("%s %v %+v", f.Result, f.err, f.Failed)
	}
}

// oldestSyntax parses files as the oldest Python does that the runner is for.
const oldestSyntax = `
import ast, sys
for path in sys.argv[1:]:
    ast.parse(open(path).read(), path, feature_version=(3, 9))
try:
    ast.parse("match x:\n    case 1: pass", feature_version=(3, 9))
except SyntaxError:
    pass
else:
    sys.exit("nothing is too new")
`

// TestRunnerHasNoNewerSyntax only knows the language; make pythons runs it on the interpreters
// themselves.
func TestRunnerHasNoNewerSyntax(t *testing.T) {
	files := []string{"runner/asked.py", "runner/failure.py", "runner/foreign.py", "runner/main.py", "runner/parts.py",
		"runner/processors.py", "runner/sdk.py", "runner/text.py", "runner/trust.py", "runner/values.py"}
	if out, err := exec.Command("/usr/bin/python3",
		append([]string{"-c", oldestSyntax}, files...)...).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func executeIn(t *testing.T, s *Session, j Job, r *recorder) finished {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	outcome, err := s.Run(ctx, j, r.handler())
	return finished{outcome, r.stdout.String(), r.stderr.String(), err}
}

// TestCABundle: a box trusts the runtime's roots and the given certificate, under every usual name,
// at any time.
func TestCABundle(t *testing.T) {
	authority, err := ca.New(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	j := job(`
import os, ssl
names = ["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "PIP_CERT", "NODE_EXTRA_CA_CERTS", "AWS_CA_BUNDLE",
         "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH", "GIT_SSL_CAINFO"]
path = os.environ["SSL_CERT_FILE"]
bundle = open(path).read()
def trusted(path):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(path)
    return len([c for c in context.get_ca_certs() if ("organizationName", "Airlock") in [p for rdn in c["subject"] for p in rdn]])
foreign = "/tmp/own.pem"
open(foreign, "w").write(bundle[:bundle.index("-----END CERTIFICATE-----")] + "-----END CERTIFICATE-----\n")
context = ssl.create_default_context()
context.load_verify_locations(path)
ours = [c for c in context.get_ca_certs() if ("organizationName", "Airlock") in [p for rdn in c["subject"] for p in rdn]]
set_result({
    "names": [n for n in names if os.environ.get(n) != path],
    "proxies": [n for n in os.environ if "proxy" in n.lower()],
    "mode": oct(os.stat(path).st_mode & 0o777),
    "own": inputs in bundle,
    "ours": len(ours),
    "roots": len(context.get_ca_certs()) > 50,
    "requests": __import__("requests").utils.get_environ_proxies("https://a.example") == {},
    "by path": trusted("/etc/ssl/certs/ca-certificates.crt"),
    "foreign": trusted(foreign),
})`)
	j.Inputs, _ = json.Marshal(string(authority.Certificate()))
	f := executeIn(t, openWith(t, Boot{CA: authority.Certificate()}), j, &recorder{})
	want := `{"names":[],"proxies":[],"mode":"0o400","own":true,"ours":1,"roots":true,"requests":true,"by path":1,"foreign":0}`
	if string(f.Result) != want {
		t.Errorf("%s\n%v %+v", f.Result, f.err, f.Failed)
	}
}

// TestWithoutCA: nothing is pretended where there is nothing to trust.
func TestWithoutCA(t *testing.T) {
	f := script(t, "import os\nset_result([k for k in os.environ if 'CA' in k or 'CERT' in k or 'SSL' in k] + "+
		"os.listdir('/tmp'))")
	if string(f.Result) != `["script.py",".airlock"]` {
		t.Errorf("%s %+v", f.Result, f.Failed)
	}
}

// A script may write to Airlock past its runner. An impossible line number would make every backup
// fail.
func TestAScriptCantFailInAnImpossibleLine(t *testing.T) {
	for _, line := range []string{"4611686018427387904", "-1"} {
		f := execute(t, job(`
import os
body = b'{"failed": {"error": "x", "line": `+line+`}}'
os.write(3, len(body).to_bytes(4, "big") + body)
os._exit(1)`), &recorder{})
		if f.Failed == nil || f.Failed.Error != "x" || f.Failed.Line != 0 {
			t.Errorf("%s: %+v, %v", line, f.Failed, f.err)
		}
	}
}

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
