package deploy_test

import (
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
)

var roots = flag.String("roots", "", "directories, with commas, whose Pythons TestPythons runs too")

// everythingScript uses all that the runner offers.
const everythingScript = `
import airlock, concurrent.futures, ctypes, datetime, decimal, multiprocessing, os, sys, threading
from airlock import llm as same, settings as named
assert same is llm and named is settings and airlock.inputs is inputs
answers = []
threads = [threading.Thread(target=lambda: answers.append(llm.complete("one"))) for _ in range(2)]
[t.start() for t in threads]; [t.join() for t in threads]
print("to stdout"); print("to stderr", file=sys.stderr)
try:
    set_result(float("nan"))
    answers.append("NaN was taken")
except Exception as e:
    answers.append(type(e).__name__)
set_result({"answers": answers, "inputs": inputs, "decimal": decimal.Decimal("1.10"),
    "date": datetime.datetime(2026, 1, 2, 3, 4), "set": {3, 1, 2}, "tuple": (1, None, True),
    "processors": [os.cpu_count(), multiprocessing.cpu_count(), len(os.sched_getaffinity(0)),
    concurrent.futures.ThreadPoolExecutor()._max_workers],
    "version": "%d.%d" % sys.version_info[:2]})`

// TestPythons runs the runner on this host's Python and other roots': see the Makefile's pythons.
func TestPythons(t *testing.T) {
	list := []string{"/"}
	if *roots != "" {
		list = append(list, strings.Split(*roots, ",")...)
	}
	for _, root := range list {
		t.Run(filepath.Base(root), func(t *testing.T) {
			in := e2e.StartInstance(t, "AIRLOCK_SANDBOX=bubblewrap", "AIRLOCK_POOL=0", "AIRLOCK_PLUGIN_BUBBLEWRAP_ROOT="+root)
			profile := in.PlaceProfile("bubblewrap")
			var x e2e.Execution
			body := map[string]any{"profile_id": profile, "script": everythingScript, "inputs": []any{1, "é"}, "timeout": 30}
			if code := in.Call(http.MethodPost, "/execute", body, &x); code != http.StatusAccepted {
				t.Fatalf("submit: status %d", code)
			}
			id := x.ID
			e2e.Eventually(t, time.Minute, "the script ends", func() bool {
				x = e2e.Execution{}
				in.Call(http.MethodGet, "/executions/"+id, nil, &x)
				if x.Status == "awaiting_llm" {
					in.Call(http.MethodPost, "/executions/"+id+"/respond", map[string]any{"response": "two"}, nil)
				}
				return x.Terminal()
			})
			want := `{"answers":["two","two","ResultError"],"inputs":[1,"é"],"decimal":"1.10","date":"2026-01-02T03:04:00",` +
				`"set":[1,2,3],"tuple":[1,null,true],"processors":[1,1,1,5],"version":"` + versionIn(t, root) + `"}`
			if x.Status != "completed" || string(x.Result) != want || x.Stdout != "to stdout\n" || x.Stderr != "to stderr\n" {
				t.Errorf("%s %s %s %q %q, want %s", x.Status, x.Error, x.Result, x.Stdout, x.Stderr, want)
			}
			var failed struct {
				e2e.Execution
				Line int `json:"error_line"`
			}
			x = in.Await(in.Submit(profile, "def f():\n    1 / 0\nf()", 20*time.Second), time.Minute)
			in.Call(http.MethodGet, "/executions/"+x.ID, nil, &failed)
			if failed.Status != "error" || failed.Error != "ZeroDivisionError: division by zero" || failed.Line != 2 {
				t.Errorf("a script that fails: %s %s in line %d", failed.Status, failed.Error, failed.Line)
			}
		})
	}
}

// versionIn reads which Python a root has, as 3.11.
func versionIn(t *testing.T, root string) string {
	target, err := os.Readlink(filepath.Join(root, "usr/bin/python3"))
	e2e.Must(t, err)
	return strings.TrimPrefix(filepath.Base(target), "python")
}
