package engine

import (
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/redact"
)

// floodFactor is how many times the output limit a script may print, most of it thrown away, before it is stopped.
const floodFactor = 32

// captureSlack is how much is kept beyond the output limit, in bytes: a value across the limit must be seen whole to be masked.
const captureSlack = app.MaxValue

// capture keeps the head of one output stream, in memory and bounded: redacted as it comes, for people who watch, and as it is, for the
// final pass. Write is for one goroutine; text and whole may be called from others.
type capture struct {
	limit   int64
	changed func() // more text can be shown
	flood   func() // far too much was printed; called once
	turns   *turns
	second  bool // it is the second stream of turns

	stream *redact.Stream
	others func() (*redact.Redactor, error) // of what else is masked; nil as long as there is nothing
	next   *redact.Stream                   // of that, behind stream; nil until then
	held   []byte                           // what stream let through and others could not be asked about

	mu   sync.Mutex
	seen int64 // bytes printed
	raw  []byte
	kept []byte
	full bool // no more is shown
}

func newCapture(red *redact.Redactor, others func() (*redact.Redactor, error), limit int64, t *turns, second bool, changed, flood func()) *capture {
	c := &capture{limit: limit, changed: changed, flood: flood, turns: t, second: second, others: others}
	c.stream = red.Stream(c.emit)
	return c
}

// Write takes what the script printed. It never fails and never blocks.
func (c *capture) Write(p []byte) (int, error) {
	c.mu.Lock()
	before := c.seen
	c.seen += int64(len(p))
	n := int(max(min(int64(len(p)), c.limit+captureSlack-int64(len(c.raw))), 0))
	c.raw = append(c.raw, p[:n]...)
	full := c.full
	c.mu.Unlock()
	c.turns.add(c.second, n)
	if hard := c.limit * floodFactor; before <= hard && before+int64(len(p)) > hard {
		c.flood()
	}
	if !full {
		_, _ = c.stream.Write(p)
	}
	return len(p), nil
}

// emit takes what the stream lets through. What can't be searched yet isn't shown; it is held until it can be.
func (c *capture) emit(text redact.Clean) {
	c.held = append(c.held, text.String()...)
	if c.next == nil {
		red, err := c.others()
		if err != nil {
			if int64(len(c.held)) > c.limit {
				c.stop()
			}
			return
		}
		if red != nil {
			c.next = red.Stream(func(text redact.Clean) { c.show(text.String()) })
		}
	}
	if c.next != nil {
		_, _ = c.next.Write(c.held)
	} else {
		c.show(string(c.held))
	}
	c.held = nil
}

// stop shows no more. The final pass does.
func (c *capture) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.full, c.held = true, nil
}

func (c *capture) show(s string) {
	c.mu.Lock()
	if c.full {
		c.mu.Unlock()
		return
	}
	if room := c.limit - int64(len(c.kept)); int64(len(s)) > room {
		s, c.full = clip(s, int(room)), true
	}
	c.kept = append(c.kept, s...)
	c.mu.Unlock()
	c.changed()
}

// text is what may be shown so far.
func (c *capture) text() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return string(c.kept)
}

// whole is everything that is kept, for the final pass. If the script was stopped or printed more than is kept, it may end within a secret.
func (c *capture) whole(broken bool) redact.Output {
	c.mu.Lock()
	defer c.mu.Unlock()
	return redact.Output{Raw: c.raw, Cut: broken || c.cut()}
}

// keep returns what is stored of a redacted output, and whether some was cut.
func (c *capture) keep(text redact.Clean) (redact.Clean, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return text.Truncate(int(c.limit)), int64(text.Len()) > c.limit || c.cut()
}

// cut reports whether more was printed than is kept, or than the guest lets through. The caller holds mu.
func (c *capture) cut() bool { return c.seen > int64(len(c.raw)) || c.seen > c.limit*floodFactor }

// mostTurns bounds what is remembered of them: what is printed after so many counts as two long turns. A script that prints a byte here and a byte there would have Airlock
// remember millions.
const mostTurns = 100_000

// turns records how two streams interleave.
type turns struct {
	mu      sync.Mutex
	lengths []int // by turns, the first stream first
}

func (t *turns) add(second bool, n int) {
	if n == 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if last := len(t.lengths) - 1; last >= 0 && (last%2 == 1) == second {
		t.lengths[last] += n
		return
	}
	if len(t.lengths) >= mostTurns {
		t.lengths[len(t.lengths)-2] += n // the other stream's last one
		return
	}
	if len(t.lengths) == 0 && second {
		t.lengths = append(t.lengths, 0)
	}
	t.lengths = append(t.lengths, n)
}

func (t *turns) list() []int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.lengths)
}

// clip shortens s to at most n bytes at a character boundary.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
