package egress

import (
	"bytes"
	"net"
	"net/netip"
	"sync"
	"time"

	"code.dny.dev/ssrf"
)

// metadata are the addresses of cloud metadata services outside the link-local ranges.
var metadata = []netip.Prefix{
	netip.MustParsePrefix("100.100.100.200/32"),     // Alibaba
	netip.MustParsePrefix("168.63.129.16/32"),       // Azure
	netip.MustParsePrefix("192.0.0.192/32"),         // Oracle
	netip.MustParsePrefix("fd00:ec2::/32"),          // AWS
	netip.MustParsePrefix("fd20:ce::254/128"),       // Google
	netip.MustParsePrefix("fd00:c1::a9fe:a9fe/128"), // Oracle
	netip.MustParsePrefix("fd00:42::42/128"),        // Scaleway
}

var (
	thisNetwork = netip.MustParsePrefix("0.0.0.0/8") // Linux takes 0.0.0.0 for itself
	sharedSpace = netip.MustParsePrefix("100.64.0.0/10")
	special     = ssrf.New(ssrf.WithAnyPort())
)

// classify returns the rule that stands against an address, or "" for a public one. own are this
// host's interface addresses.
func classify(a netip.Addr, own map[netip.Addr]struct{}) string {
	a = a.Unmap()
	if !a.IsValid() || a.Zone() != "" {
		return RuleReserved
	}
	if isMetadata(a) {
		return RuleMetadata
	}
	if _, mine := own[a]; mine || a.IsLoopback() || a.IsUnspecified() || thisNetwork.Contains(a) {
		return RuleThisHost
	}
	if inner, ok := nat64(a); ok {
		if rule := classify(inner, own); rule != RulePrivate {
			return rule
		}
		return RuleReserved // the well-known prefix may carry public addresses only, whatever is ticked
	}
	if a.IsPrivate() || sharedSpace.Contains(a) {
		return RulePrivate
	}
	if special.SafeAddr(a) != nil || isISATAP(a) {
		return RuleReserved
	}
	return ""
}

func isMetadata(a netip.Addr) bool {
	if a.IsLinkLocalUnicast() {
		return true
	}
	for _, p := range metadata {
		if p.Contains(a) {
			return true
		}
	}
	return false
}

// nat64 returns the IPv4 address that an address of NAT64's well-known prefix stands for.
func nat64(a netip.Addr) (netip.Addr, bool) {
	if !ssrf.IPv6NAT64Prefix.Contains(a) {
		return netip.Addr{}, false
	}
	raw := a.As16()
	return netip.AddrFrom4([4]byte(raw[12:])), true
}

// isISATAP reports whether an IPv6 address carries an IPv4 one behind the interface identifier of
// RFC 5214, under any prefix.
func isISATAP(a netip.Addr) bool {
	if !a.Is6() {
		return false
	}
	raw := a.As16()
	return raw[8]&^2 == 0 && bytes.Equal(raw[9:12], []byte{0x00, 0x5e, 0xfe})
}

// ownAddresses knows this host's interface addresses. They are read again when they are older than
// ownAge, because interfaces come and go.
type ownAddresses struct {
	read func() ([]net.Addr, error)

	mu   sync.Mutex
	at   time.Time
	last map[netip.Addr]struct{}
}

const ownAge = 2 * time.Second

// now returns the addresses, or an error if they can't be read: then nothing may be dialled.
func (o *ownAddresses) now() (map[netip.Addr]struct{}, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.last != nil && time.Since(o.at) < ownAge {
		return o.last, nil
	}
	list, err := o.read()
	if err != nil {
		return nil, err
	}
	o.last, o.at = make(map[netip.Addr]struct{}, len(list)), time.Now()
	for _, item := range list {
		if p, err := netip.ParsePrefix(item.String()); err == nil {
			o.last[p.Addr().Unmap().WithZone("")] = struct{}{}
		}
	}
	return o.last, nil
}
