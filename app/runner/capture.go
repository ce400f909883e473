package runner

import (
	"bytes"
	"sync"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/redact"
)

const (
	// floodFactor is how many times the output limit a script may print, most of it dropped, before it
	// is stopped.
	floodFactor = 32

	// captureSlack is kept beyond the output limit, in bytes: a value across the limit must be seen
	// whole.
	captureSlack = app.MaxValue
)

// capture keeps the head of one output stream, bounded: redacted as it comes, for people who watch,
// and raw, for the final redaction. write is for one goroutine; the rest is safe for concurrent
// use.
type capture struct {
	limit   int64
	kept    func(n int) // called with the raw bytes that were kept of a write
	erased  func(n int) // called with those that were kept and are overwritten
	changed func()      // called when more text can be shown
	flooded func()      // called once, when far too much was printed

	// For the goroutine that writes.
	redactor func() checkedRedactor // as of now
	red      *redact.Redactor       // of stream; nil while it is unknown
	stream   *redact.Stream
	clean    []byte // what the stream let through, up to limit
	over     bool   // that is all that can be shown

	mu    sync.Mutex
	seen  int64 // bytes printed
	gone  int64 // of these, overwritten by the script: see carriageReturns
	raw   []byte
	shown []byte // clean, as it is shown
	full  bool   // no more is shown

	// For the goroutine that writes, and under mu.
	line int   // where the last line of raw begins
	lost int64 // bytes of that line for which there was no room

	returns carriageReturns // for the goroutine that writes
}

func newCapture(
	redactor func() checkedRedactor, limit int64, kept, erased func(int), changed, flooded func(),
) *capture {
	return &capture{limit: limit, kept: kept, erased: erased, changed: changed, flooded: flooded, redactor: redactor}
}

// write takes what the script printed.
func (c *capture) write(p []byte) {
	c.mu.Lock()
	before := c.seen
	c.seen += int64(len(p))
	full := c.full
	c.mu.Unlock()
	c.returns.split(p, c.append, c.overwrite)
	if most := c.limit * floodFactor; before <= most && before+int64(len(p)) > most {
		c.flooded()
	}
	if !full {
		c.show(p)
	}
}

// append keeps a piece of what was printed, as far as there is room.
func (c *capture) append(piece []byte) {
	c.mu.Lock()
	n := int(max(min(int64(len(piece)), c.limit+captureSlack-int64(len(c.raw))), 0))
	c.raw = append(c.raw, piece[:n]...)
	c.lost += int64(len(piece) - n)
	if i := bytes.LastIndexByte(piece, '\n'); i >= 0 {
		c.lost = int64(max(0, len(piece)-max(n, i+1)))
		c.line = len(c.raw) - max(0, n-(i+1))
	}
	c.mu.Unlock()
	c.kept(n)
}

// overwrite drops the line that a carriage return goes back to the beginning of.
func (c *capture) overwrite() {
	c.mu.Lock()
	n := len(c.raw) - c.line
	c.raw = c.raw[:c.line]
	c.gone += int64(n) + c.lost
	c.lost = 0
	c.mu.Unlock()
	c.erased(n)
}

// show adds new output to the text that people see. If the values to mask have changed, it redacts
// all output again, because a value may have begun earlier. Output that can't be redacted now is
// shown once it can be.
func (c *capture) show(p []byte) {
	now, anew := c.redactor(), false
	switch {
	case now.err != nil:
		c.red = nil
		return
	case now.red != c.red:
		anew = c.stream != nil
		c.red, c.stream, c.clean = now.red, now.red.Stream(c.emit), nil
		_, _ = c.stream.Write(c.raw)
		c.over = c.over || c.seen-c.gone > int64(len(c.raw))
	default:
		_, _ = c.stream.Write(p)
	}
	c.mu.Lock()
	changed := anew || len(c.clean) > len(c.shown)
	c.shown, c.full = c.clean, c.over
	c.mu.Unlock()
	if changed {
		c.changed()
	}
}

// emit takes what the stream lets through.
func (c *capture) emit(text redact.Clean) {
	s := text.String()
	if room := c.limit - int64(len(c.clean)); int64(len(s)) > room {
		s, c.over = app.Truncate(s, int(room)), true
	}
	c.clean = append(c.clean, s...)
}

// text returns what may be shown so far.
func (c *capture) text() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return string(c.shown)
}

// printed returns how many bytes were printed.
func (c *capture) printed() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.seen
}

// tail returns the end of what is kept, not redacted.
func (c *capture) tail() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return string(c.raw[max(0, len(c.raw)-maxSaid):])
}

// whole returns everything kept, for the final redaction. It may end within a secret if the script
// was stopped or printed more than is kept.
func (c *capture) whole(stopped bool) redact.Output {
	c.mu.Lock()
	defer c.mu.Unlock()
	return redact.Output{Raw: bytes.Clone(c.raw), Cut: stopped || c.cutLocked()}
}

// keep returns what is stored of the redacted output, and whether some was cut.
func (c *capture) keep(text redact.Clean) (redact.Clean, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return text.Truncate(int(c.limit)), int64(text.Len()) > c.limit || c.cutLocked()
}

// cutLocked reports whether more was printed than is kept, or than the guest passes on.
func (c *capture) cutLocked() bool {
	return c.seen-c.gone > int64(len(c.raw)) || c.seen > c.limit*floodFactor
}
