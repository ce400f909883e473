package runner

import (
	"context"
	"encoding/json"
	"maps"
	"sync"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/redact"
)

// redaction takes secrets out of everything that leaves one execution, and counts them.
// It is safe for concurrent use.
type redaction struct {
	runner *Runner
	handle string

	mu      sync.Mutex
	own     *redact.Redactor // of the execution's own values
	held    []app.Secret
	hosts   []app.Host             // that the script may reach
	reached bool                   // it has tried to
	hits    map[string]redact.Hits // by channel
}

func newRedaction(runner *Runner, handle string) *redaction {
	return &redaction{
		runner: runner, handle: handle, own: redact.New(nil, runner.cfg.Redaction), hits: map[string]redact.Hits{},
	}
}

// setOwn replaces the values of the first pass.
func (r *redaction) setOwn(values []redact.Value) {
	own := redact.New(values, r.runner.cfg.Redaction)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.own = own
}

// setGrant sets what the second pass goes by.
func (r *redaction) setGrant(g grant) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.hosts = g.hosts
	r.held = make([]app.Secret, len(g.masked))
	for i, v := range g.masked {
		r.held[i] = v.Secret
	}
}

// noteReached says that the script has tried to reach something.
func (r *redaction) noteReached() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reached = true
}

// first returns the redactor of the execution's own values.
func (r *redaction) first() *redact.Redactor {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.own
}

// second returns the redactor for other values that the execution's hosts may have shown; nil if there are none, or
// the script has not tried to reach anything.
func (r *redaction) second() (*redact.Redactor, error) {
	r.mu.Lock()
	hosts, held, reached := r.hosts, r.held, r.reached
	r.mu.Unlock()
	if !reached {
		return nil, nil
	}
	// Not the execution's context: its end is redacted after that has ended.
	return r.runner.cfg.Access.SearchSets().Redactor(context.Background(), hosts, held)
}

// liveLife is how long the live view relies on what its hosts may have shown.
const liveLife = time.Second

// liveSecond returns second for the live view, which asks with each piece of output: the store is asked once in
// liveLife. Its failure is logged and kept as long.
func (r *redaction) liveSecond() func() (*redact.Redactor, error) {
	var mu sync.Mutex
	var until time.Time
	var others *redact.Redactor
	var err error
	return func() (*redact.Redactor, error) {
		mu.Lock()
		defer mu.Unlock()
		if r.hasReached() && !time.Now().Before(until) {
			if others, err = r.second(); err != nil {
				r.runner.cfg.Log.Error("output is held back from the live view: the values that its hosts may show "+
					"could not be read", "execution", r.handle, "error", err)
			}
			until = time.Now().Add(liveLife)
		}
		return others, err
	}
}

func (r *redaction) hasReached() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.reached
}

// redactor returns both passes as they are now.
func (r *redaction) redactor() twoPass {
	own := r.first()
	others, err := r.second()
	if err != nil {
		r.runner.cfg.Log.Error("the values that its hosts may show could not be read",
			"execution", r.handle, "error", err)
	}
	return twoPass{own, others, err}
}

// text redacts a text for the record.
func (r *redaction) text(channel, text string) redact.Clean {
	clean, hits := r.redactor().Text(text)
	r.count(channel, hits)
	return clean
}

// cutText redacts a text whose end may have been cut off.
func (r *redaction) cutText(channel, text string) redact.Clean {
	clean, hits := r.redactor().Cut(text)
	r.count(channel, hits)
	return clean
}

func (r *redaction) count(channel string, hits redact.Hits) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.hits[channel] = r.hits[channel].Plus(hits)
}

// counted returns the hits so far, by channel.
func (r *redaction) counted() map[string]redact.Hits {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.hits)
}

// twoPass redacts an execution's own values first, then others that its hosts may have shown it.
// The second pass sees exactly what the first lets through.
type twoPass struct {
	own    *redact.Redactor
	others *redact.Redactor // nil: there are no others
	err    error            // the others could not be read, so nothing is let through
}

// unchecked returns the stand-in for a text that could not be redacted.
func unchecked() (redact.Clean, redact.Hits) {
	return redact.Fixed("[REDACTED: could not be checked]"), redact.Hits{{Count: 1}}
}

// Text redacts one text.
func (r twoPass) Text(text string) (redact.Clean, redact.Hits) {
	return r.secondPass(r.own.Text(text))
}

// Cut redacts a text whose end may be missing. It doesn't mask what may begin a value of others: a script that never
// held one could find it byte by byte.
func (r twoPass) Cut(text string) (redact.Clean, redact.Hits) {
	return r.secondPass(r.own.Cut(text))
}

func (r twoPass) secondPass(clean redact.Clean, hits redact.Hits) (redact.Clean, redact.Hits) {
	switch {
	case r.err != nil:
		return unchecked()
	case r.others == nil:
		return clean, hits
	}
	clean, more := r.others.Text(clean.String())
	return clean, hits.Plus(ofOthers(more))
}

// After redacts a text together with what was said before it.
func (r twoPass) After(said []string, text string) (redact.Clean, redact.Hits) {
	clean, hits := r.own.After(said, text)
	switch {
	case r.err != nil:
		return unchecked()
	case r.others == nil:
		return clean, hits
	}
	clean, more := r.others.After(said, clean.String())
	return clean, hits.Plus(ofOthers(more))
}

// Texts redacts several texts as one.
func (r twoPass) Texts(texts []string) []redact.Clean {
	clean, _ := r.own.Texts(texts)
	switch {
	case r.err != nil:
		for i := range clean {
			clean[i], _ = unchecked()
		}
	case r.others != nil:
		clean, _ = r.others.Texts(stringsOf(clean))
	}
	return clean
}

// Execution redacts everything that came out of an execution, as one.
func (r twoPass) Execution(x redact.Execution) (redact.Cleaned, error) {
	if r.err != nil {
		return redact.Cleaned{}, r.err
	}
	clean, err := r.own.Execution(x)
	if err != nil || r.others == nil {
		return clean, err
	}
	second := redact.Execution{
		Stdout: redact.Output{Raw: []byte(clean.Stdout.String())}, Stderr: redact.Output{Raw: []byte(clean.Stderr.String())},
		Turns: clean.Turns, Error: clean.Error.String(), Network: stringsOf(clean.Network), Said: x.Said,
	}
	if clean.Result != nil {
		second.Result = json.RawMessage(clean.Result.String())
	}
	twice, err := r.others.Execution(second)
	for channel, hits := range twice.Hits {
		twice.Hits[channel] = ofOthers(hits)
	}
	for channel, hits := range clean.Hits {
		twice.Hits[channel] = hits.Plus(twice.Hits[channel])
	}
	return twice, err
}

// ofOthers marks hits of values that are none of the execution's, of other credentials or earlier ones of its own.
func ofOthers(hits redact.Hits) redact.Hits {
	var out redact.Hits
	for _, h := range hits {
		if h.Name != "" {
			h.Rule = redact.RuleNotGiven
		}
		out = out.Plus(redact.Hits{h})
	}
	return out
}

func stringsOf(clean []redact.Clean) []string {
	texts := make([]string, len(clean))
	for i, c := range clean {
		texts[i] = c.String()
	}
	return texts
}
