package redact

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/match"
)

// Stream is the streaming pass over one channel. It is an io.WriteCloser.
type Stream struct {
	redactor *Redactor
	scanner  *match.Scanner
	emit     func(Clean) // nil: only hits count
	buf      []byte      // bytes from offset base on that were not emitted
	base     int
	pending  []region // of the whole text, from base on
	tally    tally
	rules    *ruleStream // nil: none
	closed   bool
}

// Write takes the next bytes; it fails only after Close, with io.ErrClosedPipe. It doesn't keep p.
func (s *Stream) Write(p []byte) (int, error) {
	if s.closed {
		return 0, io.ErrClosedPipe
	}
	for rest := p; len(rest) > 0; {
		n := min(len(rest), piece)
		found := s.scanner.Write(rest[:n])
		s.buf = append(s.buf, rest[:n]...)
		if s.emit != nil {
			found = append(found, s.scanner.Settle(s.open())...)
		}
		s.send(s.take(found, s.scanner.Settled()))
		rest = rest[n:]
	}
	return len(p), nil
}

// maxAtLineEnd bounds the bytes at a line's end that are shown without the next line. People follow
// output by lines; few values break so early.
const maxAtLineEnd = 8

// open returns the place behind which text is held back.
func (s *Stream) open() int {
	all := s.base + len(s.buf)
	at := min(s.scanner.Open(), s.openPart())
	if b := s.buf[len(s.buf)-1]; (b == '\n' || b == '\r') && all-at <= maxAtLineEnd {
		return all
	}
	return at
}

// Close emits what is held back. It returns nil, also when called again.
func (s *Stream) Close() error {
	if !s.closed {
		found := s.scanner.Close()
		s.closed = true
		s.send(s.take(found, s.base+len(s.buf)))
	}
	return nil
}

// Hits returns what was masked in what was emitted so far.
func (s *Stream) Hits() Hits { return s.tally.hits() }

// Format writes a fixed text for every verb: what is held back is not redacted yet.
func (Stream) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(app.Masked)) }

func (s *Stream) send(text string) {
	if s.rules != nil && (text != "" || s.closed) {
		text = s.rules.take(text, s.closed, &s.tally)
	}
	if text != "" && s.emit != nil {
		s.emit(Clean{text})
	}
}

// take returns the text up to a settled place, with masks. A region that goes on behind it is left for
// later, as another may overlap it, unless that would keep too much; so is half a character at the end.
func (s *Stream) take(found []match.Match, settled int) string {
	for _, m := range found {
		if g, ok := s.redactor.regionOf(m); ok && g.end > s.base { // or it was masked already
			g.start = max(g.start, s.base)
			s.pending = append(s.pending, g)
		}
	}
	s.pending = s.redactor.merge(s.pending)
	end, n := max(settled, s.base), 0
	for ; n < len(s.pending) && s.pending[n].start < end; n++ {
		switch g := s.pending[n]; {
		case g.end <= end:
			continue
		case s.closed || len(s.buf) >= piece:
			end = g.end
			continue
		case !s.redactor.lines && string(s.buf[g.end-s.base:]) == "\n":
			end = s.base + len(s.buf) // people wait for the line
			continue
		default:
			end = g.start
		}
		break
	}
	if end == settled && !s.closed {
		end = s.base + completeEnd(s.buf[:end-s.base])
	}
	return s.shift(end, n)
}

// shift returns the text up to an end with its regions, which are so many, and drops both.
func (s *Stream) shift(end, regions int) (text string) {
	if end <= s.base {
		return ""
	}
	masked := s.pending[:regions]
	for i := range masked {
		masked[i].start, masked[i].end = masked[i].start-s.base, masked[i].end-s.base
	}
	if s.emit != nil || regions > 0 {
		text = s.redactor.render(string(s.buf[:end-s.base]), masked, &s.tally)
	}
	s.pending = s.pending[:copy(s.pending, s.pending[regions:])]
	s.buf = s.buf[:copy(s.buf, s.buf[end-s.base:])]
	s.base = end
	return text
}

// maxOpenPart bounds the bytes held back because a part of a value may go on. So many are a part
// already.
const maxOpenPart = 64

// openPart returns the place behind which all that was written stands in a value of which parts count.
func (s *Stream) openPart() int {
	n := 0
	for n < min(len(s.buf), maxOpenPart) && strings.Contains(s.redactor.parts, lower(s.buf[len(s.buf)-n-1:])) {
		n++
	}
	return s.base + len(s.buf) - n
}

// lower returns a text with the letters of ASCII in lower case.
func lower[T string | []byte](text T) string {
	out := append([]byte(nil), text...)
	for i, b := range out {
		if 'A' <= b && b <= 'Z' {
			out[i] = b + 'a' - 'A'
		}
	}
	return string(out)
}

// partsOf returns the texts of which parts count, in lower case.
func partsOf(patterns []match.Pattern) string {
	var b strings.Builder
	for _, p := range patterns {
		if p.Parts {
			b.WriteString(lower(p.Text) + "\xff\xff")
		}
	}
	return b.String()
}

// completeEnd returns the length of a text without the beginning of a character at its end.
func completeEnd(text []byte) int {
	for k := 1; k < utf8.UTFMax && k <= len(text); k++ {
		if tail := text[len(text)-k:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				return len(text) - k
			}
			break
		}
	}
	return len(text)
}
