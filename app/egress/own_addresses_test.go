package egress

import (
	"errors"
	"net"
	"net/netip"
	"testing"
	"time"
)

func TestOwnAddresses(t *testing.T) {
	calls := 0
	list := []net.Addr{&net.IPNet{IP: net.IPv4(10, 1, 1, 1), Mask: net.CIDRMask(24, 32)}}
	var fail error
	own := &ownAddresses{read: func() ([]net.Addr, error) { calls++; return list, fail }}
	has := func(a string) bool {
		set, err := own.now()
		if err != nil {
			t.Fatal(err)
		}
		_, ok := set[netip.MustParseAddr(a)]
		return ok
	}
	if !has("10.1.1.1") || has("10.1.1.2") || calls != 1 {
		t.Fatalf("first reading is wrong after %d calls", calls)
	}
	list = append(list, &net.IPNet{IP: net.ParseIP("fd00::7"), Mask: net.CIDRMask(64, 128)})
	own.at = time.Now().Add(-ownAge)
	if !has("fd00::7") || calls != 2 {
		t.Fatal("a new interface address is not seen after ownAge")
	}
	own.at, fail = time.Now().Add(-ownAge), errors.New("no netlink")
	if _, err := own.now(); err == nil {
		t.Fatal("stale addresses are used when they can't be read")
	}
	g := &Gateway{own: own}
	if err := g.check(target{AddrPort: netip.MustParseAddrPort("8.8.8.8:443")}); err == nil {
		t.Fatal("an address passes though this host's own are unknown")
	}
}
