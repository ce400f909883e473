package runner

import (
	"context"
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
