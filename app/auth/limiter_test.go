package auth

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestLimiterIsBounded(t *testing.T) {
	l := newLimiter(globalBurst)
	now := time.Now()
	allowed := 0
	for i := range 200 {
		if l.begin(fmt.Sprintf("192.0.2.%d", i), now) {
			allowed++
		}
	}
	if allowed != globalBurst {
		t.Errorf("%d attempts from many addresses were let through, want %d", allowed, globalBurst)
	}
	for i := range 3 * maxAddresses {
		now = now.Add(globalEvery)
		l.begin(fmt.Sprintf("10.%d.%d.%d", i>>16, i>>8&255, i&255), now)
	}
	if len(l.keys) > maxAddresses {
		t.Errorf("%d addresses are kept", len(l.keys))
	}
	if !l.begin("192.0.2.1", now.Add(time.Hour)) {
		t.Error("an attempt is refused for ever")
	}
}

func TestOrigin(t *testing.T) {
	for address, want := range map[string]string{
		"192.0.2.1": "192.0.2.1", "192.0.2.1:80": "192.0.2.1", "::ffff:192.0.2.1": "192.0.2.1",
		"2001:db8::1": "2001:db8::/64", "[2001:db8::2]:1": "2001:db8::/64",
		"fe80::1%eth0": "fe80::/64", "": "unknown", "nonsense": "unknown", strings.Repeat("1", 1000): "unknown",
	} {
		if got := Origin(address); got != want {
			t.Errorf("Origin(%.40q) = %q, want %q", address, got, want)
		}
	}
}
