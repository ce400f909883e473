package hostile_test

import (
	"crypto/rand"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
)

// TestHoleH2LogOfAHost changes credentials by commands beside the server. What one profile sent to
// a host that keeps a log, another reads as [REDACTED], also after a rotation and a restart.
func TestHoleH2LogOfAHost(t *testing.T) {
	t.Parallel()
	w := e2e.NewTLSWorld(t)
	in := e2e.StartInstance(t, "AIRLOCK_LOCAL_SERVICES="+w.Services, "AIRLOCK_EXTRA_CA="+w.Roots)
	var values []string
	rotate := func(args ...string) {
		values = append(values, "sk-"+rand.Text())
		in.Admin(values[len(values)-1], append([]string{"credential", "set", "TOKEN"}, args...)...)
	}
	profile := func(args ...string) string {
		id := in.Admin("", append([]string{"profile", "create", "--host", "echo.test"}, args...)...)
		in.Admin("", "profile", "lock", id)
		return id
	}
	run := func(profile, script string) e2e.Execution {
		t.Helper()
		x := in.Await(in.Submit(profile, "import httpx\n"+script, time.Minute), time.Minute)
		if x.Status != "completed" {
			t.Fatalf("%s: %s\n%s", x.Status, x.Error, x.Stderr)
		}
		return x
	}
	const send = `httpx.get("https://echo.test/", headers={"Authorization": "Bearer " + settings["TOKEN"]})`
	// A script can tell the number of values past any redactor.
	const read = `
text = httpx.get("https://echo.test/log").text
print(text)
set_result(sum(line.startswith("Authorization: Bearer sk-") for line in text.splitlines()))`
	reads := func(when, profile string) {
		t.Helper()
		x := run(profile, read)
		if string(x.Result) != "0" || strings.Count(x.Stdout, "Authorization: Bearer [REDACTED]") != len(values) {
			t.Errorf("%s the script saw %s values:\n%s", when, x.Result, x.Stdout)
		}
	}
	rotate("--host", "echo.test")
	writer, reader := profile("--key", "TOKEN"), profile()
	run(writer, send)
	reads("at first", reader)
	rotate()
	run(writer, send)
	reads("after a rotation", reader)
	in.Stop()
	in.Start()
	reads("after a restart", reader)
	for _, v := range values {
		if !strings.Contains(w.SentTo("echo.test"), v) {
			t.Error("the host never had a value; the test shows nothing")
		}
	}
	detect(in, values)
}
