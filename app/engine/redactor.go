package engine

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/redact"
)

// redactor returns what takes these values, and what looks like a secret, out of whatever leaves a box.
func (e *Engine) redactor(values []redact.Value) *redact.Redactor {
	return redact.New(values, redact.Options{Patterns: e.cfg.Patterns, Ahead: e.cfg.Ahead})
}

// redactor takes secrets out of what leaves a box: first the execution's own, then what else its hosts may have shown it. The second
// pass sees exactly what the first lets through.
type redactor struct {
	own    *redact.Redactor
	others *redact.Redactor // nil: there is nothing else
	err    error            // what else there is could not be read, so nothing is let through
}

// redactor is the one for what leaves the box now.
func (r *run) redactor() redactor {
	r.mu.Lock()
	own := r.red
	r.mu.Unlock()
	others, err := r.others()
	if err != nil {
		r.e.cfg.Log.Error("the values that its hosts may show could not be read", "execution", r.x.Handle, "error", err)
	}
	return redactor{own, others, err}
}

// others finds the values of all credentials of the hosts that the script may reach, once it has tried to reach any; nil if there are
// none but its own.
func (r *run) others() (*redact.Redactor, error) {
	r.mu.Lock()
	hosts, secrets, reached := r.grant.hosts, r.grant.secrets, r.reached
	r.mu.Unlock()
	if !reached {
		return nil, nil
	}
	own := make([]app.Secret, len(secrets))
	for i, v := range secrets {
		own[i] = v.Secret
	}
	return r.e.cfg.Access.SearchSets().Redactor(context.WithoutCancel(r.ctx), hosts, own)
}

// liveLife is how long the live view relies on what else its hosts may have shown.
const liveLife = time.Second

// liveOthers is others for the live view, which asks with each piece of output: the store is asked once in liveLife. A failure of the
// store is logged and kept as long.
func (r *run) liveOthers() func() (*redact.Redactor, error) {
	var mu sync.Mutex
	var until time.Time
	var red *redact.Redactor
	var err error
	return func() (*redact.Redactor, error) {
		mu.Lock()
		defer mu.Unlock()
		r.mu.Lock()
		reached := r.reached
		r.mu.Unlock()
		if reached && !time.Now().Before(until) {
			if red, err = r.others(); err != nil {
				r.e.cfg.Log.Error("output is held back from the live view: the values that its hosts may show could not be read", "execution", r.x.Handle, "error", err)
			}
			until = time.Now().Add(liveLife)
		}
		return red, err
	}
}

// unchecked stands for a text that could not be searched.
func unchecked() (redact.Clean, redact.Hits) {
	return redact.Fixed("[REDACTED: could not be checked]"), redact.Hits{{Count: 1}}
}

func (r redactor) Text(text string) (redact.Clean, redact.Hits) {
	return r.again(r.own.Text(text))
}

// Cut doesn't mask what may begin a value of others: a script that never held one could find it byte by byte.
func (r redactor) Cut(text string) (redact.Clean, redact.Hits) {
	return r.again(r.own.Cut(text))
}

func (r redactor) again(clean redact.Clean, hits redact.Hits) (redact.Clean, redact.Hits) {
	switch {
	case r.err != nil:
		return unchecked()
	case r.others == nil:
		return clean, hits
	}
	clean, more := r.others.Text(clean.String())
	return clean, hits.Plus(ofOthers(more))
}

func (r redactor) After(said []string, text string) (redact.Clean, redact.Hits) {
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

func (r redactor) Texts(texts []string) []redact.Clean {
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

func (r redactor) Execution(x redact.Execution) (redact.Cleaned, error) {
	if r.err != nil {
		return redact.Cleaned{}, r.err
	}
	clean, err := r.own.Execution(x)
	if err != nil || r.others == nil {
		return clean, err
	}
	second := redact.Execution{
		Stdout: redact.Output{Raw: []byte(clean.Stdout.String())}, Stderr: redact.Output{Raw: []byte(clean.Stderr.String())}, Turns: clean.Turns,
		Error: clean.Error.String(), Network: stringsOf(clean.Network), Said: x.Said,
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

// ofOthers are hits of values that are none of the execution's, of other credentials or earlier ones of its own.
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
