package web

import (
	"slices"
	"sync"
	"time"
)

// room is memory that requests share, in bytes. An address gets more as long as more is free than it has, so that one alone has half. It is safe for concurrent use.
type room struct {
	mu        sync.Mutex
	most      int64
	tenure    time.Duration // after which who is in it gives way to others
	all       int64
	addresses map[string]int64
	held      []*stay // the longest first
}

// stay is the part of a room that one request or answer takes.
type stay struct {
	room    *room
	address string
	bytes   int64
	since   time.Time
	giveWay func() // ends it, if others need the room; nil once that is settled
	gone    bool   // it gave way
}

// enter takes room for an answer, which may be larger than all of the room: there is room for one as long as the address has less than is free. nil if there is none; then
// somebody gives way (see fits). The stay gives way to nobody before it is asked to (see yield).
func (r *room) enter(address string, bytes int64) *stay {
	r.mu.Lock()
	defer r.mu.Unlock()
	fits := func(has, free int64) bool { return has < free }
	if !r.fits(address, fits) {
		return nil
	}
	r.count(address, bytes)
	s := &stay{room: r, address: address, bytes: bytes, since: time.Now()}
	r.held = append(r.held, s)
	return s
}

// grow takes more bytes for a stay, which begins with the first of them; false if there are not so many for its address. Then somebody gives way.
func (s *stay) grow(more int64) bool {
	r := s.room
	r.mu.Lock()
	defer r.mu.Unlock()
	fits := func(has, free int64) bool { return has+more <= free }
	if !r.fits(s.address, fits) {
		return false
	}
	if s.bytes == 0 {
		s.since = time.Now()
		r.held = append(r.held, s)
	}
	r.count(s.address, more)
	s.bytes += more
	return true
}

// fits reports whether there is room, by what the address has and what is free. If not, who has been in it longest, and for its tenure, gives way to an address that has no
// more than theirs: unless there will be room once those have left who were told before. The caller holds mu.
func (r *room) fits(address string, fits func(has, free int64) bool) bool {
	has, free := r.addresses[address], r.most-r.all
	if fits(has, free) {
		return true
	}
	var longest *stay
	for _, s := range r.held {
		switch {
		case s.gone:
			free += s.bytes
			if s.address == address {
				has -= s.bytes
			}
		case longest == nil && s.giveWay != nil && time.Since(s.since) >= r.tenure && r.addresses[s.address] >= r.addresses[address]:
			longest = s
		}
	}
	if longest != nil && !fits(has, free) {
		longest.giveWay()
		longest.giveWay, longest.gone = nil, true
	}
	return false
}

// yield has a stay give way to others from its tenure on, which begins now.
func (s *stay) yield(giveWay func()) {
	r := s.room
	r.mu.Lock()
	defer r.mu.Unlock()
	if s.gone {
		return
	}
	s.since, s.giveWay = time.Now(), giveWay
	if i := slices.Index(r.held, s); i >= 0 {
		r.held = append(slices.Delete(r.held, i, i+1), s)
	}
}

// settle says that a stay need not give way any more. It reports whether it has.
func (s *stay) settle() (gaveWay bool) {
	s.room.mu.Lock()
	defer s.room.mu.Unlock()
	s.giveWay = nil
	return s.gone
}

// leave gives back what a stay took. Only the first call counts.
func (s *stay) leave() {
	r := s.room
	r.mu.Lock()
	defer r.mu.Unlock()
	if i := slices.Index(r.held, s); i >= 0 {
		r.held = slices.Delete(r.held, i, i+1)
		r.count(s.address, -s.bytes)
	}
}

// count adds bytes, or takes them off. The caller holds mu.
func (r *room) count(address string, bytes int64) {
	if bytes == 0 {
		return
	}
	if r.addresses == nil {
		r.addresses = map[string]int64{}
	}
	r.all += bytes
	if r.addresses[address] += bytes; r.addresses[address] == 0 {
		delete(r.addresses, address)
	}
}

// taken is how much of the room is taken.
func (r *room) taken() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.all
}
