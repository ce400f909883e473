package pipe

import (
	"errors"
	"io"
	"os"
	"sync"
	"time"
)

// BufferSize is the most bytes that one direction holds.
const BufferSize = 128 << 10

// A direction holds this many pieces of the last written size, and at least smallest bytes.
const (
	pieces   = 8
	smallest = 4 << 10
)

// half is one direction: a ring buffer with one reader and one writer, both may block.
type half struct {
	mu       sync.Mutex
	readable sync.Cond
	writable sync.Cond
	reading  sync.Mutex // held by the one reader, so that it may use the buffer unlocked
	writing  sync.Mutex // held by the one writer
	ring     []byte
	start    int
	length   int
	finished bool  // the writer is done; the reader gets what is left and then io.EOF
	discard  bool  // the reader is done; what is written vanishes
	broken   error // both sides fail at once
	read     deadline
	write    deadline
}

// deadline is the time limit of one side of a half.
type deadline struct {
	at    time.Time
	timer *time.Timer
}

func newHalf() *half {
	h := &half{}
	h.readable.L, h.writable.L = &h.mu, &h.mu
	return h
}

// wait returns when a Read would not block.
func (h *half) wait() {
	h.reading.Lock()
	defer h.reading.Unlock()
	_, _ = h.waitFilled()
}

// Read waits for bytes.
func (h *half) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	h.reading.Lock()
	defer h.reading.Unlock()
	chunk, err := h.waitFilled()
	if err != nil {
		return 0, err
	}
	n := copy(p, chunk)
	if n == len(chunk) && n < len(p) {
		h.consume(n)
		more := h.atHand() // the ring's other part
		m := copy(p[n:], more)
		h.consume(m)
		return n + m, nil
	}
	h.consume(n)
	return n, nil
}

// WriteTo writes arriving bytes to w until the direction ends.
func (h *half) WriteTo(w io.Writer) (total int64, err error) {
	h.reading.Lock()
	defer h.reading.Unlock()
	for {
		chunk, err := h.waitFilled()
		if errors.Is(err, io.EOF) {
			return total, nil
		} else if err != nil {
			return total, err
		}
		n, err := w.Write(chunk)
		h.consume(n)
		total += int64(n)
		if err != nil {
			return total, err
		}
	}
}

// Write blocks until all of p has room.
func (h *half) Write(p []byte) (total int, err error) {
	h.writing.Lock()
	defer h.writing.Unlock()
	for len(p) > 0 {
		room, gone, err := h.room(len(p))
		if err != nil {
			return total, err
		}
		if gone {
			return total + len(p), nil
		}
		n := copy(room, p)
		h.produce(n)
		total, p = total+n, p[n:]
	}
	return total, nil
}

// ReadFrom writes what r gives until its end.
func (h *half) ReadFrom(r io.Reader) (total int64, err error) {
	h.writing.Lock()
	defer h.writing.Unlock()
	var waste []byte
	for {
		room, gone, err := h.room(BufferSize)
		if err != nil {
			return total, err
		}
		if gone {
			if waste == nil {
				waste = make([]byte, 16<<10)
			}
			room = waste
		}
		n, err := r.Read(room)
		if !gone {
			h.produce(n)
		}
		total += int64(n)
		if errors.Is(err, io.EOF) {
			return total, nil
		} else if err != nil {
			return total, err
		}
	}
}

// waitFilled waits for bytes and returns a part of the buffer, valid until consumed.
func (h *half) waitFilled() ([]byte, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for {
		switch {
		case h.broken != nil:
			return nil, h.broken
		case h.read.isOver():
			return nil, os.ErrDeadlineExceeded
		case h.discard:
			return nil, io.ErrClosedPipe
		case h.length > 0:
			return h.partLocked(), nil
		case h.finished:
			return nil, io.EOF
		}
		h.readable.Wait()
	}
}

// atHand is filled without waiting; it may be empty.
func (h *half) atHand() []byte {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.broken != nil || h.length == 0 {
		return nil
	}
	return h.partLocked()
}

func (h *half) partLocked() []byte { return h.ring[h.start:min(h.start+h.length, len(h.ring))] }

func (h *half) consume(n int) {
	if n == 0 {
		return
	}
	h.mu.Lock()
	h.start = (h.start + n) % len(h.ring)
	h.length -= n
	h.mu.Unlock()
	h.writable.Signal()
}

// room waits for space and returns a free part of the buffer, grown for this piece size. gone:
// nobody will read.
func (h *half) room(piece int) (space []byte, gone bool, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for {
		switch {
		case h.broken != nil:
			return nil, false, h.broken
		case h.finished:
			return nil, false, io.ErrClosedPipe
		case h.discard:
			return nil, true, nil
		case h.write.isOver():
			return nil, false, os.ErrDeadlineExceeded
		case h.growLocked(piece) || h.length < len(h.ring):
			if h.length == 0 {
				h.start = 0 // the longest parts for what comes next; nobody holds one now
			}
			end := h.start + h.length
			if end < len(h.ring) {
				return h.ring[end:], false, nil
			}
			return h.ring[end-len(h.ring) : h.start], false, nil
		}
		h.writable.Wait()
	}
}

// growLocked enlarges a ring that is too small for pieces of this size. Only the writer calls it. A
// reader may keep its part: the bytes stay in the old ring and come first in the new one.
func (h *half) growLocked(piece int) bool {
	size := max(len(h.ring), smallest)
	for size < BufferSize && size/pieces < piece {
		size *= 2
	}
	if size == len(h.ring) {
		return false
	}
	ring := make([]byte, size)
	if h.length > 0 {
		first := copy(ring, h.partLocked())
		copy(ring[first:], h.ring[:h.length-first])
	}
	h.ring, h.start = ring, 0
	return true
}

func (h *half) produce(n int) {
	if n == 0 {
		return
	}
	h.mu.Lock()
	if !h.discard && h.broken == nil {
		h.length += n
	}
	h.mu.Unlock()
	h.readable.Signal()
}

// finish ends the direction in order.
func (h *half) finish() { h.change(func() { h.finished = true }) }

// ignore drops unread and future bytes. A reader fails.
func (h *half) ignore() { h.change(func() { h.discard = true }) }

// fail fails both sides at once with err and drops buffered bytes. The first error stays.
func (h *half) fail(err error) {
	h.change(func() {
		if h.broken == nil {
			h.broken = err
		}
	})
}

func (h *half) change(f func()) {
	h.mu.Lock()
	f()
	h.mu.Unlock()
	h.readable.Broadcast()
	h.writable.Broadcast()
}

func (h *half) limit(d *deadline, at time.Time) {
	h.change(func() {
		if d.timer != nil {
			d.timer.Stop()
			d.timer = nil
		}
		d.at = at
		if wait := time.Until(at); !at.IsZero() && wait > 0 {
			d.timer = time.AfterFunc(wait, func() { h.change(func() {}) })
		}
	})
}

func (d *deadline) isOver() bool { return !d.at.IsZero() && !time.Now().Before(d.at) }
