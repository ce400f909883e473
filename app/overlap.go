package app

import (
	"slices"
	"strings"
)

// Overlap returns the common part of two entries. That is the narrower name with the common ports,
// Private only if both are. An entry that refers to a key overlaps only with itself. Protocol is
// h's, else other's; Reason is left out.
func (h Host) Overlap(other Host) (Host, bool) {
	both := Host{Name: h.Name, Protocol: h.Protocol, Private: h.Private && other.Private}
	switch {
	case h.Name == other.Name, h.isUnder(other):
	case other.isUnder(h):
		both.Name = other.Name
	default:
		return Host{}, false
	}
	both.Ports = slices.DeleteFunc(slices.Clone(h.Ports), func(p int) bool { return !slices.Contains(other.Ports, p) })
	if both.Protocol == "" {
		both.Protocol = other.Protocol
	}
	return both, len(both.Ports) > 0
}

// isUnder reports whether the name, or all names below it, are true subdomains.
func (h Host) isUnder(wildcard Host) bool {
	suffix, ok := strings.CutPrefix(wildcard.Name, "*")
	return ok && len(h.Name) > len(suffix) && strings.HasSuffix(h.Name, suffix)
}
