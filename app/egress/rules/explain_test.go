package egress

import (
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/egress/swap"
)

func TestExplain(t *testing.T) {
	for _, c := range []struct {
		rule string
		hint string // what the next step must name
	}{
		{RuleName, "plain host name"},
		{RuleNotListed, `POST /profiles/self/hosts {"hosts":[{"host":"db.test:5432","reason"`},
		{RulePort, `POST /profiles/self/hosts {"hosts":[{"host":"db.test:5432","reason"`},
		{RulePrivate, "tick for private networks"},
		{RuleThisHost, "AIRLOCK_LOCAL_SERVICES as db.test:5432=127.0.0.1:PORT"},
		{RuleListener, "outside"},
		{RuleMetadata, "No entry of a profile can allow it"},
		{RuleReserved, "No entry of a profile can allow it"},
		{RuleConnections, "Close connections"},
		{RuleRate, "Reuse connections"},
		{RuleBytes, "Fetch less"},
		{RuleClosed, "Nothing to do"},
		{RuleCancelled, "Nothing to do"},
		{RuleUnresolved, "spelling"},
		{RuleRefused, "service is running"},
		{RuleTimeout, "firewall"},
		{RuleUnreachable, "can reach it"},
		{RuleMore, "fewer"},
	} {
		e := Explain(app.Connection{Host: "db.test", Port: 5432, Rule: c.rule, Verdict: verdictOf(c.rule)})
		if !strings.Contains(e.Message, "db.test:5432") || !strings.Contains(e.Message, c.rule) ||
			!strings.Contains(e.Hint, c.hint) {
			t.Errorf("%s: %q, %q", c.rule, e.Message, e.Hint)
		}
	}
	if e := Explain(app.Connection{Host: "db.test", Port: 5432, Rule: "db.test:5432",
		Verdict: app.VerdictAllowed}); e != nil {
		t.Errorf("an allowed connection is explained: %v", e)
	}
	if e := Explain(app.Connection{Host: "db.test", Rule: RuleNotListed, Verdict: app.VerdictDenied}); !strings.Contains(
		e.Hint, `"host":"db.test:443"`) {
		t.Errorf("a refused name: %q", e.Hint)
	}
}

// Every rule has sentences of its own, with a next step.
func TestEveryRuleIsExplained(t *testing.T) {
	fallback := Explain(app.Connection{Host: "db.test", Rule: "no such rule", Verdict: app.VerdictDenied}).Hint
	for _, rule := range []string{
		RuleConnections, RuleTotal, RuleRefusals, RuleLongName, RuleManyNames, RuleRecord, RuleAuthority, RuleNotTLS, RuleHandshake, RuleDistrust, RuleNoServerName, RuleServerName,
		RuleECH, RuleHTTP2,
		RuleMalformed, RuleTooLarge, RuleSlow, RuleHost, RuleAbsolute, RuleMethod, RuleUpgrade, RuleExpect, RuleRestricted,
		RuleUnknown, RuleCertUntrusted, RuleCertTime, RuleCertName,
		RuleCertOther, RuleHostNoTLS, RuleHostOldTLS, RuleHostHTTP2, RuleHostTLS, RuleHostBroke, RuleHostAnswer,
		RuleUnreadable,
		swap.RuleHost, swap.RulePlain, swap.RulePlace, swap.RuleHeader, swap.RuleEncoded, swap.RuleUnknown, swap.RuleValue,
		swap.RuleBody, swap.RuleTooLarge,
	} {
		e := Explain(app.Connection{Host: "db.test", Port: 443, Rule: rule, Verdict: verdictOf(rule)})
		if e.Hint == fallback || len(e.Hint) < 10 || !strings.Contains(e.Message, "db.test:443") ||
			!strings.Contains(e.Message, rule) {
			t.Errorf("%s: %q, %q", rule, e.Message, e.Hint)
		}
	}
}

// What the hint tells the agent to propose is exactly what would have allowed the connection.
func TestHintsNameAnEntryThatWouldDo(t *testing.T) {
	for _, host := range []string{"db.test", "93.184.215.14", "2a00:1450::1"} {
		refused := app.Connection{Host: host, Port: 8443, Rule: RuleNotListed, Verdict: app.VerdictDenied}
		h, err := app.ParseHost(place(refused))
		if err != nil {
			t.Errorf("%s: %v", host, err)
			continue
		}
		if _, rule := decide([]app.Host{h}, host, 8443); rule != "" {
			t.Errorf("%s: the proposed entry %s leads to %q", host, h, rule)
		}
	}
}
