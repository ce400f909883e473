package httpx

import (
	"slices"
	"sync"
	"time"
)

// Budget is memory that requests share, in bytes.
//
// An address may reserve more as long as more is free than it has, so that one alone gets half.
// It is safe for concurrent use.
type Budget struct {
	mu           sync.Mutex
	capacity     int64
	minHold      time.Duration // a reservation is not evicted earlier
	used         int64
	addresses    map[string]int64
	reservations []*Reservation // the oldest first
}

// Reservation is the memory that one request or answer takes of a Budget.
type Reservation struct {
	budget  *Budget
	address string

	// The budget's mu guards the rest.
	bytes   int64
	since   time.Time
	evict   func() // ends the request; nil while it may not be evicted
	evicted bool
}

// NewBudget returns an empty budget. No reservation is evicted before it was held for minHold.
func NewBudget(capacity int64, minHold time.Duration) *Budget {
	return &Budget{capacity: capacity, minHold: minHold, addresses: map[string]int64{}}
}

// Resize changes the capacity and how long a reservation is held at least.
func (b *Budget) Resize(capacity int64, minHold time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.capacity, b.minHold = capacity, minHold
}

// Used is how many bytes are reserved.
func (b *Budget) Used() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used
}

// reserve takes memory for one answer, which may be larger than the capacity.
//
// It needs the address to have less than is free. Otherwise it returns nil, and may have evicted
// another reservation. The new one can't be evicted before allowEviction.
func (b *Budget) reserve(address string, bytes int64) *Reservation {
	b.mu.Lock()
	defer b.mu.Unlock()
	fits := func(has, free int64) bool { return has < free }
	if !b.makeRoomLocked(address, fits) {
		return nil
	}
	b.addLocked(address, bytes)
	r := &Reservation{budget: b, address: address, bytes: bytes, since: time.Now()}
	b.reservations = append(b.reservations, r)
	return r
}

// grow takes more bytes; it returns false, and may evict another reservation, if they don't fit.
// The reservation is held from its first byte on.
func (r *Reservation) grow(more int64) bool {
	b := r.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	fits := func(has, free int64) bool { return has+more <= free }
	if !b.makeRoomLocked(r.address, fits) {
		return false
	}
	if r.bytes == 0 {
		r.since = time.Now()
		b.reservations = append(b.reservations, r)
	}
	b.addLocked(r.address, more)
	r.bytes += more
	return true
}

// makeRoomLocked reports whether an address fits, by what it has and what is free.
//
// If not, it evicts the oldest reservation of an address that holds at least as much. It evicts none
// if enough will be free once the reservations evicted before are released.
func (b *Budget) makeRoomLocked(address string, fits func(has, free int64) bool) bool {
	has, free := b.addresses[address], b.capacity-b.used
	if fits(has, free) {
		return true
	}
	var oldest *Reservation
	for _, r := range b.reservations {
		switch {
		case r.evicted:
			free += r.bytes
			if r.address == address {
				has -= r.bytes
			}
		case oldest == nil && r.evict != nil && time.Since(r.since) >= b.minHold &&
			b.addresses[r.address] >= b.addresses[address]:
			oldest = r
		}
	}
	if oldest != nil && !fits(has, free) {
		oldest.evict()
		oldest.evict, oldest.evicted = nil, true
	}
	return false
}

// allowEviction lets the reservation be evicted, by calling evict, once it was held for the minimum
// from now.
func (r *Reservation) allowEviction(evict func()) {
	b := r.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	if r.evicted {
		return
	}
	r.since, r.evict = time.Now(), evict
	if i := slices.Index(b.reservations, r); i >= 0 {
		b.reservations = append(slices.Delete(b.reservations, i, i+1), r)
	}
}

// forbidEviction keeps the reservation from being evicted. It reports whether it was already.
func (r *Reservation) forbidEviction() (evicted bool) {
	r.budget.mu.Lock()
	defer r.budget.mu.Unlock()
	r.evict = nil
	return r.evicted
}

// release gives the memory back. Only the first call counts.
func (r *Reservation) release() {
	b := r.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	if i := slices.Index(b.reservations, r); i >= 0 {
		b.reservations = slices.Delete(b.reservations, i, i+1)
		b.addLocked(r.address, -r.bytes)
	}
}

func (b *Budget) addLocked(address string, bytes int64) {
	if bytes == 0 {
		return
	}
	b.used += bytes
	if b.addresses[address] += bytes; b.addresses[address] == 0 {
		delete(b.addresses, address)
	}
}
