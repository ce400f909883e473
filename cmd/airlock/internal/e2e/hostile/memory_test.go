package hostile_test

import (
	"crypto/rand"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
)

// worstText is a submission whose texts cost the redactor most.
type worstText struct {
	name, script string
	inputs       any
	asks         bool // and waits for the answer; others complete
}

const (
	threeTexts = "import sys\nfor s in (sys.stdout, sys.stderr): s.write('%252541' * 140_000)\n" +
		"set_result('%252541' * 590_000)"
	twoMillion = "set_result([1] * 2_000_000)"
	asks       = "llm.complete('%252541' * 140_000)"
	leavesText = "save_file('a.txt', '%252541' * 590_000)\nsave_file('b.txt', '%252541' * 590_000)"
)

var worstTexts = []worstText{
	{name: "result", script: "set_result('%252541' * 590_000)"},
	{name: "three texts", script: threeTexts},
	{name: "numbers", script: twoMillion},
	{name: "prose", script: "print('an ordinary sentence, with signs & words. ' * 24_000)"},
	{name: "prompt", script: asks, asks: true},
	{name: "value", script: "k = settings.get('KEY')\nassert len(k) == 65_536\nprint((k * 20)[7:1_000_000])"},
	{name: "comment", script: "# " + strings.Repeat("%252541", 140_000)},
	{name: "inputs", script: "assert len(inputs) == 980_000", inputs: strings.Repeat("%252541", 140_000)},
	{name: "artifacts", script: leavesText},
	{name: "large artifact", script: "save_file('a.txt', '%252541' * 4_000_000)"},
}

// worstAtOnce are sent together, each under a profile of its own.
var worstAtOnce = []worstText{
	{name: "numbers and files", script: leavesText + "\n" + twoMillion}, {name: "numbers", script: twoMillion},
	{name: "numbers and text", script: "print('%252541' * 140_000)\n" + twoMillion}, {name: "numbers", script: twoMillion},
	{name: "prompt", script: threeTexts + "\n" + asks, asks: true},
}

// TestHoleH4MemoryOfTheServer: no text takes gigabytes of the server's memory, and neither do
// several at once.
func TestHoleH4MemoryOfTheServer(t *testing.T) {
	in := e2e.StartInstance(t, "AIRLOCK_POOL=1", "AIRLOCK_WORKERS=8")
	var value strings.Builder
	for value.Len() < app.MaxValue {
		value.WriteString(rand.Text() + "-")
	}
	in.Admin(value.String()[:app.MaxValue], "credential", "set", "KEY", "--mode", "injected")
	var profiles []string
	for range worstAtOnce {
		id := in.Admin("", "profile", "create", "--description", "memory", "--key", "KEY")
		in.Admin("", "profile", "lock", id)
		profiles = append(profiles, id)
	}
	checkMemory := func(name string) {
		peak := e2e.Peak(t, in.Server.Process.Pid) >> 10
		if t.Logf("%s: %d MiB", name, peak); peak >= 512 {
			t.Errorf("the server held %d MiB", peak)
		}
		e2e.ResetPeak(t, in.Server.Process.Pid)
	}
	for _, text := range worstTexts {
		text.await(in, text.send(in, profiles[0]))
		checkMemory(text.name)
	}
	var sent []e2e.Execution
	for i, text := range worstAtOnce {
		sent = append(sent, text.send(in, profiles[i]))
	}
	for i, text := range worstAtOnce {
		text.await(in, sent[i])
	}
	checkMemory("together")
}

func (w worstText) send(in *e2e.Instance, profile string) (x e2e.Execution) {
	in.T.Helper()
	body := map[string]any{"profile_id": profile, "script": w.script, "inputs": w.inputs, "timeout": 300}
	if code := in.Call(http.MethodPost, "/execute", body, &x); code != http.StatusAccepted {
		in.T.Fatalf("%s: %d", w.name, code)
	}
	return x
}

// await waits until the execution has the wanted status, and fails if it gets another end.
func (w worstText) await(in *e2e.Instance, x e2e.Execution) {
	in.T.Helper()
	want := "completed"
	if w.asks {
		want = "awaiting_llm"
	}
	e2e.Eventually(in.T, 5*time.Minute, w.name+" is "+want, func() bool {
		in.Call(http.MethodGet, "/executions/"+x.ID+"?wait=5", nil, &x)
		return x.Status == want || x.Terminal()
	})
	if x.Status != want {
		in.T.Errorf("%s: %s, %s", w.name, x.Status, x.Error)
	}
}
