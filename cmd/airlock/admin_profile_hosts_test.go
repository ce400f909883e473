package main

import (
	"slices"
	"testing"

	"github.com/computclaw/airlock/app"
)

// TestDecideHosts: adding and removing hosts on the command line leaves every other one as it stood.
func TestDecideHosts(t *testing.T) {
	parsed := func(texts ...string) []app.Host {
		list, err := parseHosts(texts, false)
		must(t, err)
		return list
	}
	hosts := parsed("a.example", "b.example:8443", "asked.example", "unwanted.example", "later.example")
	var have []app.HostRequest
	for i, h := range hosts {
		have = append(have, app.HostRequest{Host: h, Allowed: i < 2})
	}
	have[2].Reason = "to read"
	allowed, dismissed, err := decideHosts(have, parsed("asked.example", "new.example"), parsed("b.example:8443", "unwanted.example"))
	must(t, err)
	if app.BriefHosts(allowed) != "a.example, asked.example, new.example" || !slices.Equal(dismissed, []string{"b.example:8443", "unwanted.example"}) || allowed[1].Reason != "to read" {
		t.Errorf("%s (%+v), dismissed %v", app.BriefHosts(allowed), allowed, dismissed)
	}
	if _, _, err := decideHosts(have, nil, parsed("b.example")); app.CodeOf(err) != app.CodeNotFound {
		t.Errorf("a host that is not there: %v", err)
	}
	if _, _, err := decideHosts(have, parsed("a.example"), parsed("a.example")); err == nil {
		t.Error("allowed and removed at once")
	}
}
