package swap

import (
	"fmt"
	"slices"
	"strings"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/secrets"
)

// Target is where a request goes. Its host and port were allowed by policy.
type Target struct {
	Host string // canonical
	Port int
	TLS  bool // Airlock itself speaks TLS to the host
	// Searched says that any sealed credential of the instance belongs there.
	Searched bool
}

// Swapper holds the sealed credentials of one execution. It is immutable, safe for concurrent use,
// and prints no credential.
type Swapper struct {
	credentials []secrets.Resolved // by key
	holders     map[string][]*secrets.Resolved
	values      *Values
	given       *Values // that the script holds: they stay in answers
	holds       holds
}

// New returns a Swapper for the script's placeholders (credentials) and its own values (given).
// Keys that share a placeholder are one credential with the rights of both.
func New(credentials []secrets.Resolved, given ...app.Secret) *Swapper {
	s := newSwapper(credentials, newHolds())
	s.given = NewValues(given)
	return s
}

// Restrict returns a Swapper for the same execution with other credentials. Both share the limit
// of held bodies.
func (s *Swapper) Restrict(credentials []secrets.Resolved) *Swapper {
	n := newSwapper(credentials, s.holds)
	n.given = s.given
	return n
}

func newSwapper(credentials []secrets.Resolved, h holds) *Swapper {
	s := &Swapper{credentials: slices.Clone(credentials), holders: map[string][]*secrets.Resolved{}, holds: h}
	slices.SortStableFunc(s.credentials, func(a, b secrets.Resolved) int { return strings.Compare(a.Key, b.Key) })
	for i := range s.credentials {
		c := &s.credentials[i]
		s.holders[c.Placeholder] = append(s.holders[c.Placeholder], c)
	}
	values := make([]app.Secret, len(s.credentials))
	for i, c := range s.credentials {
		values[i] = c.Secret
	}
	s.values = NewValues(values)
	return s
}

// Format prints nothing of what it knows.
func (s *Swapper) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("swap.Swapper")) }

// Belongs reports whether a credential belongs to the host and port, whatever the protocol.
func (s *Swapper) Belongs(host string, port int) bool {
	return slices.ContainsFunc(s.credentials, func(c secrets.Resolved) bool { return c.Covers(host, port) })
}

// BelongsToName reports whether a credential belongs to a host, at any port.
func (s *Swapper) BelongsToName(host string) bool {
	return slices.ContainsFunc(s.credentials, func(c secrets.Resolved) bool {
		return slices.ContainsFunc(c.Hosts, func(h app.Host) bool { return h.Matches(host, h.Ports[0]) })
	})
}

func allows(c *secrets.Resolved, at where) bool {
	if at.place == app.PlaceHeader {
		return slices.Contains(c.Headers, at.header) && !app.UnfitHeader(at.header)
	}
	return at.place != "" && slices.Contains(c.Places, at.place)
}

// judge returns the credential to insert for a hit, or nil for mere text.
func (s *Swapper) judge(t Target, h hit, at where) (*secrets.Resolved, *Refusal) {
	holders := s.holders[h.token]
	if len(holders) == 0 {
		if t.Searched || s.Belongs(t.Host, t.Port) {
			return nil, refuseUnknown(at, t.Host)
		}
		return nil, nil
	}
	var refusal *Refusal
	for _, c := range holders {
		refusal = refuse(c, t, h, at)
		if refusal == nil {
			return c, nil
		}
	}
	return nil, refusal
}

func refuse(c *secrets.Resolved, t Target, h hit, at where) *Refusal {
	switch {
	case !c.Covers(t.Host, t.Port):
		return refuseHost(c, t.Host)
	case !t.TLS && !c.PlainHTTP:
		return refusePlain(c, t.Host)
	case !allows(c, at):
		return refusePlace(c, at)
	case !h.exact:
		return refuseEncoded(c, at)
	case c.Secret.Empty():
		return refuseValue(c, at, "it is empty")
	}
	return nil
}

// swapsBody reports whether a body for the target may hold a replaceable placeholder.
func (s *Swapper) swapsBody(t Target) bool {
	return slices.ContainsFunc(s.credentials, func(c secrets.Resolved) bool {
		return c.Covers(t.Host, t.Port) && allows(&c, bodyPlace) && (t.TLS || c.PlainHTTP)
	})
}
