package runner

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"weak"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/store"
)

// redaction redacts and counts secrets in everything that leaves one execution. Safe for concurrent
// use.
type redaction struct {
	runner *Runner
	handle string

	making   sync.Mutex // taken before mu
	red      *redact.Redactor
	redacted []secrets.Resolved // that red looks for
	failing  bool               // the values of others could not be read last time

	mu      sync.Mutex
	own     []secrets.Resolved     // of the execution
	given   []secrets.Resolved     // the same, to ask what Vault gave to others in their place
	hosts   []app.Host             // that the script may reach
	reached bool                   // it has tried to
	hits    map[string]redact.Hits // by channel
}

func newRedaction(runner *Runner, handle string) *redaction {
	return &redaction{runner: runner, handle: handle, hits: map[string]redact.Hits{}}
}

// setOwn sets the execution's own values.
func (r *redaction) setOwn(g grant) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.own, r.given = g.inMode(app.ModeSealed, app.ModeInjected), g.values
}

// setHosts sets where the script may meet values of others.
func (r *redaction) setHosts(hosts []app.Host) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.hosts = hosts
}

// noteReached says that the script has tried to reach something.
func (r *redaction) noteReached() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reached = true
}

// redactor returns the redactor for present output. It is the same one until the searched values
// change.
func (r *redaction) redactor() checkedRedactor {
	r.making.Lock()
	defer r.making.Unlock()
	r.mu.Lock()
	values, hosts, reached := r.own, r.hosts, r.reached
	given := r.given
	r.mu.Unlock()
	// Asked each time: another execution may have read a new Vault value.
	values = append(slices.Clip(values), r.runner.cfg.Resolver.Earlier(given)...)
	if reached {
		// Not the execution's context: its end is redacted after that has ended.
		others, err := r.runner.cfg.SearchSets.Others(context.Background(), hosts, values)
		if err != nil && !r.failing { // the live view asks with each piece of output
			r.runner.cfg.Log.Error("could not read the values that its hosts may show",
				"execution", r.handle, "error", err)
		}
		if r.failing = err != nil; r.failing {
			return checkedRedactor{err: err}
		}
		values = slices.Concat(values, others)
	}
	if r.red == nil || !slices.EqualFunc(values, r.redacted, sameValue) {
		r.red, r.redacted = r.runner.Redactor(values), values
	}
	return checkedRedactor{red: r.red}
}

// current returns the redactor for present output, or why nothing can be redacted.
func (r *redaction) current() (*redact.Redactor, error) {
	now := r.redactor()
	return now.red, now.err
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

// countHits returns the hits so far, by channel.
func (r *redaction) countHits() map[string]redact.Hits {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.hits)
}

// checkedRedactor removes secrets from texts that leave a box.
//
// It looks for the execution's own values, others that its hosts may have shown, and texts that
// look like secrets. It does so in one pass: a second would miss what the first masked in part.
type checkedRedactor struct {
	red *redact.Redactor
	err error // the values of others could not be read, so nothing is let through
}

// standIn returns the stand-in for a text that could not be redacted.
func standIn() (redact.Clean, redact.Hits) {
	return redact.Fixed("[REDACTED: could not be checked]"), redact.Hits{{Count: 1}}
}

// Text redacts one text.
func (r checkedRedactor) Text(text string) (redact.Clean, redact.Hits) {
	if r.err != nil {
		return standIn()
	}
	return r.red.Text(text)
}

// Cut redacts a text whose end may be missing.
func (r checkedRedactor) Cut(text string) (redact.Clean, redact.Hits) {
	if r.err != nil {
		return standIn()
	}
	return r.red.Cut(text)
}

// Texts redacts several texts as one.
func (r checkedRedactor) Texts(texts []string) []redact.Clean {
	if r.err != nil {
		clean, _ := standIn()
		return slices.Repeat([]redact.Clean{clean}, len(texts))
	}
	clean, _ := r.red.Texts(texts)
	return clean
}

// Execution redacts everything that came out of an execution, as one.
func (r checkedRedactor) Execution(x redact.Execution) (redact.Cleaned, error) {
	if r.err != nil {
		return redact.Cleaned{}, r.err
	}
	return r.red.Execution(x)
}

// Show returns what was submitted as people may see it.
func Show(red *redact.Redactor, s Source) store.Shown { return show(checkedRedactor{red: red}, s) }

// show redacts the script as text and the inputs as JSON, keeping their shape.
func show(red checkedRedactor, s Source) store.Shown {
	script, _ := red.Text(string(s.Script))
	if s.Inputs == nil {
		return store.Shown{Script: script}
	}
	cleaned, err := red.Execution(redact.Execution{Result: json.RawMessage(s.Inputs)})
	if err != nil || cleaned.Result == nil {
		return store.Shown{Script: script, Inputs: redact.Fixed(`"[REDACTED: could not be checked]"`)}
	}
	return store.Shown{Script: script, Inputs: *cleaned.Result}
}

// sharedRedactors remembers the redactors in use. Executions with the same values share one, which
// is large and slow to make. Safe for concurrent use.
type sharedRedactors struct {
	mu    sync.Mutex
	inUse []sharedRedactor
}

type sharedRedactor struct {
	values []secrets.Resolved
	red    weak.Pointer[redact.Redactor]
}

// Redactor returns the redactor of the values, which others in use may share.
func (r *Runner) Redactor(values []secrets.Resolved) *redact.Redactor {
	return r.redactors.redactor(values, r.cfg.Redaction)
}

// redactor returns the shared redactor of the values, made if needed. options never differ.
func (s *sharedRedactors) redactor(values []secrets.Resolved, options redact.Options) *redact.Redactor {
	if red := s.find(values); red != nil {
		return red
	}
	red := redact.New(values, options)
	s.add(values, red)
	return red
}

func (s *sharedRedactors) find(values []secrets.Resolved) *redact.Redactor {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, shared := range s.inUse {
		if slices.EqualFunc(shared.values, values, sameValue) {
			return shared.red.Value()
		}
	}
	return nil
}

func (s *sharedRedactors) add(values []secrets.Resolved, red *redact.Redactor) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inUse = slices.DeleteFunc(s.inUse, func(shared sharedRedactor) bool { return shared.red.Value() == nil })
	s.inUse = append(s.inUse, sharedRedactor{values, weak.Make(red)})
}

// sameValue reports whether a redactor does the same with both values.
func sameValue(a, b secrets.Resolved) bool {
	return a.Key == b.Key && a.Placeholder == b.Placeholder && a.Held == b.Held && a.Secret.Equal(b.Secret)
}
