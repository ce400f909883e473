package app

import (
	"fmt"
	"slices"
	"strings"
)

// CanonicalHosts returns the canonical list without duplicates. Two entries for one host with
// different settings are CodeInvalidField.
func CanonicalHosts(hosts []Host) ([]Host, error) {
	if len(hosts) > MaxHosts {
		return nil, TooManyHosts()
	}
	list := make([]Host, 0, len(hosts))
	for _, h := range hosts {
		c, err := h.Canonical()
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(list, func(have Host) bool { return have.String() == c.String() })
		switch {
		case i < 0:
			list = append(list, c)
		case !SameHost(list[i], c):
			return nil, Invalid("hosts", fmt.Sprintf("the host %s is named twice, with different settings", c),
				"Name each host once.")
		}
	}
	return list, nil
}

// ReachableHosts returns the canonical list, and refuses unreachable entries. A page would promise
// access that nobody gets.
func ReachableHosts(hosts []Host) ([]Host, error) {
	list, err := CanonicalHosts(hosts)
	for _, h := range list {
		if err := h.CheckReachable(); err != nil {
			return nil, err
		}
	}
	return list, err
}

// CheckAdded refuses new entries that can't be granted (Host.CheckGrantable). Those in before stay
// until a person removes them.
func CheckAdded(hosts, before []Host) error {
	for _, h := range hosts {
		if slices.ContainsFunc(before, func(b Host) bool { return b.String() == h.String() }) {
			continue
		}
		if err := h.CheckGrantable(); err != nil {
			return err
		}
	}
	return nil
}

// AllowedHosts returns the hosts among requests that a person allowed.
func AllowedHosts(requests []HostRequest) []Host {
	list := make([]Host, 0, len(requests))
	for _, r := range requests {
		if r.Allowed {
			list = append(list, r.Host)
		}
	}
	return list
}

// SameHost reports whether two entries are equal, with their reasons.
func SameHost(a, b Host) bool {
	return a.Name == b.Name && slices.Equal(a.Ports, b.Ports) && a.Protocol == b.Protocol &&
		a.Private == b.Private && a.Reason == b.Reason
}

// SameHosts compares two lists without regard to order.
func SameHosts(a, b []Host) bool { return slices.EqualFunc(SortedHosts(a), SortedHosts(b), SameHost) }

// SortedHosts returns the list in the order of its entries' text.
func SortedHosts(list []Host) []Host {
	return slices.SortedFunc(slices.Values(list), func(a, b Host) int { return strings.Compare(a.String(), b.String()) })
}

// WithoutReasons returns the list without reasons, so equal grants have equal digests.
func WithoutReasons(list []Host) []Host {
	list = slices.Clone(list)
	for i := range list {
		list[i].Reason = ""
	}
	return list
}

// TooManyHosts is the error for more than MaxHosts entries.
func TooManyHosts() error {
	return Invalid("hosts", fmt.Sprintf("a profile has at most %d hosts", MaxHosts),
		"Use fewer hosts or a wildcard such as *.example.com.")
}
