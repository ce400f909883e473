package egress

import (
	"net"
	"net/netip"
	"sync"
	"time"
)

// ownAddresses caches this host's interface addresses for ownAge, since interfaces come and go.
type ownAddresses struct {
	read func() ([]net.Addr, error)

	mu   sync.Mutex
	at   time.Time
	last map[netip.Addr]struct{}
}

const ownAge = 2 * time.Second

// now returns the addresses. After an error nothing may be dialled.
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
