package egress

import (
	"net/netip"
	"strings"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/egress/rules"
)

// Names under a wildcard reach its owner's name servers and could carry data. So stars are short
// and few: per execution at most Limits.Names times maxStar bytes.
const (
	maxStar       = 80 // bytes
	maxStarLabels = 4
)

func isLongStar(star string) bool {
	return len(star) > maxStar || strings.Count(star, ".") >= maxStarLabels
}

// wildcardLocked returns a wildcard's rule against a name, or "".
func (s *Session) wildcardLocked(entry app.Host, name string) string {
	suffix, ok := strings.CutPrefix(entry.Name, "*")
	if !ok {
		return ""
	}
	if isLongStar(strings.TrimSuffix(name, suffix)) {
		return rules.LongName
	}
	if _, known := s.wild[name]; known {
		return ""
	}
	if len(s.wild) >= s.gateway.limits.Names {
		return rules.ManyNames
	}
	s.wild[name] = struct{}{}
	return ""
}

// unknownName returns the rule against a name that the box refused. The box checks wildcard limits
// before Airlock does.
func (s *Session) unknownName(name string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, entry := range s.hosts {
		suffix, wild := strings.CutPrefix(entry.Name, "*")
		switch {
		case !wild || !entry.Matches(name, entry.Ports[0]):
		case isLongStar(strings.TrimSuffix(name, suffix)):
			return rules.LongName
		default:
			return rules.ManyNames
		}
	}
	return rules.NotListed
}

func isIP(name string) bool {
	_, err := netip.ParseAddr(name)
	return err == nil
}
