package egress

import (
	"net/netip"
	"strings"

	"github.com/computclaw/airlock/app"
)

// What stands for the star of a wildcard reaches the name servers of its owner, and could carry
// data to them. So it is short, and an execution may use few different ones: together at most
// Limits.Names times maxStar bytes.
const (
	maxStar       = 80 // bytes
	maxStarLabels = 4
)

// wildcardLocked returns the rule against a name that a wildcard entry allowed, or "".
func (s *Session) wildcardLocked(entry app.Host, name string) string {
	suffix, ok := strings.CutPrefix(entry.Name, "*")
	if !ok {
		return ""
	}
	star := strings.TrimSuffix(name, suffix)
	if len(star) > maxStar || strings.Count(star, ".") >= maxStarLabels {
		return RuleLongName
	}
	if _, known := s.wild[name]; known {
		return ""
	}
	if len(s.wild) >= s.gateway.limits.Names {
		return RuleManyNames
	}
	s.wild[name] = struct{}{}
	return ""
}

// isIP reports whether a canonical name is an IP address.
func isIP(name string) bool {
	_, err := netip.ParseAddr(name)
	return err == nil
}
