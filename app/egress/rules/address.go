package rules

import (
	"bytes"
	"net/netip"

	"code.dny.dev/ssrf"
)

// metadata are clouds' metadata services outside the link-local ranges.
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

// Classify returns the rule against an address, or "" for a public one. own: this host's interface
// addresses.
func Classify(a netip.Addr, own map[netip.Addr]struct{}) string {
	a = a.Unmap()
	if !a.IsValid() || a.Zone() != "" {
		return Reserved
	}
	if isMetadata(a) {
		return Metadata
	}
	if _, mine := own[a]; mine || a.IsLoopback() || a.IsUnspecified() || thisNetwork.Contains(a) {
		return ThisHost
	}
	if inner, ok := nat64(a); ok {
		if rule := Classify(inner, own); rule != Private {
			return rule
		}
		return Reserved // the well-known prefix may carry public addresses only, whatever is ticked
	}
	if a.IsPrivate() || sharedSpace.Contains(a) {
		return Private
	}
	if special.SafeAddr(a) != nil || isISATAP(a) {
		return Reserved
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

func nat64(a netip.Addr) (netip.Addr, bool) {
	if !ssrf.IPv6NAT64Prefix.Contains(a) {
		return netip.Addr{}, false
	}
	raw := a.As16()
	return netip.AddrFrom4([4]byte(raw[12:])), true
}

// isISATAP reports whether an IPv6 address carries an IPv4 one (RFC 5214), under any prefix.
func isISATAP(a netip.Addr) bool {
	if !a.Is6() {
		return false
	}
	raw := a.As16()
	return raw[8]&^2 == 0 && bytes.Equal(raw[9:12], []byte{0x00, 0x5e, 0xfe})
}
