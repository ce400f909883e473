package profiles

import (
	"net/url"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/web/ui/uix"
)

func noticeText(name string) string {
	text, _ := uix.Notice(name)
	return text
}

// TestHostsNotice: additions, removals and other terms are changes; dismissals save no host.
func TestHostsNotice(t *testing.T) {
	t.Parallel()
	a, b := app.Host{Name: "a.example", Ports: []int{443}}, app.Host{Name: "b.example", Ports: []int{443}}
	private := a
	private.Private = true
	for _, c := range []struct {
		want          string
		before, after []app.Host
	}{
		{"hosts-changed", []app.Host{a}, []app.Host{a, b}},
		{"hosts-changed", []app.Host{a, b}, []app.Host{b}},
		{"hosts-changed", []app.Host{a}, []app.Host{private}},
		{"hosts-changed", []app.Host{private}, []app.Host{a}},
		{"hosts-same", []app.Host{a}, []app.Host{a}},
	} {
		if got := hostsNotice(c.before, chosen{allowed: c.after}); got != c.want || noticeText(got) == "" {
			t.Errorf("%v: %q", c, got)
		}
	}
	if got := hostsNotice([]app.Host{a},
		chosen{allowed: []app.Host{a}, dismissed: []string{"b.example:443"}}); got != "hosts-dismissed" ||
		noticeText(got) == "" {
		t.Errorf("a dismissal: %q", got)
	}
}

// TestAPersonChoosesAProtocol, as hints suggest, also for allowed hosts.
func TestAPersonChoosesAProtocol(t *testing.T) {
	t.Parallel()
	p := app.Profile{Hosts: []app.HostRequest{{Host: app.Host{Name: "db.example", Ports: []int{443}}, Allowed: true}}}
	for entry, at := range map[string]int{"db.example:443": 0, "other.example:8443": 1} {
		c, err := readHosts(url.Values{"new_host": {entry}, "new_protocol": {"tcp"}}, p)
		if err != nil || len(c.allowed) != at+1 || c.allowed[at].Protocol != app.ProtocolTCP {
			t.Errorf("%s: %+v, %v", entry, c, err)
		}
	}
	if _, err := readHosts(url.Values{"new_host": {"a.example"}, "new_protocol": {"smtp"}}, p); err == nil {
		t.Error("an unknown protocol was taken")
	}
}
