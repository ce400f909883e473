package capture

import (
	"bytes"
	"sync"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/redact"
)

const (
	// FloodFactor is how many times the output limit a script may print before it is stopped. Most
	// of that is dropped.
	FloodFactor = 32

	// captureSlack is kept beyond the output limit, in bytes, to see a value across the limit
	// whole.
	captureSlack = app.MaxValue
)

// Config configures a Pair. The writing goroutines call its functions.
type Config struct {
	Limit int64 // of bytes of each stream that may be shown and are stored
	// Redactor returns the redactor for present output, or why there is none.
	Redactor func() (*redact.Redactor, error)
	Changed  func()              // more text can be shown
	Flooded  func(stream string) // once for each stream, when far too much was printed
	Now      func() time.Time
}

// Pair keeps what a script prints. Safe for concurrent use, but each stream has one writer.
type Pair struct {
	Stdout, Stderr *Capture
	cfg            Config

	mu    sync.Mutex
	first time.Time // when text could first be shown
	turns []int     // lengths in bytes, stdout first
}

// New returns a Pair of which nothing was printed yet.
func New(cfg Config) *Pair {
	p := &Pair{cfg: cfg}
	p.Stdout = &Capture{cfg: cfg, pair: p, name: "stdout"}
	p.Stderr = &Capture{cfg: cfg, pair: p, name: "stderr", second: true}
	return p
}

// notePrinted is called when more text can be shown.
func (p *Pair) notePrinted() {
	p.mu.Lock()
	if p.first.IsZero() {
		p.first = p.cfg.Now()
	}
	p.mu.Unlock()
	p.cfg.Changed()
}

// FirstAt returns when the first output came.
func (p *Pair) FirstAt() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.first
}

// Text returns what may be shown so far.
func (p *Pair) Text() app.Output {
	return app.Output{Stdout: p.Stdout.Text(), Stderr: p.Stderr.Text()}
}

// CountPrinted returns how many bytes were printed.
func (p *Pair) CountPrinted() int64 { return p.Stdout.CountPrinted() + p.Stderr.CountPrinted() }

// Whole returns output for the final redaction. After a stop it may end within a secret.
func (p *Pair) Whole(stopped bool) (stdout, stderr redact.Output) {
	return p.Stdout.Whole(stopped), p.Stderr.Whole(stopped)
}

// Keep returns the redacted output to store, and whether any was cut.
func (p *Pair) Keep(stdout, stderr redact.Clean) (keptOut, keptErr redact.Clean, cut bool) {
	keptOut, cutOut := p.Stdout.Keep(stdout)
	keptErr, cutErr := p.Stderr.Keep(stderr)
	return keptOut, keptErr, cutOut || cutErr
}

// Capture keeps the head of one output stream, bounded.
//
// It is redacted as it comes, for people who watch, and raw, for the final redaction. Add is for
// one goroutine; the rest is safe for concurrent use.
type Capture struct {
	cfg    Config
	pair   *Pair
	name   string // stdout or stderr
	second bool   // of the pair

	// For the goroutine that writes.
	red     *redact.Redactor // of stream; nil while it is unknown
	stream  *redact.Stream
	clean   []byte // what the stream let through, up to the limit
	over    bool   // that is all that can be shown
	returns carriageReturns

	mu    sync.Mutex
	seen  int64 // bytes printed
	gone  int64 // of these, overwritten by the script: see carriageReturns
	raw   []byte
	shown []byte // clean, as it is shown
	full  bool   // no more is shown

	// For the goroutine that writes, and under mu.
	line int   // where the last line of raw begins
	lost int64 // bytes of that line for which there was no room
}

// Add takes what the script printed.
func (c *Capture) Add(p []byte) {
	c.mu.Lock()
	before := c.seen
	c.seen += int64(len(p))
	full := c.full
	c.mu.Unlock()
	c.returns.split(p, c.append, c.overwrite)
	if most := c.cfg.Limit * FloodFactor; before <= most && before+int64(len(p)) > most {
		c.cfg.Flooded(c.name)
	}
	if !full {
		c.show(p)
	}
}

func (c *Capture) append(piece []byte) {
	c.mu.Lock()
	n := int(max(min(int64(len(piece)), c.cfg.Limit+captureSlack-int64(len(c.raw))), 0))
	c.raw = append(c.raw, piece[:n]...)
	c.lost += int64(len(piece) - n)
	if i := bytes.LastIndexByte(piece, '\n'); i >= 0 {
		c.lost = int64(max(0, len(piece)-max(n, i+1)))
		c.line = len(c.raw) - max(0, n-(i+1))
	}
	c.mu.Unlock()
	c.pair.addTurn(c.second, n)
}

// overwrite drops the line before a carriage return.
func (c *Capture) overwrite() {
	c.mu.Lock()
	n := len(c.raw) - c.line
	c.raw = c.raw[:c.line]
	c.gone += int64(n) + c.lost
	c.lost = 0
	c.mu.Unlock()
	c.pair.removeTurn(c.second, n)
}

// show adds new output to the live text. If the values to mask have changed, it redacts all output
// again: a value may have begun earlier. Output that can't be redacted now is shown once it can be.
func (c *Capture) show(p []byte) {
	red, err := c.cfg.Redactor()
	anew := false
	switch {
	case err != nil:
		c.red = nil
		return
	case red != c.red:
		anew = c.stream != nil
		c.red, c.stream, c.clean = red, red.Stream(c.emit), nil
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
		c.pair.notePrinted()
	}
}

// emit takes what the stream lets through.
func (c *Capture) emit(text redact.Clean) {
	s := text.String()
	if room := c.cfg.Limit - int64(len(c.clean)); int64(len(s)) > room {
		s, c.over = app.Truncate(s, int(room)), true
	}
	c.clean = append(c.clean, s...)
}

// Text returns what may be shown so far.
func (c *Capture) Text() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return string(c.shown)
}

// CountPrinted returns how many bytes were printed.
func (c *Capture) CountPrinted() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.seen
}

// Tail returns the last n bytes of what is kept, not redacted.
func (c *Capture) Tail(n int) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return string(c.raw[max(0, len(c.raw)-n):])
}

// Whole returns everything kept, for the final redaction. It may end within a secret if the script
// was stopped or printed more than is kept.
func (c *Capture) Whole(stopped bool) redact.Output {
	c.mu.Lock()
	defer c.mu.Unlock()
	return redact.Output{Raw: bytes.Clone(c.raw), Cut: stopped || c.cutLocked()}
}

// Keep returns the redacted output to store, and whether it was cut.
func (c *Capture) Keep(text redact.Clean) (redact.Clean, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return text.Truncate(int(c.cfg.Limit)), int64(text.Len()) > c.cfg.Limit || c.cutLocked()
}

func (c *Capture) cutLocked() bool {
	return c.seen-c.gone > int64(len(c.raw)) || c.seen > c.cfg.Limit*FloodFactor
}
