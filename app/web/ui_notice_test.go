package web

import (
	"testing"

	"github.com/computclaw/airlock/app"
)

// Saving a credential says what a person should know about its value, each in words that exist.
func TestSavedNotice(t *testing.T) {
	const strong = "kP9s-Zx8-long-enough-1"
	for _, c := range []struct {
		mode    app.Mode
		version int
		value   string
		want    string
	}{
		{app.ModeSealed, 0, "", "credential-empty"},
		{app.ModeSealed, 1, strong, "credential-added"},
		{app.ModeSealed, 1, "", "credential-added"},
		{app.ModeSealed, 1, strong + "ä", "credential-wide"},
		{app.ModeInjected, 1, strong + "ä", "credential-added"},
		{app.ModeInjected, 1, "1234", "credential-weak"},
		{app.ModePlain, 1, "1234", "credential-added"},
	} {
		got := savedNotice(app.Credential{Mode: c.mode, Version: c.version}, app.NewSecret(c.value), "credential-added")
		if got != c.want || notices()[got] == "" {
			t.Errorf("%s, version %d, %q: %q", c.mode, c.version, c.value, got)
		}
	}
}

// TestHostsNotice: what is said after hosts were decided on is what happened: additions wait for the next execution, what is taken away does not, and a
// dismissal saves no host.
func TestHostsNotice(t *testing.T) {
	a, b := app.Host{Name: "a.example", Ports: []int{443}}, app.Host{Name: "b.example", Ports: []int{443}}
	private := a
	private.Private = true
	for want, c := range map[string]struct{ before, after []app.Host }{
		"hosts-added":   {[]app.Host{a}, []app.Host{a, b}},
		"hosts-removed": {[]app.Host{a, b}, []app.Host{b}},
		"hosts-changed": {[]app.Host{a}, []app.Host{b}},
		"hosts-same":    {[]app.Host{a}, []app.Host{a}},
	} {
		if got := hostsNotice(c.before, chosen{allowed: c.after}); got != want || notices()[got] == "" {
			t.Errorf("%v: %q", c, got)
		}
	}
	if got := hostsNotice([]app.Host{a}, chosen{allowed: []app.Host{a}, dismissed: []string{"b.example:443"}}); got != "hosts-dismissed" || notices()[got] == "" {
		t.Errorf("a dismissal: %q", got)
	}
	if added, removed := hostsNotice([]app.Host{a}, chosen{allowed: []app.Host{private}}), hostsNotice([]app.Host{private}, chosen{allowed: []app.Host{a}}); added != "hosts-added" || removed != "hosts-removed" {
		t.Errorf("private addresses: %q, %q", added, removed)
	}
}
