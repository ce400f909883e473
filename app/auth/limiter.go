package auth

import (
	"net/netip"
	"sync"
	"time"
)

// Wrong attempts before the next must wait, and how long each counts.
const (
	addressBurst = 5
	addressEvery = 12 * time.Second
	globalBurst  = 50
	globalEvery  = 2 * time.Second
	maxAddresses = 10_000
)

// limiter limits wrong tokens and passwords, per key and overall. It is safe for concurrent use.
type limiter struct {
	burst int // over all; 0: any number

	mu     sync.Mutex
	global bucket
	keys   map[string]*bucket
}

// bucket holds up to burst failures and forgets one per interval.
type bucket struct {
	failures int
	since    time.Time // when the oldest failure that counts began to be forgotten
}

func newLimiter(burst int) *limiter { return &limiter{burst: burst, keys: map[string]*bucket{}} }

// begin counts an attempt as failed and reports whether it is allowed. succeed takes it back.
func (l *limiter) begin(key string, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.global.forget(now, globalEvery)
	b := l.bucketLocked(key, now)
	if b == nil || b.failures >= addressBurst || l.burst > 0 && l.global.failures >= l.burst {
		return false
	}
	b.failures++
	l.global.failures++
	return true
}

// refund takes back one attempt.
func (l *limiter) refund(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if b := l.keys[key]; b != nil && b.failures > 0 {
		b.failures--
	}
	if l.global.failures > 0 {
		l.global.failures--
	}
}

// bucketLocked returns the key's bucket, or nil if there are too many.
func (l *limiter) bucketLocked(key string, now time.Time) *bucket {
	b := l.keys[key]
	if b == nil {
		if len(l.keys) >= maxAddresses {
			l.dropLocked(now)
		}
		if len(l.keys) >= maxAddresses {
			return nil
		}
		b = &bucket{since: now}
		l.keys[key] = b
	}
	b.forget(now, addressEvery)
	return b
}

func (l *limiter) dropLocked(now time.Time) {
	for key, b := range l.keys {
		if b.forget(now, addressEvery); b.failures == 0 {
			delete(l.keys, key)
		}
	}
}

func (b *bucket) forget(now time.Time, every time.Duration) {
	n := int(now.Sub(b.since) / every)
	switch {
	case b.failures == 0 || n >= b.failures:
		b.failures, b.since = 0, now
	case n > 0:
		b.failures -= n
		b.since = b.since.Add(time.Duration(n) * every)
	}
}

// Origin returns the limited unit of an address: an IPv4 address or IPv6 /64.
func Origin(address string) string {
	if ap, err := netip.ParseAddrPort(address); err == nil {
		address = ap.Addr().String()
	}
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return "unknown"
	}
	if ip = ip.Unmap().WithZone(""); ip.Is4() {
		return ip.String()
	}
	prefix, err := ip.Prefix(64)
	if err != nil {
		return "unknown"
	}
	return prefix.String()
}
