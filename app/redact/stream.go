package redact

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"github.com/computclaw/airlock/app"
)

// piece is how much of one Write is scanned before text is emitted, in bytes.
const piece = 64 << 10

// Stream is the streaming pass over one channel. It is an io.WriteCloser.
type Stream struct {
	scan
	emit     func(Clean) // nil: only hits count
	buf      []byte      // bytes from offset base on
	out      []byte      // what is being rendered
	base     int
	done     int // everything before this offset was rendered
	tally    tally
	patterns *patternStream // nil: none
	closed   bool
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

// Close emits what is held back; of a text that would have gone on that may be a part of a secret:
// see Redactor.Cut. It returns nil, also when called again.
func (s *Stream) Close() error {
	if !s.closed {
		s.send(s.finish())
	}
	return nil
}

// Hits returns what was masked in what was emitted so far.
func (s *Stream) Hits() Hits { return s.tally.hits() }

// Format writes a fixed text for every verb: what is held back is not redacted yet.
func (Stream) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(app.Masked)) }

func (s *Stream) send(text string) {
	if s.patterns != nil && (text != "" || s.closed) {
		text = s.patterns.take(text, s.closed, &s.tally)
	}
	if text != "" && s.emit != nil {
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

// render returns the text from done up to settled, masks in place. A region that may still grow,
// and half a character at the end, are left for later.
func (s *Stream) render(settled int) string {
	s.out = s.out[:0]
	n := 0
	for n < len(s.regions) && s.regions[n].start <= settled {
		g := s.regions[n]
		if s.done < g.start {
			s.literal(g.start)
		}
		s.done = g.start
		if !s.final(n, settled) {
			break
		}
		s.out = append(s.out, s.machine.mask(&g)...)
		s.tally.count(s.machine.hit(&g))
		s.done = g.end
		n++
	}
	s.regions = s.regions[:copy(s.regions, s.regions[n:])]
	if len(s.regions) > 0 && s.regions[0].start <= settled {
		return string(s.out)
	}
	if !s.closed {
		settled = s.completeEnd(settled)
	}
	if s.done < settled {
		s.literal(settled)
		s.done = settled
	}
	return string(s.out)
}

// literal renders the bytes from done to end.
func (s *Stream) literal(end int) {
	if s.emit == nil {
		return
	}
	text := s.buf[s.done-s.base : end-s.base]
	if utf8.Valid(text) {
		s.out = append(s.out, text...)
		return
	}
	n := len(s.out)
	out := slices.Grow(s.out, 3*len(text)+4)[:n+3*len(text)+4]
	last := len(text) - 1
	for i := 0; i <= last; i++ {
		c := alone[text[i]]
		if c>>30&(alone[text[min(i+1, last)]]>>31) != 0 {
			r, size := utf8.DecodeRune(text[i:]) // U+FFFD and 1 for a byte that is not UTF-8
			n += utf8.EncodeRune(out[n:], r)
			i += size - 1
			continue
		}
		binary.LittleEndian.PutUint32(out[n:], c)
		n += int(c >> 24 & 3)
	}
	s.out = out[:n]
}

// alone is how each byte is written that begins no longer character: as it is or as U+FFFD, and in
// the highest byte how many bytes that takes; its two highest bits say that a longer character may
// go on with the byte, and begin with it. All is done without asking which: bytes that aren't text
// can't be foreseen.
var alone = func() (t [256]uint32) {
	for c := range t {
		switch {
		case c < utf8.RuneSelf:
			t[c] = uint32(c) | 1<<24
		case c < 0xc0:
			t[c] = 0xbdbfef | 3<<24 | 1<<31
		case c >= 0xc2 && c <= 0xf4:
			t[c] = 0xbdbfef | 3<<24 | 1<<30
		default:
			t[c] = 0xbdbfef | 3<<24
		}
	}
	return t
}()

// completeEnd returns end, or the offset of a character that begins before end and is not complete
// there.
func (s *Stream) completeEnd(end int) int {
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

// trim forgets the bytes that are needed no more: a region's, once they are settled, and all that
// was rendered, but for those that take needs before the next ones.
func (s *Stream) trim() {
	needed := s.settled()
	if len(s.regions) == 0 || s.regions[0].start > s.done {
		needed = min(needed, s.done)
	}
	if n := needed - headLen - s.base; n > 0 {
		s.buf = s.buf[:copy(s.buf, s.buf[n:])]
		s.base += n
	}
}
