package egress

import (
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/egress/rules"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/app/secrets"
)

func TestDecide(t *testing.T) {
	for _, c := range []struct {
		allowed []string
		host    string
		port    int
		rule    string
		entry   string
	}{
		{nil, "example.com", 443, rules.NotListed, ""},
		{[]string{"example.com"}, "example.com", 443, "", "example.com"},
		{[]string{"example.com"}, "example.com", 80, "", "example.com"},
		{[]string{"example.com"}, "EXAMPLE.com.", 443, "", "example.com"},
		{[]string{"example.com"}, "example.com", 22, rules.Port, ""},
		{[]string{"example.com"}, "example.com", 6379, rules.Port, ""},
		{[]string{"example.com:22"}, "example.com", 443, rules.Port, ""},
		{[]string{"example.com"}, "www.example.com", 443, rules.NotListed, ""},
		{[]string{"example.com"}, "notexample.com", 443, rules.NotListed, ""},
		{[]string{"example.com"}, "example.com.evil.net", 443, rules.NotListed, ""},
		{[]string{"*.example.com"}, "a.example.com", 443, "", "*.example.com"},
		{[]string{"*.example.com"}, "a.b.example.com", 443, "", "*.example.com"},
		{[]string{"*.example.com"}, "example.com", 443, rules.NotListed, ""},
		{[]string{"*.example.com"}, "aexample.com", 443, rules.NotListed, ""},
		{[]string{"*.example.com"}, "a.example.com", 8443, rules.Port, ""},
		{[]string{"93.184.215.14"}, "93.184.215.14", 443, "", "93.184.215.14"},
		{[]string{"[::1]:80"}, "0:0:0:0:0:0:0:1", 80, "", "[::1]:80"},
		{[]string{"{DB_HOST}:5432"}, "DB_HOST", 5432, rules.NotListed, ""},
		{[]string{"*.corp.test:5432", "private:db.corp.test:5432"}, "db.corp.test", 5432, "", "db.corp.test:5432"},
		{[]string{"db.corp.test:5432", "private:*.corp.test:5432"}, "db.corp.test", 5432, "", "db.corp.test:5432"},
		{[]string{"*.corp.test:5432", "db.corp.test:5432"}, "db.corp.test", 5432, "", "db.corp.test:5432"},
		{[]string{"db.corp.test:5432", "*.corp.test:5432"}, "db.corp.test", 5432, "", "db.corp.test:5432"},
	} {
		name, err := canonicalTarget(c.host, c.port)
		if err != nil {
			t.Errorf("%s: %v", c.host, err)
			continue
		}
		entry, rule := decide(canonicalHosts(allow(t, c.allowed...)), name, c.port)
		got := ""
		if rule == "" {
			got = entry.String()
		}
		if rule != c.rule || got != c.entry {
			t.Errorf("%v, %s:%d: entry %q, rule %q; want %q, %q", c.allowed, c.host, c.port, got, rule, c.entry, c.rule)
		}
	}
}

// Overlapping rows, in any order: the exact name's protocol counts, and any row may admit private
// addresses.
func TestOverlappingRows(t *testing.T) {
	exact := app.Host{Name: "db.corp.test", Ports: []int{443}, Protocol: app.ProtocolHTTPS}
	wild := app.Host{Name: "*.corp.test", Ports: []int{443}, Protocol: app.ProtocolTCP}
	for _, private := range []*app.Host{nil, &exact, &wild} {
		hosts := []app.Host{exact, wild}
		for i := range hosts {
			hosts[i].Private = private != nil && hosts[i].Name == private.Name
		}
		for range 2 {
			entry, rule := decide(hosts, "db.corp.test", 443)
			if rule != "" || entry.Protocol != app.ProtocolHTTPS || entry.Private != (private != nil) {
				t.Errorf("%+v: %+v, %q", hosts, entry, rule)
			}
			hosts[0], hosts[1] = hosts[1], hosts[0]
		}
	}
	twice := []app.Host{{Name: "db.corp.test", Ports: []int{443, 8443}},
		{Name: "db.corp.test", Ports: []int{443}, Protocol: app.ProtocolTCP}}
	if entry, _ := decide(twice, "db.corp.test", 443); entry.Protocol != "" {
		t.Errorf("of equal names the first counts: %+v", entry)
	}
}

// Entries that never went through ParseHost gain nothing.
func TestSessionDropsEntriesThatAreNotCanonical(t *testing.T) {
	hosts := []app.Host{
		{Name: "*", Ports: []int{443}}, {Name: "*.", Ports: []int{443}}, {Name: "", Ports: []int{443}},
		{Name: "*.com", Ports: []int{443}},
		{Name: "a.example.com/", Ports: []int{443}}, {Name: "example.com", Ports: []int{0}},
		{Name: "{KEY}", Ports: []int{443}},
	}
	kept := canonicalHosts(hosts)
	for _, name := range []string{"example.com", "a.example.com", "com", "key"} {
		if _, rule := decide(kept, name, 443); rule == "" {
			t.Errorf("%s is allowed by %v", name, kept)
		}
	}
}

