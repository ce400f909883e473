package egress

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/egress/rules"
)

var withoutTimes = cmpopts.IgnoreFields(app.Connection{}, "StartedAt", "Duration")

func TestLedger(t *testing.T) {
	w := newWorld(t)
	w.name("svc.test", []string{"93.184.215.14"})
	var changes atomic.Int64
	s := w.gateway().Session(Grant{Hosts: allow(t, fmt.Sprintf("svc.test:%d", w.port))}, func() { changes.Add(1) })
	defer s.Close()

	for range 3 {
		_, _ = s.Dial(t.Context(), "evil.test", 443)
	}
	s.RecordRefused("Looked.Up.test.")
	s.RecordRefused("looked.up.test")
	s.RecordRefused("bad\x00name")
	c, err := s.Dial(t.Context(), "svc.test", w.port)
	if err != nil {
		t.Fatal(err)
	}
	echo(t, c, "hello")
	_, _ = s.Dial(t.Context(), "evil.test", 443)

	want := []app.Connection{
		{Host: "evil.test", Port: 443, Verdict: app.VerdictDenied, Rule: rules.NotListed, Count: 4},
		{Host: "looked.up.test", Verdict: app.VerdictDenied, Rule: rules.NotListed, Count: 2},
		{Host: "bad%00name", Verdict: app.VerdictDenied, Rule: rules.Name, Count: 1},
		{Host: "svc.test", Port: w.port, Verdict: app.VerdictAllowed,
			Rule:    fmt.Sprintf("svc.test:%d, server name not checked", w.port),
			Address: fmt.Sprintf("93.184.215.14:%d", w.port), BytesUp: 5, BytesDown: 5, Count: 1},
	}
	if diff := cmp.Diff(want, s.Ledger(), withoutTimes); diff != "" {
		t.Fatalf("while it runs (-want +got):\n%s", diff)
	}
	c.Close()
	s.Close()
	if diff := cmp.Diff(want, s.Ledger(), withoutTimes); diff != "" {
		t.Fatalf("after Close (-want +got):\n%s", diff)
	}
	if n := changes.Load(); n != 5 { // four rows, one end
		t.Errorf("changed was called %d times", n)
	}
}

// However many names a script tries, the ledger stays small and still counts all of them.
func TestLedgerIsBounded(t *testing.T) {
	w := newWorld(t)
	w.name("svc.test", []string{"93.184.215.14"})
	s := w.gateway(func(c *Config) { c.Limits.Burst = 1000 }).Session(
		Grant{Hosts: allow(t, fmt.Sprintf("svc.test:%d", w.port))}, nil)
	defer s.Close()
	dial := func() {
		c, err := s.Dial(t.Context(), "svc.test", w.port)
		if err != nil {
			t.Fatal(err)
		}
		echo(t, c, "hello")
		c.Close()
	}
	for range app.MaxConnections + 3 {
		dial()
	}
	rows := s.Ledger()
	if len(rows) != app.MaxConnections+1 {
		t.Fatalf("%d rows", len(rows))
	}
	want := app.Connection{Host: "*", Rule: rules.More, Verdict: app.VerdictAllowed, BytesUp: 15, BytesDown: 15, Count: 3}
	if diff := cmp.Diff(want, rows[app.MaxConnections], withoutTimes); diff != "" {
		t.Fatalf("the last row (-want +got):\n%s", diff)
	}
	for i := range 2000 {
		_, _ = s.Dial(t.Context(), fmt.Sprintf("scan-%d.test", i), 443)
	}
	rows = s.Ledger()
	want.Verdict, want.Count = app.VerdictDenied, 2003
	if diff := cmp.Diff(want, rows[app.MaxConnections], withoutTimes); diff != "" || len(rows) != app.MaxConnections+1 {
		t.Fatalf("%d rows, the last (-want +got):\n%s", len(rows), diff)
	}
	if n := len(s.ledger.refusals); n > app.MaxConnections {
		t.Errorf("%d refusals are held in memory", n)
	}
}

// A method too long for the ledger is left out: the redactor doesn't know a secret's first part.
func TestLongMethodsAreNotShownInPart(t *testing.T) {
	for text, want := range map[string]string{
		"PROPPATCH /x HTTP/1.1\r\n":                                 "PROPPATCH /x",
		strings.Repeat("s", maxMethod) + " /x HTTP/1.1\r\n":         strings.Repeat("s", maxMethod) + " /x",
		strings.Repeat("s", maxMethod+1) + " /x HTTP/1.1\r\n":       "(long) /x",
		"GET /" + strings.Repeat("s", maxPath) + " HTTP/1.1\r\n":    "GET /...",
		"GET /?a=" + strings.Repeat("s", maxPath) + " HTTP/1.1\r\n": "GET /?...",
	} {
		if method, path := parseRequestLine([]byte(text)); method+" "+path != want {
			t.Errorf("%.60q: %s %s", text, method, path)
		}
	}
}
