package app

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEffectiveHosts(t *testing.T) {
	parse := func(texts ...string) (list []Host) {
		for _, text := range texts {
			list = append(list, mustHost(ParseHost(text)))
		}
		return list
	}
	for name, c := range map[string]struct {
		key  Key
		want []string
	}{
		"nothing":           {Key{}, nil},
		"asked, not linked": {Key{Hosts: parse("a.example")}, []string{"a.example"}},
		"all of the credential's": {Key{CredentialHosts: parse("a.example", "b.example")},
			[]string{"a.example", "b.example"}},
		"narrowed by the key": {Key{Hosts: parse("a.example:443"), CredentialHosts: parse("*.example.com", "a.example")},
			[]string{"a.example:443"}},
		"nowhere": {Key{Hosts: parse("a.example"), CredentialHosts: parse("b.example")}, nil},
		"locked, then widened": {Key{GrantHosts: parse("a.example"), CredentialHosts: parse("a.example", "b.example")},
			[]string{"a.example"}},
		"locked, then narrowed": {Key{GrantHosts: parse("*.example.com"), CredentialHosts: parse("x.example.com:443")},
			[]string{"x.example.com:443"}},
		"locked without any hosts": {Key{Hosts: nil, CredentialHosts: parse("a.example")}, []string{"a.example"}},
	} {
		var got []string
		for _, h := range c.key.EffectiveHosts() {
			got = append(got, h.String())
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}
