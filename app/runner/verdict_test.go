package runner

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/egress"
)

// A ledger has a row per request; an error says once per place what to do, so that many requests to
// one don't hide the others.
func TestHintsAreSaidOnce(t *testing.T) {
	t.Parallel()
	refused := func(host, path, rule string) app.Connection {
		return app.Connection{Host: host, Port: 443, Method: "GET", Path: path, Rule: rule, Verdict: app.VerdictDenied,
			Count: 1}
	}
	allowed := refused("a.example", "/3", "a.example")
	allowed.Verdict = app.VerdictAllowed
	got := denialHints([]app.Connection{
		refused("a.example", "/1", egress.RuleHost), refused("a.example", "/2", egress.RuleHost), allowed,
		refused("b.example", "/1", egress.RuleHost), refused("a.example", "/1", egress.RuleUpgrade),
		refused("a.example", "/4", egress.RuleClosed),
	})
	var want []string
	for _, c := range []app.Connection{refused("a.example", "", egress.RuleHost),
		refused("b.example", "", egress.RuleHost), refused("a.example", "", egress.RuleUpgrade)} {
		told := egress.Explain(c)
		want = append(want, told.Message+".")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