func TestOddNamesAreRefused(t *testing.T) {
	for _, host := range []string{
		"", ".", "..", "a..b", ".example.com", "example.com..", "exa mple.com", "example.com ", "example.com\n",
		"example.com\x00.allowed.test",
		"attacker\x00.allowed.test", "user@allowed.test", "allowed.test%2eevil.test", "allowed.test/", "allowed.test:443",
		"allowed.test#", "allowed.test\\",
		"2130706433", "0x7f000001", "0x7f.1", "127.1", "0177.0.0.1", "1.2.3.4.", "fe80::1%eth0", "[::1]", "ex\u0430mple.com",
		"\u2025", "a\u3002b",
		"-a.test", "a-.test", "*.allowed.test", "*", "{KEY}", strings.Repeat("a", 64) + ".test",
		strings.Repeat("a.", 127) + "a", "\xff\xfe", "a\tb", "a\rb",
	} {
		w := newWorld(t)
		s := session(t, w.gateway(), allow(t, "allowed.test", "*.allowed.test"))
		if _, err := s.Dial(t.Context(), host, 443); app.CodeOf(err) != app.CodeForbidden {
			t.Errorf("%q: %v", host, err)
			continue
		}
		row := lastRow(t, s)
		if row.Rule != rules.Name || row.Verdict != app.VerdictDenied {
			t.Errorf("%q: row %+v", host, row)
		}
		if strings.ContainsAny(row.Host, "\x00\n\r\t ") || len(row.Host) > 3*260 {
			t.Errorf("%q: the row's host %q is not fit to be shown", host, row.Host)
		}
		if q := w.questions(); len(q) != 0 {
			t.Errorf("%q: asked the resolver for %q", host, q)
		}
	}
	for _, port := range []int{0, -1, 65536, 1 << 20} {
		if _, err := canonicalTarget("allowed.test", port); err == nil {
			t.Errorf("port %d passes", port)
		}
	}
}

// Only listed names are allowed, by a comparison independent of the code under test.
func FuzzDecide(f *testing.F) {
	f.Add("example.com", "*.example.org", "a.example.org", 443)
	f.Add("{KEY}", "10.0.0.1:22", "10.0.0.1", 22)
	f.Add("*", "*.", "evil.test", 80)
	f.Add("example.com", "", "example.com\x00.evil.test", 443)
	f.Fuzz(func(t *testing.T, first, second, host string, port int) {
		hosts := []app.Host{{Name: first, Ports: []int{443, 22}}}
		if h, err := app.ParseHost(second); err == nil {
			hosts = append(hosts, h)
		}
		name, err := canonicalTarget(host, port)
		if err != nil {
			return
		}
		entry, rule := decide(canonicalHosts(hosts), name, port)
		if rule != "" {
			return
		}
		listed := false
		for _, p := range entry.Ports {
			listed = listed || p == port
		}
		parent, wild := strings.CutPrefix(entry.Name, "*.")
		exact := !wild && entry.Name == name
		below := wild && strings.Contains(parent, ".") && strings.HasSuffix(name, "."+parent) && len(name) > len(parent)+1
		if !listed || (!exact && !below) {
			t.Fatalf("%q:%d is allowed by %+v", host, port, entry)
		}
		if strings.ToLower(first) != entry.Name && strings.TrimSuffix(strings.ToLower(first), ".") != entry.Name &&
			!strings.Contains(strings.ToLower(second), strings.TrimPrefix(entry.Name, "*.")) &&
			!strings.Contains(entry.Name, ":") && !isAddress(entry.Name) {
			t.Fatalf("entry %q comes from neither %q nor %q", entry.Name, first, second)
		}
	})
}

func isAddress(name string) bool { return strings.Trim(name, "0123456789.") == "" }

// TestHoleNamesAreEncodedForTheRedactor: the redactor finds a value in a ledger row's host name.
func TestHoleNamesAreEncodedForTheRedactor(t *testing.T) {
	const value = "pässwörd-träs-lång-42"
	r := redact.New([]secrets.Resolved{{Key: "KEY", Secret: app.NewSecret(value)}})
	for _, name := range []string{value, value + ".test", "x\x00" + value} {
		row := printable(name)
		if got, hits := r.Text(row); hits.Total() == 0 || strings.Contains(got.String(), "rd-tr") {
			t.Errorf("%q is stored as %q", row, got.String())
		}
		if strings.ContainsFunc(row, func(r rune) bool { return r < 0x21 || r > 0x7e }) {
			t.Errorf("%q is not printable", row)
		}
	}
}

// What the hint tells the agent to propose is exactly what would have allowed the connection.
func TestHintsNameAnEntryThatWouldDo(t *testing.T) {
	for _, host := range []string{"db.test", "93.184.215.14", "2a00:1450::1"} {
		refused := app.Connection{Host: host, Port: 8443, Rule: rules.NotListed, Verdict: app.VerdictDenied}
		h, err := app.ParseHost(rules.Place(refused))
		if err != nil {
			t.Errorf("%s: %v", host, err)
			continue
		}
		if _, rule := decide([]app.Host{h}, host, 8443); rule != "" {
			t.Errorf("%s: the proposed entry %s leads to %q", host, h, rule)
		}
	}
}
