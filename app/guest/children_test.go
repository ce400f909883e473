package guest

import "testing"

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
