package httpx

import (
	"net/netip"
	"testing"
	"time"
)

// TestRefusalForAllCostsNobodysShare: a refusal for the common limit leaves the client's own.
func TestRefusalForAllCostsNobodysShare(t *testing.T) {
	t.Parallel()
	l, now := NewRateLimiter(6, time.Now), time.Unix(1e9, 0)
	for i := range 60 { // all that there is for everybody
		if wait := l.delay(netip.AddrFrom4([4]byte{198, 51, 100, byte(i)}).String(), now); wait != 0 {
			t.Fatalf("request %d waits %v", i, wait)
		}
	}
	for range 20 {
		if wait := l.delay("203.0.113.9", now); wait != time.Second {
			t.Fatalf("waits %v, want 1s", wait)
		}
	}
	for i := range 6 {
		if wait := l.delay("203.0.113.9", now.Add(time.Minute)); wait != 0 {
			t.Errorf("its request %d waits %v", i, wait)
		}
	}
}

func TestRateLimiter(t *testing.T) {
	t.Parallel()
	l, now := NewRateLimiter(6, time.Now), time.Unix(1e9, 0)
	for i := range 6 {
		if wait := l.delay("192.0.2.1", now); wait != 0 {
			t.Fatalf("request %d waits %v", i, wait)
		}
	}
	if wait := l.delay("192.0.2.1", now); wait != 10*time.Second {
		t.Errorf("the seventh waits %v, want 10s", wait)
	}
	if wait := l.delay("192.0.2.2", now); wait != 0 {
		t.Errorf("another address waits %v", wait)
	}
	if wait := l.delay("192.0.2.1", now.Add(10*time.Second)); wait != 0 {
		t.Errorf("after its time it still waits %v", wait)
	}
	if ClientNetwork("2001:db8:1:2:3::4") != ClientNetwork("2001:db8:1:2:ffff::9") ||
		ClientNetwork("2001:db8:1:2::4") == ClientNetwork("2001:db8:1:3::4") {
		t.Error("a client is a /64 of IPv6")
	}
	for i := range 100 {
		l.delay(netip.AddrFrom4([4]byte{198, 51, 100, byte(i)}).String(), now)
	}
	if wait := l.delay("203.0.113.9", now); wait == 0 {
		t.Error("there is no limit for all addresses together")
	}
}
