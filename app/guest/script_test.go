package guest

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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
