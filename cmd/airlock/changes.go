package main

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/audit"
	"github.com/computclaw/airlock/app/live"
)

// followEvery is how soon changes by airlock admin are noticed; sweepEvery is how often unclaimed
// profiles are sought.
const (
	followEvery = time.Second
	sweepEvery  = time.Hour
)

// followChanges watches the audit log for changes by airlock admin and nudges subscribers. It also
// removes agents' profiles that stay unclaimed. It returns at once; the watching ends with ctx, and
// s.following waits for that.
func (s *server) followChanges(ctx context.Context) error {
	newest, err := s.Access.Audit.Latest(ctx, 1)
	if err != nil {
		return err
	}
	var seen int64
	if len(newest) > 0 {
		seen = newest[0].Seq
	}
	s.following.Go(func() {
		tick, sweep := time.NewTicker(followEvery), time.NewTicker(sweepEvery)
		defer tick.Stop()
		defer sweep.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				seen = s.catchUp(ctx, seen)
			case <-sweep.C:
				if err := s.Access.Profiles.Sweep(ctx); err != nil && ctx.Err() == nil {
					s.log.Error("unclaimed profiles could not be removed", "error", err)
				}
			}
		}
	})
	return nil
}

// catchUp acts on every event after seen and returns the newest.
func (s *server) catchUp(ctx context.Context, seen int64) int64 {
	const page = 100
	for {
		before := seen
		events, err := s.Access.Audit.List(ctx, audit.Filter{Before: seen + page + 1, Limit: page})
		if err != nil && ctx.Err() == nil {
			s.log.Error("the audit log could not be read", "error", err)
		}
		for _, e := range slices.Backward(events) {
			if e.Seq <= seen {
				continue
			}
			if e.Actor.Kind == app.ActorCommand {
				s.react(e)
			}
			seen = e.Seq
		}
		if seen == before {
			return seen
		}
	}
}

func (s *server) react(e app.Event) {
	s.Hub.Publish(live.Audit)
	if e.Action == "transfer.import" {
		s.Hub.Publish(live.Profiles)
		s.Hub.Publish(live.Credentials)
		s.Hub.Publish(live.Executions)
	}
	kind, _, _ := strings.Cut(e.Action, ".")
	switch kind {
	case "profile":
		s.Hub.Publish(live.Profile(e.Subject))
		s.Hub.Publish(live.Profiles)
	case "credential":
		s.Hub.Publish(live.Credentials)
	}
}
