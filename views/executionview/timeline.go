package executionview

import (
	"slices"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/format"
)

// stretch is a part of a time strip, in thousandths.
type stretch struct{ class, x, w string }

// moment is an event with its time since the beginning.
type moment struct {
	class string
	after string
	what  string
	at    time.Time
}

// timeline spans an execution from submission to its end or now.
type timeline struct {
	total    time.Duration
	parts    []stretch
	tick     string // where the first output came, in thousandths; "" if none did
	moments  []moment
	finished bool
}

// timelineOf gathers an execution's phases. exchanges tell its waits for the LLM.
func timelineOf(x app.Execution, exchanges []app.LLMExchange, now time.Time) timeline {
	end := x.CompletedAt
	s := timeline{finished: !end.IsZero()}
	if !s.finished {
		end = now
	}
	s.total = max(end.Sub(x.CreatedAt), time.Millisecond)
	place := func(at time.Time) float64 {
		return min(max(1000*float64(at.Sub(x.CreatedAt))/float64(s.total), 0), 1000)
	}
	add := func(class string, from, to time.Time) {
		if a, b := place(from), place(to); b > a {
			s.parts = append(s.parts, stretch{class, format.Decimal(a), format.Decimal(b - a)})
		}
	}
	addMoment := func(class string, at time.Time, what string) {
		s.moments = append(s.moments, moment{class, offset(at.Sub(x.CreatedAt)), what, at})
	}
	addMoment("queued", x.CreatedAt, "sent")
	started := x.StartedAt
	if started.IsZero() {
		started = end
	}
	add("queued", x.CreatedAt, started)
	if !x.StartedAt.IsZero() {
		add("ran", started, end)
		addMoment("ran", started, "started, after "+format.Span(started.Sub(x.CreatedAt))+" in the queue")
	}
	if !x.FirstOutputAt.IsZero() {
		s.tick = format.Decimal(place(x.FirstOutputAt))
		addMoment("first", x.FirstOutputAt, "first output")
	}
	for _, e := range exchanges {
		until, what := e.AnsweredAt, "asked the LLM"
		if until.IsZero() {
			until = end
			what += ", no answer"
			if !s.finished {
				what = "asked the LLM, waits"
			}
		} else {
			what += ", answered after " + format.Span(until.Sub(e.AskedAt))
		}
		add("asked", e.AskedAt, until)
		addMoment("asked", e.AskedAt, what)
	}
	slices.SortStableFunc(s.moments, func(a, b moment) int { return a.at.Compare(b.at) })
	if s.finished {
		ended := format.LowerFirst(format.Status(x.Status))
		addMoment(string(x.Status), end, ended+", after running "+format.Span(x.RunTime))
	}
	return s
}

// offset formats a time since the beginning: +840 ms.
func offset(d time.Duration) string {
	if d <= 0 {
		return format.Span(0)
	}
	return "+" + format.Span(d)
}
