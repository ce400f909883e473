package app

import (
	"slices"
	"testing"
)

// Changes names differences in hosts by port, keys, modes and sandbox.
func TestPolicyChangesNameWhatDiffers(t *testing.T) {
	t.Parallel()
	parse := func(texts ...string) (list []Host) {
		for _, text := range texts {
			h, err := ParseHost(text)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, h)
		}
		return list
	}
	private := parse("db.acme.test:5432")
	private[0].Private = true
	before := Policy{
		Hosts: parse("api.acme.test", "db.acme.test:5432"),
		Keys: []Grant{
			{Key: "A", CredentialID: "1", Mode: ModeSealed, Hosts: parse("api.acme.test:443")},
			{Key: "B", CredentialID: "2", Mode: ModeSealed}, {Key: "C", CredentialID: "3", Mode: ModePlain},
		},
	}
	after := Policy{
		Hosts: append(parse("api.acme.test:443", "fx.acme.test:443"), private...),
		Keys: []Grant{
			{Key: "A", CredentialID: "1", Mode: ModeSealed, Hosts: parse("fx.acme.test:443")},
			{Key: "B", CredentialID: "2", Mode: ModeInjected}, {Key: "D", CredentialID: "3", Mode: ModePlain},
		},
		Placement: Placement{MinTier: "full"},
	}
	want := []string{
		"+ db.acme.test:5432, including private addresses", "+ fx.acme.test:443", "− api.acme.test:80", "− db.acme.test:5432",
		"A belongs to other hosts", "B: injected instead of sealed", "+ key D", "− key C", "another sandbox",
	}
	if got := after.Changes(before); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := before.Changes(before); got != nil {
		t.Errorf("the same policy has changed: %q", got)
	}
	if got := (Policy{Hosts: parse("a.test:443")}).Changes(Policy{}); !slices.Equal(got, []string{"+ a.test:443"}) {
		t.Errorf("%q", got)
	}
}
