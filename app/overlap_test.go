package app

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOverlap(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		{"api.example.com", "api.example.com:443", "api.example.com:443"},
		{"api.example.com:443", "api.example.com:8443", ""},
		{"api.example.com", "example.com", ""},
		{"*.example.com", "api.example.com:443", "api.example.com:443"},
		{"*.example.com", "*.a.example.com", "*.a.example.com"},
		{"*.example.com", "example.com", ""},
		{"*.example.com", "notexample.com", ""},
		{"*.example.com:8443", "a.example.com:443,8443", "a.example.com:8443"},
		{"{DB}:1521", "{DB}:1521", "{DB}:1521"},
		{"{DB}:1521", "db.example.com:1521", ""},
	} {
		a, b := mustHost(ParseHost(c.a)), mustHost(ParseHost(c.b))
		for _, pair := range [][2]Host{{a, b}, {b, a}} {
			got, ok := pair[0].Overlap(pair[1])
			if text := got.String(); ok != (c.want != "") || ok && text != c.want {
				t.Errorf("%s and %s: %q %v, want %q", pair[0], pair[1], text, ok, c.want)
			}
		}
	}
	a, b := mustHost(ParseHost("x.example.com:5432")), mustHost(ParseHost("x.example.com:5432"))
	a.Private, a.Protocol, a.Reason = true, ProtocolPostgres, "why"
	got, _ := b.Overlap(a)
	if diff := cmp.Diff(Host{Name: "x.example.com", Ports: []int{5432}, Protocol: ProtocolPostgres}, got); diff != "" {
		t.Error(diff)
	}
	b.Private = true
	if got, _ := a.Overlap(b); !got.Private {
		t.Error("two private entries have no private overlap")
	}
}

func mustHost(h Host, err error) Host {
	if err != nil {
		panic(err)
	}
	return h
}
