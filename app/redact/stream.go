package redact

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/computclaw/airlock/app"
)

// piece is how much of one Write is scanned before text is emitted, in bytes.
const piece = 64 << 10

// Stream is the streaming pass over one channel. It is an io.WriteCloser.
type Stream struct {
	scan
	emit   func(Clean)
	buf    []byte // bytes from offset base on
	base   int
	done   int // everything before this offset was rendered
	hits   int
	closed bool
}

// Write takes the next bytes; it fails only after Close, with io.ErrClosedPipe. It doesn't keep p.
func (s *Stream) Write(p []byte) (int, error) {
	if s.closed {
		return 0, io.ErrClosedPipe
	}
	for rest := p; len(rest) > 0; {
		n := min(len(rest), piece)
		s.take(rest[:n])
		s.send(s.render(s.settled()))
		s.trim()
		rest = rest[n:]
	}
	return len(p), nil
}

// Close emits what is held back. It returns nil, also when called again.
func (s *Stream) Close() error {
	if !s.closed {
		s.send(s.finish())
	}
	return nil
}

// Cut is Close for a text that would have gone on: 4 bytes or more at its end that may begin a secret are masked.
func (s *Stream) Cut() {
	if !s.closed {
		s.endCut()
		s.send(s.finish())
	}
}

// Hits returns how many places were masked in what was emitted so far.
func (s *Stream) Hits() int { return s.hits }

// Format writes a fixed text for every verb: what is held back is not redacted yet.
func (Stream) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(app.Masked)) }

func (s *Stream) send(text string) {
	if text != "" {
		s.emit(Clean{text})
	}
}

func (s *Stream) take(p []byte) {
	from := len(s.buf)
	s.buf = append(s.buf, p...)
	s.scan.take(s.buf, s.base, from)
}

func (s *Stream) finish() string {
	s.end()
	s.closed = true
	text := s.render(s.pos)
	s.buf = nil
	return text
}

// render returns the text from done up to settled, masks in place. A region that may still grow, and half a character at
// the end, are left for later.
func (s *Stream) render(settled int) string {
	var b strings.Builder
	n := 0
	for n < len(s.regions) && s.regions[n].start <= settled {
		g := s.regions[n]
		if s.done < g.start {
			s.literal(&b, g.start)
		}
		s.done = g.start
		if !s.final(n, settled) {
			break
		}
		b.WriteString(g.mask())
		s.hits++
		s.done = g.end
		n++
	}
	s.regions = s.regions[:copy(s.regions, s.regions[n:])]
	if len(s.regions) > 0 && s.regions[0].start <= settled {
		return b.String()
	}
	if !s.closed {
		settled = s.whole(settled)
	}
	if s.done < settled {
		s.literal(&b, settled)
		s.done = settled
	}
	return b.String()
}

// literal renders the bytes from done to end.
func (s *Stream) literal(b *strings.Builder, end int) {
	text := s.buf[s.done-s.base : end-s.base]
	if utf8.Valid(text) {
		b.Write(text)
		return
	}
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text) // U+FFFD and 1 for a byte that is not UTF-8
		b.WriteRune(r)
		text = text[size:]
	}
}

// whole returns end, or the offset of a character that begins before end and is not complete there.
func (s *Stream) whole(end int) int {
	for k := 1; k < utf8.UTFMax && s.done <= end-k; k++ {
		if tail := s.buf[end-k-s.base : end-s.base]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				return end - k
			}
			break
		}
	}
	return end
}

// trim forgets the bytes that are needed no more: a region's, once they are settled, and all that was rendered, but for one
// byte, which tells whether a word begins behind it.
func (s *Stream) trim() {
	needed := s.settled()
	if len(s.regions) == 0 || s.regions[0].start > s.done {
		needed = min(needed, s.done)
	}
	if n := needed - 1 - s.base; n > 0 {
		s.buf = s.buf[:copy(s.buf, s.buf[n:])]
		s.base += n
	}
}
