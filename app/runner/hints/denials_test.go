package hints

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/egress/rules"
)

// An error says once per place what to do, so that repeated requests don't hide others.
func TestHintsAreSaidOnce(t *testing.T) {
	t.Parallel()
	refused := func(host, path, rule string) app.Connection {
		return app.Connection{Host: host, Port: 443, Method: "GET", Path: path, Rule: rule, Verdict: app.VerdictDenied,
			Count: 1}
	}
	allowed := refused("a.example", "/3", "a.example")
	allowed.Verdict = app.VerdictAllowed
	got := Denials([]app.Connection{
		refused("a.example", "/1", rules.Host), refused("a.example", "/2", rules.Host), allowed,
		refused("b.example", "/1", rules.Host), refused("a.example", "/1", rules.Upgrade),
		refused("a.example", "/4", rules.Closed),
	})
	var want []string
	for _, c := range []app.Connection{refused("a.example", "", rules.Host),
		refused("b.example", "", rules.Host), refused("a.example", "", rules.Upgrade)} {
		want = append(want, rules.Explain(c).Message+".")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
