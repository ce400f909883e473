package runner

import (
	"slices"
	"sync"
	"weak"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/redact"
)

// sharedRedactors remembers the redactors in use. Executions with the same values share one, which
// is large and slow to make. Safe for concurrent use.
type sharedRedactors struct {
	mu    sync.Mutex
	inUse []sharedRedactor
}

type sharedRedactor struct {
	values []redact.Value
	red    weak.Pointer[redact.Redactor]
}

// redactor returns the shared redactor of the values, made if needed. options never differ.
func (s *sharedRedactors) redactor(values []redact.Value, options redact.Options) *redact.Redactor {
	if red := s.find(values); red != nil {
		return red
	}
	red := redact.New(values, options)
	s.add(values, red)
	return red
}

func (s *sharedRedactors) find(values []redact.Value) *redact.Redactor {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, shared := range s.inUse {
		if slices.EqualFunc(shared.values, values, sameValue) {
			return shared.red.Value()
		}
	}
	return nil
}

func (s *sharedRedactors) add(values []redact.Value, red *redact.Redactor) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inUse = slices.DeleteFunc(s.inUse, func(shared sharedRedactor) bool { return shared.red.Value() == nil })
	s.inUse = append(s.inUse, sharedRedactor{values, weak.Make(red)})
}

func sameValue(a, b redact.Value) bool {
	equal := a.Secret.Equal(b.Secret)
	a.Secret, b.Secret = app.Secret{}, app.Secret{}
	return equal && a == b
}
