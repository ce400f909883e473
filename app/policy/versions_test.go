package policy_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access/accesstest"
	"github.com/computclaw/airlock/app/policy"
)

func TestKeysOnlyNarrowTheirCredential(t *testing.T) {
	of := func(texts ...string) app.Credential {
		return app.Credential{Name: "C", Hosts: accesstest.Hosts(t, texts...)}
	}
	for _, c := range []struct {
		credential app.Credential
		asked      []app.Host
		want       []string // nil: refused
	}{
		{of("a.example", "b.example"), nil, []string{"a.example", "b.example"}},
		{of(), accesstest.Hosts(t, "a.example"), []string{"a.example"}},
		{of("a.example", "b.example"), accesstest.Hosts(t, "a.example"), []string{"a.example"}},
		{of("a.example"), accesstest.Hosts(t, "a.example", "evil.example"), []string{"a.example"}},
		{of("a.example:443"), accesstest.Hosts(t, "a.example"), []string{"a.example:443"}},
		{of("*.example.com"), accesstest.Hosts(t, "a.example.com", "*.b.example.com"),
			[]string{"a.example.com", "*.b.example.com"}},
		{of("a.example"), accesstest.Hosts(t, "evil.example"), nil},
		{of("a.example:443"), accesstest.Hosts(t, "a.example:22"), nil},
		{of("a.example.com"), accesstest.Hosts(t, "*.example.com"), []string{"a.example.com"}},
		{of("a.example.com", "b.example"), accesstest.Hosts(t, "*.example.com", "b.example"),
			[]string{"a.example.com", "b.example"}},
		{of("*.example.com"), accesstest.Hosts(t, "example.com"), nil},
		{of("*.example.com"), accesstest.Hosts(t, "evilexample.com"), nil},
	} {
		got, err := policy.KeyHosts("K", c.credential, c.asked)
		if (err != nil) != (c.want == nil) {
			t.Errorf("%v asked of %v: %v", c.asked, c.credential.Hosts, err)
		}
		var texts []string
		for _, h := range got {
			texts = append(texts, h.String())
		}
		if diff := cmp.Diff(c.want, texts); diff != "" {
			t.Errorf("%v asked of %v:\n%s", c.asked, c.credential.Hosts, diff)
		}
	}
}

// A key never reaches a name and port beyond its credential's.
func TestNarrowNeverWidens(t *testing.T) {
	names := []string{"a.example", "b.a.example", "*.a.example", "*.b.a.example", "xa.example", "192.0.2.1"}
	entry := rapid.Custom(func(t *rapid.T) app.Host {
		h, err := app.Host{
			Name:  rapid.SampledFrom(names).Draw(t, "name"),
			Ports: rapid.SliceOfN(rapid.SampledFrom([]int{22, 80, 443}), 1, 3).Draw(t, "ports"),
		}.Canonical()
		if err != nil {
			t.Fatal(err)
		}
		return h
	})
	probes := []string{"a.example", "b.a.example", "c.b.a.example", "xa.example", "192.0.2.1", "z.example"}
	reaches := func(list []app.Host, name string, port int) bool {
		for _, h := range list {
			if h.Matches(name, port) {
				return true
			}
		}
		return false
	}
	rapid.Check(t, func(t *rapid.T) {
		c := app.Credential{Hosts: rapid.SliceOfN(entry, 1, 4).Draw(t, "credential")}
		asked := rapid.SliceOfN(entry, 1, 4).Draw(t, "asked")
		got, _ := policy.KeyHosts("K", c, asked)
		for _, name := range probes {
			for _, port := range []int{22, 80, 443} {
				if reaches(got, name, port) && !(reaches(c.Hosts, name, port) && reaches(asked, name, port)) {
					t.Fatalf("%s:%d is reached", name, port)
				}
			}
		}
	})
}
