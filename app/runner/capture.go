package runner

import (
	"sync"
	"unicode/utf8"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/redact"
)

const (
	// floodFactor is how many times the output limit a script may print, most of it dropped, before it is stopped.
	floodFactor = 32

	// captureSlack is kept beyond the output limit, in bytes: a value across the limit must be seen whole.
	captureSlack = app.MaxValue
)

// capture keeps the head of one output stream, bounded: redacted as it comes, for people who watch, and raw, for the
// final redaction. write is for one goroutine; the rest is safe for concurrent use.
type capture struct {
	limit   int64
	kept    func(n int) // called with the raw bytes that were kept of a write
	changed func()      // called when more text can be shown
	flooded func()      // called once, when far too much was printed

	first  *redact.Stream                   // of the execution's own values
	others func() (*redact.Redactor, error) // of the second pass; nil as long as there is none
	second *redact.Stream                   // behind first; nil until others returns one
	held   []byte                           // from first, while others fails

	mu    sync.Mutex
	seen  int64 // bytes printed
	raw   []byte
	shown []byte
	full  bool // no more is shown
}

func newCapture(
	own *redact.Redactor, others func() (*redact.Redactor, error), limit int64, kept func(int), changed, flooded func(),
) *capture {
	c := &capture{limit: limit, kept: kept, changed: changed, flooded: flooded, others: others}
	c.first = own.Stream(c.passOn)
	return c
}

// write takes what the script printed.
func (c *capture) write(p []byte) {
	c.mu.Lock()
	before := c.seen
	c.seen += int64(len(p))
	n := int(max(min(int64(len(p)), c.limit+captureSlack-int64(len(c.raw))), 0))
	c.raw = append(c.raw, p[:n]...)
	full := c.full
	c.mu.Unlock()
	c.kept(n)
	if most := c.limit * floodFactor; before <= most && before+int64(len(p)) > most {
		c.flooded()
	}
	if !full {
		_, _ = c.first.Write(p)
	}
}

// passOn hands what the first stream lets through to the second, if there is one. What can't be redacted yet isn't
// shown; it is held until it can be.
func (c *capture) passOn(text redact.Clean) {
	c.held = append(c.held, text.String()...)
	if c.second == nil {
		others, err := c.others()
		if err != nil {
			if int64(len(c.held)) > c.limit {
				c.stopShowing()
			}
			return
		}
		if others != nil {
			c.second = others.Stream(func(text redact.Clean) { c.show(text.String()) })
		}
	}
	if c.second != nil {
		_, _ = c.second.Write(c.held)
	} else {
		c.show(string(c.held))
	}
	c.held = nil
}

// stopShowing ends the live view; the final redaction still gets all output.
func (c *capture) stopShowing() {
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
	if room := c.limit - int64(len(c.shown)); int64(len(s)) > room {
		s, c.full = truncate(s, int(room)), true
	}
	c.shown = append(c.shown, s...)
	c.mu.Unlock()
	c.changed()
}

// text returns what may be shown so far.
func (c *capture) text() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return string(c.shown)
}

// whole returns everything kept, for the final redaction. It may end within a secret if the script was stopped or
// printed more than is kept.
func (c *capture) whole(stopped bool) redact.Output {
	c.mu.Lock()
	defer c.mu.Unlock()
	return redact.Output{Raw: c.raw, Cut: stopped || c.cutLocked()}
}

// keep returns what is stored of the redacted output, and whether some was cut.
func (c *capture) keep(text redact.Clean) (redact.Clean, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return text.Truncate(int(c.limit)), int64(text.Len()) > c.limit || c.cutLocked()
}

// cutLocked reports whether more was printed than is kept, or than the guest passes on.
func (c *capture) cutLocked() bool { return c.seen > int64(len(c.raw)) || c.seen > c.limit*floodFactor }

// truncate shortens s to at most n bytes at a character boundary.
func truncate(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
