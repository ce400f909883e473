package rules

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
		{Name, "plain host name"},
		{NotListed, `POST /profiles/self/hosts {"hosts":[{"host":"db.test:5432","reason"`},
		{Port, `POST /profiles/self/hosts {"hosts":[{"host":"db.test:5432","reason"`},
		{Private, `under Access on the profile's page in Airlock, with the tick "Allow private network addresses"`},
		{ThisHost, "AIRLOCK_LOCAL_SERVICES as db.test:5432=127.0.0.1:PORT"},
		{Listener, "outside"},
		{Metadata, "No entry of a profile can allow it"},
		{Reserved, "No entry of a profile can allow it"},
		{Connections, "Close connections"},
		{Rate, "Reuse connections"},
		{Bytes, "Fetch less"},
		{Closed, "Nothing to do"},
		{Cancelled, "Nothing to do"},
		{Unresolved, "spelling"},
		{Refused, "service is running"},
		{Timeout, "firewall"},
		{Unreachable, "can reach it"},
		{More, "fewer"},
	} {
		e := Explain(app.Connection{Host: "db.test", Port: 5432, Rule: c.rule, Verdict: Verdict(c.rule)})
		if !strings.Contains(e.Message, "db.test:5432") || !strings.Contains(e.Message, c.rule) ||
			!strings.Contains(e.Hint, c.hint) {
			t.Errorf("%s: %q, %q", c.rule, e.Message, e.Hint)
		}
	}
	if e := Explain(app.Connection{Host: "db.test", Port: 5432, Rule: "db.test:5432",
		Verdict: app.VerdictAllowed}); e != nil {
		t.Errorf("an allowed connection is explained: %v", e)
	}
	if e := Explain(app.Connection{Host: "db.test", Rule: NotListed, Verdict: app.VerdictDenied}); !strings.Contains(
		e.Hint, `"host":"db.test:443"`) {
		t.Errorf("a refused name: %q", e.Hint)
	}
}

// Every rule has sentences of its own, with a next step.
func TestEveryRuleIsExplained(t *testing.T) {
	fallback := Explain(app.Connection{Host: "db.test", Rule: "no such rule", Verdict: app.VerdictDenied}).Hint
	for _, rule := range []string{
		Connections, Total, Refusals, LongName, ManyNames, Record, Authority, NotTLS, Handshake, Distrust, NoServerName, ServerName,
		ECH, HTTP2,
		Malformed, TooLarge, Slow, Host, Absolute, Method, Upgrade, Expect, Restricted,
		Unknown, CertUntrusted, CertTime, CertName,
		CertOther, HostNoTLS, HostOldTLS, HostHTTP2, HostTLS, HostBroke, HostAnswer,
		Unreadable,
		swap.RuleHost, swap.RulePlain, swap.RulePlace, swap.RuleHeader, swap.RuleEncoded, swap.RuleUnknown, swap.RuleValue,
		swap.RuleBody, swap.RuleTooLarge,
	} {
		e := Explain(app.Connection{Host: "db.test", Port: 443, Rule: rule, Verdict: Verdict(rule)})
		if e.Hint == fallback || len(e.Hint) < 10 || !strings.Contains(e.Message, "db.test:443") ||
			!strings.Contains(e.Message, rule) {
			t.Errorf("%s: %q, %q", rule, e.Message, e.Hint)
		}
	}
}
