package swap

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/known"
	"github.com/computclaw/airlock/app/match"
	"github.com/computclaw/airlock/app/secrets"
)

// value returns the text to insert or to search for.
func valueOf(c *secrets.Resolved) string { return c.Secret.Reveal() }

// Values are texts to find in answers, however written. They are immutable, compiled on first use,
// may be shared, and print no value.
type Values struct {
	secrets []string // each once
	compile func() *compiled
}

// compiled are the patterns of values.
type compiled struct {
	finder   *match.Finder
	patterns []owned
}

type owned struct {
	known.Pattern
	owner int
}

// NewValues returns Values of secrets, without empty ones.
func NewValues(secrets []app.Secret) *Values {
	v := &Values{}
	for _, s := range secrets {
		if text := s.Reveal(); text != "" && !slices.Contains(v.secrets, text) {
			v.secrets = append(v.secrets, text)
		}
	}
	v.compile = sync.OnceValue(v.build)
	return v
}

// Format prints nothing of what it holds.
func (v *Values) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("swap.Values")) }

func (v *Values) build() *compiled {
	c := &compiled{}
	var texts []match.Pattern
	for owner, value := range v.secrets {
		for _, p := range known.Patterns(value) {
			c.patterns = append(c.patterns, owned{p, owner})
			texts = append(texts, p.Pattern)
		}
	}
	c.finder = match.New(texts)
	return c
}

// valueSearch searches several lists in one pass. A second pass would miss values of which the
// first replaced a part.
type valueSearch []shownValues

type shownValues struct {
	*compiled
	shown []string // "" for one that stays
}

// isSubsetOf reports whether other has all values.
func (v *Values) isSubsetOf(other *Values) bool {
	return other != nil && !slices.ContainsFunc(v.secrets,
		func(s string) bool { return !slices.Contains(other.secrets, s) })
}

// replacements returns the text for each value in a target's responses. A sealed value gets its
// placeholder, the script's own nothing, others Withheld. Of keys with one value the target's
// counts, then the first by name. Values that differ only in case are one.
func (s *Swapper) replacements(values *Values, t Target) []string {
	out := make([]string, len(values.secrets))
	for i, value := range values.secrets {
		out[i] = Withheld
		if slices.Contains(s.given.secrets, value) {
			out[i] = ""
		}
		ours := func(c secrets.Resolved) bool { return strings.EqualFold(valueOf(&c), value) }
		if first := slices.IndexFunc(s.credentials, ours); first >= 0 {
			out[i] = s.credentials[first].Placeholder
		}
		if there := slices.IndexFunc(s.credentials,
			func(c secrets.Resolved) bool { return ours(c) && c.Covers(t.Host, t.Port) }); there >= 0 {
			out[i] = s.credentials[there].Placeholder
		}
	}
	return out
}
