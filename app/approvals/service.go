package approvals

import (
	"sync/atomic"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/live"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/store"
)

// Config is what New needs.
type Config struct {
	Store *store.Store
	Hub   *live.Hub
	Now   func() time.Time // in UTC and whole milliseconds
}

// Service asks people and keeps their decisions. It is safe for concurrent use.
type Service struct {
	store    *store.Store
	hub      *live.Hub
	now      func() time.Time
	observer atomic.Pointer[Observer]
}

// New returns a Service.
func New(cfg Config) *Service { return &Service{store: cfg.Store, hub: cfg.Hub, now: cfg.Now} }

// Observer hears what became of executions that waited.
type Observer struct {
	Released func()                                  // some are in the queue now
	Ended    func(x app.Execution, end store.Finish) // one ended without having run
}

// Notify replaces the observer by o.
func (s *Service) Notify(o Observer) { s.observer.Store(&o) }

// Effect is what a decision did to executions.
type Effect struct {
	released []string // handles
	ended    []ended
}

type ended struct {
	x   app.Execution
	end store.Finish
}

// Announce tells everybody about an effect, once it is committed.
func (s *Service) Announce(e Effect) {
	handles := e.released
	o := s.observer.Load()
	for _, one := range e.ended {
		handles = append(handles, one.x.Handle)
		if o != nil {
			o.Ended(one.x, one.end)
		}
	}
	if len(e.released) > 0 && o != nil {
		o.Released()
	}
	s.hub.PublishExecutions(handles...)
}

// clean returns our own text, which may quote a person, as redact.Clean.
func clean(text string) redact.Clean {
	c, _ := redact.New(nil).Text(text)
	return c
}
