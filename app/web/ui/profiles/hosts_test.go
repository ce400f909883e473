package profiles

import (
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/web/ui/uix"
)

// TestHostsNotice: what is said after hosts were decided on is what happened: additions wait for
// the next execution, what is taken away does not, and a dismissal saves no host.
func TestHostsNotice(t *testing.T) {
	t.Parallel()
	a, b := app.Host{Name: "a.example", Ports: []int{443}}, app.Host{Name: "b.example", Ports: []int{443}}
	private := a
	private.Private = true
	for want, c := range map[string]struct{ before, after []app.Host }{
		"hosts-added":   {[]app.Host{a}, []app.Host{a, b}},
		"hosts-removed": {[]app.Host{a, b}, []app.Host{b}},
		"hosts-changed": {[]app.Host{a}, []app.Host{b}},
		"hosts-same":    {[]app.Host{a}, []app.Host{a}},
	} {
		if got := hostsNotice(c.before, chosen{allowed: c.after}); got != want || !uix.IsNotice(got) {
			t.Errorf("%v: %q", c, got)
		}
	}
	if got := hostsNotice([]app.Host{a},
		chosen{allowed: []app.Host{a}, dismissed: []string{"b.example:443"}}); got != "hosts-dismissed" ||
		!uix.IsNotice(got) {
		t.Errorf("a dismissal: %q", got)
	}
	if added, removed := hostsNotice([]app.Host{a}, chosen{allowed: []app.Host{private}}),
		hostsNotice([]app.Host{private}, chosen{allowed: []app.Host{a}}); added != "hosts-added" ||
		removed != "hosts-removed" {
		t.Errorf("private addresses: %q, %q", added, removed)
	}
}
