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

	// For the goroutine that writes.
	redactor func() redactor  // as of now
	red      *redact.Redactor // of stream
	stream   *redact.Stream
	clean    []byte // what the stream let through, up to limit
	over     bool   // that is all that can be shown

	mu   sync.Mutex
	seen int64 // bytes printed
	raw  []byte
	kept []byte // clean, as it is shown
	full bool   // no more is shown
}

func newCapture(red func() redactor, limit int64, t *turns, second bool, changed, flood func()) *capture {
	return &capture{limit: limit, changed: changed, flood: flood, turns: t, second: second, redactor: red}
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
		c.show(p)
	}
	return len(p), nil
}

// show shows what was printed last, and all of it anew if what is to be masked has changed: a value may have begun in what was held back.
func (c *capture) show(p []byte) {
	red, anew := c.redactor(), false
	switch {
	case red.err != nil: // what can't be searched isn't shown; the final pass tells of it
		c.over = true
	case red.red != c.red:
		anew = c.red != nil
		c.red, c.stream, c.clean = red.red, red.red.Stream(c.emit), nil
		_, _ = c.stream.Write(c.raw)
		c.over = c.over || c.seen > int64(len(c.raw))
	default:
		_, _ = c.stream.Write(p)
	}
	c.mu.Lock()
	changed := anew || len(c.clean) > len(c.kept)
	c.kept, c.full = c.clean, c.over
	c.mu.Unlock()
	if changed {
		c.changed()
	}
}

// emit takes what the stream lets through.
func (c *capture) emit(text redact.Clean) {
	s := text.String()
	if room := c.limit - int64(len(c.clean)); int64(len(s)) > room {
		s, c.over = clip(s, int(room)), true
	}
	c.clean = append(c.clean, s...)
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
