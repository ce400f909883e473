package runner

import (
	"slices"
	"sync"
	"weak"

	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/app/secrets"
)

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
