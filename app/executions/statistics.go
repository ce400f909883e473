package executions

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/store"
)

// Period is how far back statistics look.
type Period struct {
	Bars  int           // how many
	Width time.Duration // of each: one of the store's spans
}

// Length is the whole period.
func (p Period) Length() time.Duration { return time.Duration(p.Bars) * p.Width }

// Day24 is the last day by hours.
func Day24() Period { return Period{24, store.Hourly} }

// Days7 is the last week by quarters of a day.
func Days7() Period { return Period{28, store.Quarterly} }

// Days30 is the last month by days.
func Days30() Period { return Period{30, store.Daily} }

// Usage is what ended in a period, up to now.
type Usage struct {
	From, To time.Time // the last bar reaches beyond now
	Bars     []Bar     // oldest first
	Total    Figures
	Before   Figures // of the period of the same length before it
	Profiles []ProfileFigures
}

// Bar sums up the ends of one stretch of time.
type Bar struct {
	Start   time.Time
	Counts  map[app.Status]int64
	Average time.Duration // as in Figures
	P95     time.Duration
}

// Figures sum up executions that ended.
type Figures struct {
	Runs     int64
	Failed   int64 // error or timeout
	Counts   map[app.Status]int64
	Average  time.Duration // of the run clock, over those that started
	P95      time.Duration // likewise, to two digits
	Profiles int           // that had any
}

// ErrorRate is the share that failed, 0 to 1.
func (f Figures) ErrorRate() float64 {
	if f.Runs == 0 {
		return 0
	}
	return float64(f.Failed) / float64(f.Runs)
}

// ProfileFigures are the figures of one profile.
type ProfileFigures struct {
	Handle, Profile string // Profile: description as of its last execution
	Figures
}

// Statistics counts ended executions, and the space of all.
type Statistics struct{ cfg Config }

// Usage reads the statistics, which stay when executions are deleted.
func (s *Statistics) Usage(ctx context.Context, p Period) (Usage, error) {
	to := s.cfg.Now().Truncate(p.Width).Add(p.Width)
	u := Usage{From: to.Add(-p.Length()), To: to}
	var now, before []store.Usage
	err := s.cfg.Store.Read(ctx, func(tx *store.Tx) (err error) {
		if now, err = tx.Stats.Usage(ctx, p.Width, u.From, u.To); err != nil {
			return err
		}
		before, err = tx.Stats.Usage(ctx, p.Width, u.From.Add(-p.Length()), u.From)
		return err
	})
	if err != nil {
		return Usage{}, err
	}
	u.Bars = bars(p, u.From, now)
	u.Total, u.Before = figures(now), figures(before)
	byProfile := map[string][]store.Usage{}
	for _, one := range now {
		byProfile[one.ProfileHandle] = append(byProfile[one.ProfileHandle], one)
	}
	for handle, list := range byProfile {
		u.Profiles = append(u.Profiles, ProfileFigures{
			Handle: handle, Profile: list[len(list)-1].Profile, Figures: figures(list),
		})
	}
	slices.SortFunc(u.Profiles, func(a, b ProfileFigures) int {
		return cmp.Or(cmp.Compare(b.Runs, a.Runs), cmp.Compare(a.Handle, b.Handle))
	})
	return u, nil
}

func bars(p Period, from time.Time, list []store.Usage) []Bar {
	spans := make([][]store.Usage, p.Bars)
	for _, one := range list {
		i := min(max(int(one.Start.Sub(from)/p.Width), 0), p.Bars-1)
		spans[i] = append(spans[i], one)
	}
	all := make([]Bar, p.Bars)
	for i, span := range spans {
		f := figures(span)
		all[i] = Bar{
			Start: from.Add(time.Duration(i) * p.Width), Counts: f.Counts, Average: f.Average, P95: f.P95,
		}
	}
	return all
}

func add(counts map[app.Status]int64, u store.Usage) {
	for _, c := range []struct {
		status app.Status
		n      int64
	}{
		{app.StatusCompleted, u.Completed}, {app.StatusError, u.Error},
		{app.StatusTimeout, u.Timeout}, {app.StatusCancelled, u.Cancelled},
	} {
		if c.n > 0 {
			counts[c.status] += c.n
		}
	}
}

func figures(list []store.Usage) Figures {
	f := Figures{Counts: map[app.Status]int64{}}
	var ran time.Duration
	var started int64
	durations, profiles := map[time.Duration]int64{}, map[string]bool{}
	for _, u := range list {
		add(f.Counts, u)
		ran += u.RunTime
		started += u.Started
		profiles[u.ProfileHandle] = true
		for _, d := range u.Durations {
			durations[d.Ran] += d.Times
		}
	}
	for _, n := range f.Counts {
		f.Runs += n
	}
	f.Failed, f.Profiles = f.Counts[app.StatusError]+f.Counts[app.StatusTimeout], len(profiles)
	if started > 0 {
		f.Average = ran / time.Duration(started)
	}
	f.P95 = quantile(durations, 0.95)
	return f
}

// quantile returns the smallest duration not exceeded by the share q, or 0.
func quantile(counts map[time.Duration]int64, q float64) time.Duration {
	var total, seen int64
	for _, n := range counts {
		total += n
	}
	for _, d := range slices.Sorted(maps.Keys(counts)) {
		if seen += counts[d]; float64(seen) >= q*float64(total) {
			return d
		}
	}
	return 0
}

// rejectionAge is how long a refusal is shown, unless the host accepts the key again.
const rejectionAge = 7 * 24 * time.Hour

// Rejections lists keys whose sealed value got 401 or 403, newest first.
func (s *Statistics) Rejections(ctx context.Context) (list []store.Rejection, err error) {
	err = s.cfg.Store.Read(ctx, func(tx *store.Tx) error {
		list, err = tx.Executions.Rejections(ctx, s.cfg.Now().Add(-rejectionAge))
		return err
	})
	return list, err
}

// Unanswered lists the questions unanswered for app.UnansweredFor, oldest first.
func (s *Statistics) Unanswered(ctx context.Context) (list []store.Unanswered, err error) {
	err = s.cfg.Store.Read(ctx, func(tx *store.Tx) error {
		list, err = tx.Questions.Unanswered(ctx, s.cfg.Now().Add(-app.UnansweredFor))
		return err
	})
	return list, err
}

// Recent returns the last executions of each profile by handle, oldest first.
func (s *Statistics) Recent(ctx context.Context, profiles ...string) (outcomes map[string][]store.Outcome, err error) {
	err = s.cfg.Store.Read(ctx, func(tx *store.Tx) error {
		outcomes, err = tx.Stats.Recent(ctx, profiles, store.OutcomesKept)
		return err
	})
	return outcomes, err
}

// FreeSpace returns the disk space left for the database.
func (s *Statistics) FreeSpace(ctx context.Context) (store.FreeSpace, error) {
	return s.cfg.Store.FreeSpace(ctx)
}

// Stored is the size of the database.
type Stored struct {
	Bytes    int64
	Reusable int64 // of these, free for new rows
}

// Stored returns the size of the database.
func (s *Statistics) Stored(ctx context.Context) (stored Stored, err error) {
	if stored.Bytes, err = s.cfg.Store.Size(ctx); err != nil {
		return stored, err
	}
	stored.Reusable, err = s.cfg.Store.Reusable(ctx)
	return stored, err
}
