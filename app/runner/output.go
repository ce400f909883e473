package runner

import (
	"sync"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/app/runner/capture"
)

// output is what a script prints. It is safe for concurrent use.
type output struct {
	session *session
	changed func() // called when more text can be shown
	turns   capture.Turns

	mu     sync.Mutex
	stdout *capture.Capture // nil until open
	stderr *capture.Capture
	first  time.Time // of the first output
}

// open makes the captures.
func (o *output) open() {
	cfg := capture.Config{Limit: o.session.runner.cfg.Limits.Output, Turns: &o.turns, Changed: o.notePrinted,
		Redactor: o.session.redaction.current}
	flooded := func(stream string) func() { return func() { o.session.stop(stopFlood(stream, cfg.Limit)) } }
	second := cfg
	cfg.Flooded, second.Flooded, second.Second = flooded("stdout"), flooded("stderr"), true
	o.mu.Lock()
	defer o.mu.Unlock()
	o.stdout, o.stderr = capture.New(cfg), capture.New(second)
}

func (o *output) captures() (stdout, stderr *capture.Capture) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.stdout, o.stderr
}

func (o *output) writeStdout(p []byte) {
	stdout, _ := o.captures()
	stdout.Add(p)
}

func (o *output) writeStderr(p []byte) {
	_, stderr := o.captures()
	stderr.Add(p)
}

// notePrinted is called when more text can be shown.
func (o *output) notePrinted() {
	o.mu.Lock()
	if o.first.IsZero() {
		o.first = o.session.runner.cfg.Now()
	}
	o.mu.Unlock()
	o.changed()
}

// firstAt returns when the first output came.
func (o *output) firstAt() time.Time {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.first
}

// text returns what may be shown so far.
func (o *output) text() app.Output {
	stdout, stderr := o.captures()
	if stdout == nil {
		return app.Output{}
	}
	return app.Output{Stdout: stdout.Text(), Stderr: stderr.Text()}
}

// printedBytes returns how many bytes were printed.
func (o *output) printedBytes() int64 {
	stdout, stderr := o.captures()
	if stdout == nil {
		return 0
	}
	return stdout.CountPrinted() + stderr.CountPrinted()
}

// maxTail bounds how much of an output's end is read for hints, in bytes.
const maxTail = 4 << 10

// tails returns the ends of what was printed, not redacted.
func (o *output) tails() (stdout, stderr string) {
	first, second := o.captures()
	return first.Tail(maxTail), second.Tail(maxTail)
}

// raw returns output for the final redaction. After a stop it may end within a secret.
func (o *output) raw(stopped bool) (stdout, stderr redact.Output) {
	first, second := o.captures()
	return first.Whole(stopped), second.Whole(stopped)
}

func (o *output) keep(stdout, stderr redact.Clean) (keptOut, keptErr redact.Clean, cut bool) {
	first, second := o.captures()
	keptOut, cutOut := first.Keep(stdout)
	keptErr, cutErr := second.Keep(stderr)
	return keptOut, keptErr, cutOut || cutErr
}
