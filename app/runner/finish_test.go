package runner_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/app/engine/enginetest"
	"github.com/computclaw/airlock/app/engine/enginetest/leak"
	"github.com/computclaw/airlock/app/executions"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/app/runner"
	"github.com/computclaw/airlock/store"
)

func TestEndings(t *testing.T) {
	t.Parallel()
	small := func(c *engine.Config) { c.Limits = app.DefaultLimits(); c.Limits.Output, c.Limits.Result = 1000, 200 }
	w := newWorld(t, small)
	tests := []struct {
		name, script string
		status       app.Status
		says         []string // in the error
		stdout       string
	}{
		{name: "completed", script: "print hello\nresult {\"a\":1}", status: app.StatusCompleted, stdout: "hello\n"},
		{name: "exit code", script: "exit 3", status: app.StatusError, says: []string{"exit code 3"}},
		{name: "exit 137 by itself is no memory limit", script: "exit 137", status: app.StatusError,
			says: []string{"exit code 137"}},
		{name: "signal", script: "signal 11", status: app.StatusError,
			says: []string{"signal 11", "segmentation fault"}},
		{name: "exception", script: "fail ValueError: no\nexit 1", status: app.StatusError,
			says: []string{"Traceback", "line 7", "ValueError: no"}},
		{name: "a package that isn't there", script: "fail ModuleNotFoundError: No module named 'x'\nexit 1",
			status: app.StatusError, says: []string{"No module named 'x'", "GET /packages"}},
		{name: "a claimed failure with exit 0", script: "fail ValueError: no", status: app.StatusCompleted},
		{name: "memory", script: "oom", status: app.StatusError, says: []string{"512 MiB", "AIRLOCK_LIMIT_MEMORY"}},
		{name: "processes", script: "pids", status: app.StatusError,
			says: []string{"64 processes", "AIRLOCK_LIMIT_PIDS"}},
		{name: "backend lost", script: "print before\nlost", status: app.StatusError,
			says: []string{"the sandbox was lost"}},
		{name: "link lost", script: "print before\ncut", status: app.StatusError,
			says: []string{"the link to the machine or container engine that it ran on broke", "safe to run twice"}},
		{name: "box ends first", script: "vanish", status: app.StatusError,
			says: []string{"ended before the script did"}},
		{name: "garbage", script: "garbage", status: app.StatusError, says: []string{"broke the channel"}},
		{name: "bad result", script: "result {\"a\":", status: app.StatusError},
		{name: "cut output", script: "flood 5000", status: app.StatusCompleted, stdout: strings.Repeat("x", 1000)},
		{name: "flood", script: "flood 40000\nhang", status: app.StatusError,
			says: []string{"stdout", "AIRLOCK_LIMIT_OUTPUT"}, stdout: strings.Repeat("x", 1000)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			x, out := w.Finished(tt.script, tt.status)
			for _, s := range tt.says {
				if !strings.Contains(x.Error, s) {
					t.Errorf("error %q doesn't say %q", x.Error, s)
				}
			}
			if tt.status == app.StatusCompleted && x.Error != "" {
				t.Errorf("completed with the error %q", x.Error)
			}
			if tt.stdout != "" && out.Stdout != tt.stdout {
				t.Errorf("stdout %q, want %q", out.Stdout, tt.stdout)
			}
			if x.CompletedAt.IsZero() || x.StartedAt.IsZero() {
				t.Errorf("times are missing: %+v", x)
			}
			if wantCut := strings.HasPrefix(tt.script, "flood"); x.Truncated != wantCut {
				t.Errorf("truncated %v, want %v", x.Truncated, wantCut)
			}
		})
	}
}

// A box may be lost as an answer wakes it, or stay frozen.
func TestEndsOfBoxesThatDoNotWakeUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for script, says := range map[string]string{
		"gone\nask one\ncut":   "the link to the machine or container engine that it ran on broke",
		"gone\nask one\nlost":  "its backend ended or was restarted",
		"stuck\nask one\nhang": "stopped responding",
	} {
		x := w.Send(script)
		w.Until(x, app.StatusAwaitingLLM)
		_, err := w.Controller.Respond(t.Context(), x.ID, runner.Answer{Text: "yes", By: enginetest.Agent})
		w.Must(err)
		if x = w.UntilStatus(x, app.StatusError); !strings.Contains(x.Error, says) {
			t.Errorf("%q ended with %q, not with %q", script, x.Error, says)
		}
	}
}

func TestResultAndManifest(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	x, out := w.Finished(`result {"b":1,"a":[2]}`, app.StatusCompleted)
	if string(out.Result) != `{"b":1,"a":[2]}` { // in the script's order; its hash is of sorted keys
		t.Errorf("result %s", out.Result)
	}
	m := x.Manifest
	if m.ResultHash != runner.Digest([]byte(`{"a":[2],"b":1}`)) || m.Script != runner.Digest([]byte(`result {"b":1,"a":[2]}`)) ||
		m.Inputs != "" || m.LLM != "" || m.Python != "3.11.2" ||
		m.Runtime != "fake" || m.Policy == "" || m.Limits != app.DefaultLimits() {
		t.Errorf("manifest %+v", m)
	}
	if x.Backend != "fake" || x.Isolation != "full" || x.Policy != 1 || len(x.Injected) != 1 ||
		x.Injected[0] != "API_KEY" {
		t.Errorf("execution %+v", x)
	}
}

