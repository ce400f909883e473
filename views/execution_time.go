package views

import (
	"slices"
	"strings"
	"time"

	"github.com/computclaw/airlock/app"
)

// stretch is a part of an execution's time strip, in thousandths of the whole.
type stretch struct{ class, x, w string }

// moment is something that happened in an execution, with how long after its beginning.
type moment struct {
	class string
	after string
	what  string
	at    time.Time
}

// story is an execution's time from when it was sent to its end, or to now.
type story struct {
	total    time.Duration
	parts    []stretch
	tick     string // where the first output came, in thousandths; "" if none did
	moments  []moment
	finished bool
}

// storyOf gathers the phases of an execution. Waiting for the LLM lies where it was, as the exchanges say.
func storyOf(x app.Execution, exchanges []app.LLMExchange, now time.Time) story {
	end := x.CompletedAt
	s := story{finished: !end.IsZero()}
	if !s.finished {
		end = now
	}
	s.total = max(end.Sub(x.CreatedAt), time.Millisecond)
	place := func(at time.Time) float64 {
		return min(max(1000*float64(at.Sub(x.CreatedAt))/float64(s.total), 0), 1000)
	}
	add := func(class string, from, to time.Time) {
		if a, b := place(from), place(to); b > a {
			s.parts = append(s.parts, stretch{class, number(a), number(b - a)})
		}
	}
	tell := func(class string, at time.Time, what string) {
		s.moments = append(s.moments, moment{class, offset(at.Sub(x.CreatedAt)), what, at})
	}
	tell("queued", x.CreatedAt, "sent")
	started := x.StartedAt
	if started.IsZero() {
		started = end
	}
	add("queued", x.CreatedAt, started)
	if !x.StartedAt.IsZero() {
		add("ran", started, end)
		tell("ran", started, "started, after "+Span(started.Sub(x.CreatedAt))+" in the queue")
	}
	if !x.FirstOutputAt.IsZero() {
		s.tick = number(place(x.FirstOutputAt))
		tell("first", x.FirstOutputAt, "first output")
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
			what += ", answered after " + Span(until.Sub(e.AskedAt))
		}
		add("asked", e.AskedAt, until)
		tell("asked", e.AskedAt, what)
	}
	slices.SortStableFunc(s.moments, func(a, b moment) int { return a.at.Compare(b.at) })
	if s.finished {
		tell(string(x.Status), end, lower(StatusWord(x.Status))+", after running "+Span(x.RunTime))
	}
	return s
}

// offset is a time after the beginning: +840 ms.
func offset(d time.Duration) string {
	if d <= 0 {
		return Span(0)
	}
	return "+" + Span(d)
}

// piece is a part of a text; line is the line of the script that it names, or 0.
type piece struct {
	text string
	line int
}

// scriptFile is what a traceback calls the script.
const scriptFile = `File "script.py", line `

// traced cuts a traceback where it names a line of the script that there is.
func traced(text string, lines int) []piece {
	var all []piece
	for {
		i := strings.Index(text, scriptFile)
		if i < 0 {
			return append(all, piece{text: text})
		}
		at := i + len(scriptFile)
		n, digits := 0, 0
		for at+digits < len(text) && digits < 7 && text[at+digits] >= '0' && text[at+digits] <= '9' {
			n = 10*n + int(text[at+digits]-'0')
			digits++
		}
		if n < 1 || n > lines {
			all = append(all, piece{text: text[:at+digits]})
		} else {
			all = append(all, piece{text: text[:i]}, piece{text[i : at+digits], n})
		}
		text = text[at+digits:]
	}
}

// lineCount is how many lines a script has on the page.
func lineCount(script string) int { return len(scriptLines(script, 0)) }

// said is a stretch of output by one stream.
type said struct {
	stderr bool
	text   string
}

// inOrder puts the two streams together as they took turns; what the turns don't cover follows. It returns nil if only one of them said something, or their order is not known.
func inOrder(p ExecutionPage) []said {
	if p.Stdout == "" || p.Stderr == "" || len(p.Turns) == 0 {
		return nil
	}
	left := [2]string{p.Stdout, p.Stderr}
	var all []said
	take := func(i, n int) {
		n = min(max(n, 0), len(left[i]))
		if n == 0 {
			return
		}
		if last := len(all) - 1; last >= 0 && all[last].stderr == (i == 1) {
			all[last].text += left[i][:n]
		} else {
			all = append(all, said{i == 1, left[i][:n]})
		}
		left[i] = left[i][n:]
	}
	for i, n := range p.Turns {
		take(i%2, n)
	}
	take(0, len(left[0]))
	take(1, len(left[1]))
	return slices.Clip(all)
}
