package rules

import (
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
)

func TestGrantable(t *testing.T) {
	for name, want := range map[string]bool{
		"api.example.com": true, "db": true,
		"93.184.215.14": false, "10.0.0.7": false, "100.64.0.1": false, "fd00::7": false,
		"localhost": false, "a.localhost": false, "127.0.0.1": false, "::1": false, "0.0.0.0": false,
		"169.254.169.254": false, "fe80::1": false,
		"100.100.100.200": false, "168.63.129.16": false, "192.0.2.1": false, "240.0.0.1": false, "224.0.0.1": false,
		"255.255.255.255":          false,
		"metadata.google.internal": false, "64:ff9b::a9fe:a9fe": false,
	} {
		if got := Grantable(name); got != want {
			t.Errorf("Grantable(%s) is %v", name, got)
		}
		e := Explain(app.Connection{Host: name, Port: 443, Verdict: app.VerdictDenied, Rule: NotListed})
		if told := strings.Contains(e.Hint, "stands as a request on the profile's page"); told != want {
			t.Errorf("%s: the hint says %q", name, e.Hint)
		}
	}
}

// No box has a route to an address, so a person who allowed one allowed it in vain.
func TestAddressesAreNotAskedFor(t *testing.T) {
	for host, place := range map[string]string{
		"93.184.215.14": "93.184.215.14:443", "10.0.0.7": "10.0.0.7:443", "2606:4700::1": "[2606:4700::1]:443",
	} {
		for _, rule := range []string{NotListed, Port} {
			e := Explain(app.Connection{Host: host, Port: 443, Verdict: app.VerdictDenied, Rule: rule})
			if want := place + " is an address, and scripts reach hosts by their names only (rule: " + rule + ")"; e.Message != want {
				t.Errorf("%q, want %q", e.Message, want)
			}
			if !strings.Contains(e.Hint, "Use the host's name") || !strings.Contains(e.Hint, "NAME:PORT="+place) ||
				strings.Contains(e.Hint, "request") {
				t.Errorf("%s: the hint says %q", host, e.Hint)
			}
		}
	}
	for _, host := range []string{"169.254.169.254", "127.0.0.1", "224.0.0.1"} {
		e := Explain(app.Connection{Host: host, Port: 80, Verdict: app.VerdictDenied, Rule: NotListed})
		if strings.Contains(e.Hint, "AIRLOCK_LOCAL_SERVICES") {
			t.Errorf("%s: the hint says %q", host, e.Hint)
		}
	}
}
