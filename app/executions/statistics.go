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

// Statistics counts ended executions, and the space of all.
type Statistics struct{ cfg Config }

// Usage reads the statistics of the last bars, up to now. width is one of the store's spans. They
// stay when executions are deleted.
func (s *Statistics) Usage(ctx context.Context, bars int, width time.Duration) (app.Usage, error) {
	to := s.cfg.Now().Truncate(width).Add(width)
	length := time.Duration(bars) * width
	u := app.Usage{From: to.Add(-length), To: to}
	var all, before []store.Usage
	err := s.cfg.Store.Read(ctx, func(tx *store.Tx) (err error) {
		if all, err = tx.Stats.Usage(ctx, width, u.From, u.To); err != nil {
			return err
		}
		before, err = tx.Stats.Usage(ctx, width, u.From.Add(-length), u.From)
		return err
	})
	if err != nil {
		return u, err
	}
	for i := range bars {
		u.Bars = append(u.Bars, app.UsageBar{
			Start: u.From.Add(time.Duration(i) * width), Counts: map[app.Status]int64{},
		})
	}
	byProfile := map[string][]store.Usage{}
	for _, one := range all {
		add(u.Bars[min(max(int(one.Start.Sub(u.From)/width), 0), bars-1)].Counts, one)
		byProfile[one.ProfileHandle] = append(byProfile[one.ProfileHandle], one)
	}
	u.Total, u.Before = figures(all), figures(before)
	for handle, list := range byProfile {
		u.Profiles = append(u.Profiles, app.ProfileFigures{
			Handle: handle, Profile: list[len(list)-1].Profile, Figures: figures(list),
		})
	}
	slices.SortFunc(u.Profiles, func(a, b app.ProfileFigures) int {
		return cmp.Or(cmp.Compare(b.Runs, a.Runs), cmp.Compare(a.Handle, b.Handle))
	})
	return u, nil
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

func figures(list []store.Usage) app.Figures {
	f := app.Figures{Counts: map[app.Status]int64{}}
	var ran time.Duration
	var started int64
	durations := map[time.Duration]int64{}
	for _, u := range list {
		add(f.Counts, u)
		ran += u.RunTime
		started += u.Started
		for _, d := range u.Durations {
			durations[d.Ran] += d.Times
		}
	}
	for _, n := range f.Counts {
		f.Runs += n
	}
	f.Failed = f.Counts[app.StatusError] + f.Counts[app.StatusTimeout]
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

// ListUnanswered lists the questions unanswered for app.UnansweredFor, oldest first.
func (s *Statistics) ListUnanswered(ctx context.Context) (list []store.Unanswered, err error) {
	err = s.cfg.Store.Read(ctx, func(tx *store.Tx) error {
		list, err = tx.Questions.ListUnanswered(ctx, s.cfg.Now().Add(-app.UnansweredFor))
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

// DatabaseSize returns the size of the database.
func (s *Statistics) DatabaseSize(ctx context.Context) (stored Stored, err error) {
	if stored.Bytes, err = s.cfg.Store.Size(ctx); err != nil {
		return stored, err
	}
	stored.Reusable, err = s.cfg.Store.Reusable(ctx)
	return stored, err
}
