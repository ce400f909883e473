package runner

import (
	"slices"
	"sync"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/redact"
)

// output is what a script prints. It is safe for concurrent use.
type output struct {
	run        *Run
	interleave interleave

	mu     sync.Mutex
	stdout *capture // nil until open
	stderr *capture
	first  time.Time // of the first output
}

func newOutput(r *Run) *output { return &output{run: r} }

// open makes the captures.
func (o *output) open() {
	redactor, limit := o.run.redaction.redactor, o.run.runner.cfg.Limits.Output
	flooded := func(stream string) func() { return func() { o.run.Stop(stopFlood(stream, limit)) } }
	o.mu.Lock()
	defer o.mu.Unlock()
	o.stdout = newCapture(redactor, limit, func(n int) { o.interleave.add(false, n) },
		func(n int) { o.interleave.remove(false, n) }, o.printed, flooded("stdout"))
	o.stderr = newCapture(redactor, limit, func(n int) { o.interleave.add(true, n) },
		func(n int) { o.interleave.remove(true, n) }, o.printed, flooded("stderr"))
}

func (o *output) captures() (stdout, stderr *capture) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.stdout, o.stderr
}

func (o *output) writeStdout(p []byte) {
	stdout, _ := o.captures()
	stdout.write(p)
}

func (o *output) writeStderr(p []byte) {
	_, stderr := o.captures()
	stderr.write(p)
}

// printed is called when more text can be shown.
func (o *output) printed() {
	o.mu.Lock()
	if o.first.IsZero() {
		o.first = o.run.runner.cfg.Now()
	}
	o.mu.Unlock()
	o.run.notifier.schedule()
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
	return app.Output{Stdout: stdout.text(), Stderr: stderr.text()}
}

// printedBytes returns how many bytes were printed.
func (o *output) printedBytes() int64 {
	stdout, stderr := o.captures()
	if stdout == nil {
		return 0
	}
	return stdout.printed() + stderr.printed()
}

// tails returns the ends of what was printed, not redacted.
func (o *output) tails() []string {
	stdout, stderr := o.captures()
	if stdout == nil {
		return nil
	}
	return []string{stdout.tail(), stderr.tail()}
}

// raw returns what was printed for the final redaction. If the script was stopped, it may end
// within a secret.
func (o *output) raw(stopped bool) (stdout, stderr redact.Output) {
	first, second := o.captures()
	return first.whole(stopped), second.whole(stopped)
}

// keep returns what is stored of the redacted output, and whether some was cut.
func (o *output) keep(stdout, stderr redact.Clean) (keptOut, keptErr redact.Clean, cut bool) {
	first, second := o.captures()
	keptOut, cutOut := first.keep(stdout)
	keptErr, cutErr := second.keep(stderr)
	return keptOut, keptErr, cutOut || cutErr
}

// maxTurns bounds the turns that are remembered; later output counts as two long ones. A script
// that prints a byte here and a byte there would have Airlock remember millions.
const maxTurns = 100_000

// interleave records how two streams take turns. It is safe for concurrent use.
type interleave struct {
	mu      sync.Mutex
	lengths []int // by turns, the first stream first
}

// add notes n bytes of the first or the second stream.
func (t *interleave) add(second bool, n int) {
	if n == 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if last := len(t.lengths) - 1; last >= 0 && (last%2 == 1) == second {
		t.lengths[last] += n
		return
	}
	if len(t.lengths) >= maxTurns {
		t.lengths[len(t.lengths)-2] += n // the same stream's last turn
		return
	}
	if len(t.lengths) == 0 && second {
		t.lengths = append(t.lengths, 0)
	}
	t.lengths = append(t.lengths, n)
}

// remove takes the last n bytes of a stream back.
func (t *interleave) remove(second bool, n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := len(t.lengths) - 1; i >= 0 && n > 0; i-- {
		if (i%2 == 1) == second {
			taken := min(n, t.lengths[i])
			t.lengths[i] -= taken
			n -= taken
		}
	}
}

func (t *interleave) list() []int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.lengths)
}
