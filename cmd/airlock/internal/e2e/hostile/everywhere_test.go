package hostile_test

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
)

// steadyScript returns everything that tends to differ between runs of a program. It omits
// directories, which differ by backend, and two variables of the restricted tier: the user's name,
// asked for here, and the resolver.
const steadyScript = `
import concurrent.futures, datetime, decimal, getpass, hashlib, json, locale, math
import multiprocessing, os, random, subprocess, sys, time, urllib.request
random.seed(7)
words = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta"]
fetched = urllib.request.urlopen("http://allowed.test:8080/", timeout=20).read()
set_result({
    "fetched": hashlib.sha256(fetched).hexdigest(),
    "answer": llm.complete("say something"), "inputs": inputs, "setting": settings["WORD"],
    "hash": hash("airlock"), "order": list({w for w in words}),
    "set": {1.5, "x", 3}, "random": [random.random() for _ in range(5)],
    "sums": [sum(math.sin(i) for i in range(1000)), math.fsum(0.1 for _ in range(10))],
    "decimal": decimal.Decimal("1.10"),
    "date": datetime.date(2026, 1, 2), "zone": time.tzname, "local": str(datetime.datetime.fromtimestamp(0)),
    "locale": [locale.getpreferredencoding(), locale.setlocale(locale.LC_ALL, ""), locale.localeconv(),
        sys.getfilesystemencoding(), sys.stdout.encoding],
    "floats": [repr(0.1 + 0.2), 1e22, 5e-324, 1 / 3, "%.20g" % 0.1, list(sys.float_info), sys.float_repr_style],
    "context": str(decimal.getcontext()),
    "processors": [os.cpu_count(), multiprocessing.cpu_count(), len(os.sched_getaffinity(0)),
        getattr(os, "process_cpu_count", os.cpu_count)()],
    "pool": concurrent.futures.ThreadPoolExecutor()._max_workers,
    "environment": sorted(k + "=" + v for k, v in os.environ.items()
        if v not in (os.getcwd(), os.environ["SSL_CERT_FILE"])
        and k not in ("LOGNAME", "RES_OPTIONS", "AIRLOCK_FILES", "AIRLOCK_OUT")),
    "name": getpass.getuser(),
    "children": subprocess.run(["sh", "-c", "umask; echo $OMP_NUM_THREADS $TZ $LC_ALL"],
        capture_output=True, text=True).stdout,
    "flags": [sys.flags.hash_randomization, sys.flags.dont_write_bytecode, sys.flags.no_user_site],
    "file": __file__,
    "user": os.getuid() > 0, "listing": sorted(os.listdir(".")), "arguments": sys.argv,
})`

// TestSameResultEverywhere runs one script on every backend, cold and warm. The result hash is
// equal, and so is the identity except for the installed root.
func TestSameResultEverywhere(t *testing.T) {
	if !e2e.InNamespaces(t) {
		return
	}
	w := e2e.NewWorld(t)
	env := append(e2e.Settings(t, e2e.Backends()...), "AIRLOCK_LOCAL_SERVICES="+w.Services, "AIRLOCK_POOL=0")
	in := e2e.StartInstance(t, env...)
	in.AllReady(e2e.Backends()...)
	in.Admin("a word", "credential", "set", "WORD", "--mode", "plain")
	seen := map[string]string{} // hash: where
	note := func(name string, x steady) {
		where := name + ", warm " + strconv.FormatBool(x.Manifest.Circumstances.Warm)
		if x.Status != "completed" || x.Manifest.Result == "" || x.Manifest.Circumstances.Backend != name {
			t.Errorf("%s: %s %s %+v", where, x.Status, x.Error, x.Manifest)
			return
		}
		seen[x.Manifest.Result] = where + ": " + string(x.Result)
	}
	profiles := map[string]string{}
	for _, name := range e2e.Backends() {
		profiles[name] = in.PlaceProfile(name, "--key", "WORD", "--host", "allowed.test:8080")
		note(name, runSteady(in, profiles[name]))
	}
	for _, name := range e2e.Backends() {
		in.Stop()
		in.Env = append(in.Env, "AIRLOCK_SANDBOX="+name, "AIRLOCK_POOL=1")
		in.Start()
		warm := false
		for range 20 { // the first may come before its box is ready
			x := runSteady(in, profiles[name])
			note(name, x)
			if warm = x.Manifest.Circumstances.Warm; warm || t.Failed() {
				break
			}
			time.Sleep(500 * time.Millisecond)
		}
		if !warm {
			t.Errorf("%s: no box was warm", name)
		}
	}
	if len(seen) != 1 {
		for hash, where := range seen {
			t.Errorf("%s from %s", hash, where)
		}
	}
}

// runSteady is an execution with its manifest.
type steady struct {
	e2e.Execution
	Manifest struct {
		Result        string `json:"result"`
		Circumstances struct {
			Backend string `json:"backend"`
			Warm    bool   `json:"warm"`
		} `json:"circumstances"`
	} `json:"manifest"`
}

// runSteady runs the script and answers its question.
func runSteady(in *e2e.Instance, profile string) (x steady) {
	in.T.Helper()
	body := map[string]any{"profile_id": profile, "script": steadyScript,
		"inputs": map[string]any{"b": 1, "a": []any{1.5, "é"}}, "timeout": 30}
	if code := in.Call(http.MethodPost, "/execute", body, &x); code != http.StatusAccepted {
		in.T.Fatalf("submit: status %d", code)
	}
	id := x.ID
	e2e.Eventually(in.T, time.Minute, "the script asks, or ends", func() bool {
		in.Call(http.MethodGet, "/executions/"+id, nil, &x)
		return x.Status == "awaiting_llm" || x.Terminal()
	})
	in.Call(http.MethodPost, "/executions/"+id+"/respond", map[string]any{"response": "something"}, nil)
	in.Await(x.Execution, time.Minute)
	in.Call(http.MethodGet, "/executions/"+id, nil, &x)
	return x
}
