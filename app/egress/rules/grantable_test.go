package rules

import (
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
)

func TestGrantable(t *testing.T) {
	for name, want := range map[string]bool{
		"api.example.com": true, "db": true, "93.184.215.14": true, "10.0.0.7": true, "100.64.0.1": true, "fd00::7": true,
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
