package egress

import (
	"fmt"
	"net"
	"net/netip"
	"strings"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/egress/rules"
)

// ParseLocalServices reads AIRLOCK_LOCAL_SERVICES: comma-separated pairs "name:port=address:port".
// Addresses are numbers. Unspecified, link-local, metadata and reserved ones are refused, as is a
// repeated name:port.
func ParseLocalServices(text string) (map[string]netip.AddrPort, error) {
	pairs := map[string]netip.AddrPort{}
	if strings.TrimSpace(text) == "" {
		return pairs, nil
	}
	for item := range strings.SplitSeq(text, ",") {
		place, at, err := parseLocalService(strings.TrimSpace(item))
		if err != nil {
			return nil, fmt.Errorf("local service %q: %w", app.Clip(item, 80), err)
		}
		if _, twice := pairs[place]; twice {
			return nil, fmt.Errorf("local service %q: %s is given twice", app.Clip(item, 80), place)
		}
		pairs[place] = at
	}
	return pairs, nil
}

func parseLocalService(item string) (string, netip.AddrPort, error) {
	name, address, found := strings.Cut(item, "=")
	if !found {
		return "", netip.AddrPort{}, fmt.Errorf("write it as name:port=address:port")
	}
	if _, _, err := net.SplitHostPort(name); err != nil {
		return "", netip.AddrPort{}, fmt.Errorf("the name needs a port: write it as name:port=address:port")
	}
	h, err := app.ParseHost(name)
	if err != nil {
		return "", netip.AddrPort{}, err
	}
	if len(h.Ports) != 1 || strings.ContainsAny(h.Name, "*{") {
		return "", netip.AddrPort{}, fmt.Errorf("it takes one exact name and one port")
	}
	at, err := netip.ParseAddrPort(address)
	if err != nil || at.Port() == 0 {
		return "", netip.AddrPort{}, fmt.Errorf("%q is not address:port", address)
	}
	at = unmap(at)
	rule := rules.Classify(at.Addr(), nil)
	if at.Addr().IsUnspecified() || rule == rules.Metadata || rule == rules.Reserved {
		return "", netip.AddrPort{}, fmt.Errorf("%s can't be reached: %s", at, rule)
	}
	return rules.Place(app.Connection{Host: h.Name, Port: h.Ports[0]}), at, nil
}
