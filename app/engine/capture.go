package engine

import (
	"sync"
	"unicode/utf8"

	"github.com/computclaw/airlock/app/redact"
)

// floodFactor is how many times the output limit a script may print, most of it thrown away, before it is stopped.
const floodFactor = 32

// capture keeps the redacted head of one output stream, in memory and bounded. Write is for one goroutine; text and finish may be called from others.
type capture struct {
	limit   int64
	changed func() // more text can be shown
	flood   func() // far too much was printed; called once

	stream *redact.Stream
	seen   int64 // raw bytes

	mu   sync.Mutex
	kept []byte
	cut  bool
}

func newCapture(red *redact.Redactor, limit int64, changed, flood func()) *capture {
	c := &capture{limit: limit, changed: changed, flood: flood}
	c.stream = red.Stream(c.emit)
	return c
}

// Write takes what the script printed. It never fails and never blocks.
func (c *capture) Write(p []byte) (int, error) {
	before := c.seen
	c.seen += int64(len(p))
	if hard := c.limit * floodFactor; before <= hard && c.seen > hard {
		c.flood()
	}
	if !c.full() {
		_, _ = c.stream.Write(p)
	}
	return len(p), nil
}

func (c *capture) full() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.cut
}

func (c *capture) emit(text redact.Clean) {
	c.mu.Lock()
	s := text.String()
	if c.cut || s == "" {
		c.mu.Unlock()
		return
	}
	if room := c.limit - int64(len(c.kept)); int64(len(s)) > room {
		s, c.cut = clip(s, int(room)), true
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

// finish ends the stream and returns what is to be kept, whether some was cut, and how many places were masked.
// If the script was stopped or printed more than the guest let through, the stream may end within a secret.
// Everything passes the redactor again as a whole, because a whole text shows what pieces may hide.
func (c *capture) finish(red *redact.Redactor, broken bool) (text redact.Clean, cut bool, masked int) {
	if broken || c.seen > c.limit*floodFactor {
		c.stream.Cut()
	} else {
		_ = c.stream.Close()
	}
	text, again := red.Text(c.text())
	c.mu.Lock()
	defer c.mu.Unlock()
	return text, c.cut, c.stream.Hits() + again
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