func TestRedactionInEveryChannel(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	x := w.Send(fmt.Sprintf("print key %[1]s\nwarn key %[1]s\nask key %[1]s\ndial %[1]s.example.com 443\nresult "+
		"{\"%[1]s\":[\"%[1]s\"]}\nfail %[1]s\nexit 1", enginetest.SecretValue))
	asked := w.Until(x, app.StatusAwaitingLLM)
	if strings.Contains(asked.Request.Prompt, enginetest.SecretValue) ||
		!strings.Contains(asked.Request.Prompt, "REDACTED") {
		t.Errorf("prompt %q", asked.Request.Prompt)
	}
	_, err := w.Controller.Respond(t.Context(), x.ID,
		runner.Answer{Text: "the answer is " + enginetest.SecretValue, By: enginetest.Agent})
	w.Must(err)
	x = w.Until(x, app.StatusError)
	out, err := w.Reader.Output(t.Context(), x.Handle)
	w.Must(err)
	exchanges, err := w.Reader.Exchanges(t.Context(), x.Handle)
	w.Must(err)
	network, err := w.Reader.Network(t.Context(), x.Handle)
	w.Must(err)
	script, _, err := w.Reader.ReadSubmitted(t.Context(), x.Handle)
	w.Must(err)
	seen := fmt.Sprintf("%+v %+v %s %+v %+v %s", x, out, out.Result, exchanges, network, script)
	if strings.Contains(strings.ToLower(seen), strings.ToLower(enginetest.SecretValue)) {
		t.Errorf("the secret is in %s", seen)
	}
	for _, text := range []string{x.Error, out.Stdout, out.Stderr, string(out.Result), exchanges[0].Prompt,
		exchanges[0].Response, script} {
		if !strings.Contains(text, "REDACTED") {
			t.Errorf("nothing is masked in %q", text)
		}
	}
	var hits map[string]redact.Hits
	w.Must(w.Store.Read(t.Context(), func(tx *store.Tx) (err error) {
		hits, err = tx.Executions.RedactionHits(t.Context(), x.Handle)
		return err
	}))
	total := 0
	for _, channel := range []string{"stdout", "stderr", "error", "result", "prompt", "answer", "network"} {
		for _, h := range hits[channel] {
			if h.Name != "API_KEY" || h.Count == 0 {
				t.Errorf("%s: %+v", channel, h)
			}
		}
		if total += hits[channel].Total(); len(hits[channel]) == 0 {
			t.Errorf("nothing is counted for %s: %+v", channel, hits)
		}
	}
	if x.Redactions != total || len(network) == 0 {
		t.Errorf("redactions %d, hits %+v, network %v", x.Redactions, hits, network)
	}
}

func TestSettingsInputsAndHints(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	x, _, err := w.Submitter.Submit(t.Context(),
		executions.Submission{ProfileID: w.Profile.ID,
			Script: "setting DB_HOST\nsetting API_KEY\ninputs\ndial evil.example.com 443\nexit 1",
			Inputs: []byte(`{"n":[1, 2]}`), By: enginetest.Agent})
	w.Must(err)
	x = w.Until(x, app.StatusError)
	out, err := w.Reader.Output(t.Context(), x.Handle)
	w.Must(err)
	want := "db.example.com\n[REDACTED...6789]\n{\"n\":[1, 2]}\ndial: false\n"
	if out.Stdout != want {
		t.Errorf("stdout %q, want %q", out.Stdout, want)
	}
	if !strings.Contains(x.Error, "evil.example.com:443 is not on this profile's host list") ||
		!strings.Contains(x.Error, "What to do is in the execution's network list.") {
		t.Errorf("error %q", x.Error)
	}
	network, err := w.Reader.Network(t.Context(), x.Handle)
	w.Must(err)
	if len(network) != 1 || network[0].Verdict != app.VerdictDenied || network[0].Host != "evil.example.com" {
		t.Errorf("network %+v", network)
	}
}

// A mask is longer than a short secret. A backup has room for twice the result.
func TestAResultThatMasksMakeTooLongIsNotKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *engine.Config) { c.Limits = app.DefaultLimits(); c.Limits.Result = 200 })
	_, err := w.Access.Credentials.Set(t.Context(), enginetest.Person,
		credentials.Input{Name: "API_KEY", Mode: app.ModeInjected, Value: app.NewSecret("Zq7x")})
	w.Must(err)
	x, out := w.Finished(`result "`+strings.Repeat("Zq7x ", 30)+`"`, app.StatusCompleted)
	if len(out.Result) <= 200 || strings.Contains(string(out.Result), "Zq7x") {
		t.Errorf("%+v %s", x, out.Result)
	}
	x, out = w.Finished(`result "`+strings.Repeat("Zq7x ", 39)+`"`, app.StatusError)
	if !strings.Contains(x.Error, "with its secrets masked it is larger than 400 bytes") || out.Result != nil {
		t.Errorf("%+v %s", x, out.Result)
	}
}

// TestErrorCutWithinSecret puts a secret across the cuts of a long error, every third byte.
func TestErrorCutWithinSecret(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	check := func(message string) {
		t.Helper()
		x, _ := w.Finished("fail "+message+"\nexit 1", app.StatusError)
		if got := leak.Shown(x.Error, enginetest.SecretValue); got > 4 || len(x.Error) > runner.MaxError ||
			len(x.Error) < runner.MaxError-100 {
			t.Errorf("%d bytes are shown, of %d", got, len(x.Error))
		}
	}
	for n := 0; n <= len(enginetest.SecretValue); n += 3 { // each place costs a pass over 64 KiB
		const before = runner.MaxError/2 - len("Traceback:\n  line 7\n") - len("\n… 12345 bytes …\n")/2
		check(strings.Repeat("A", before-n) + enginetest.SecretValue + strings.Repeat("B",
			60000)) // where the engine cuts
		check(strings.Repeat("A",
			70000) + enginetest.SecretValue[:n]) // where the guest did
	}
}
