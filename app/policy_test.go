package app

import (
	"testing"
	"time"
)

func TestPolicyDigest(t *testing.T) {
	a, b := Host{Name: "a.example", Ports: []int{443}}, Host{Name: "b.example", Ports: []int{443}}
	base := Policy{Keys: []Grant{{Key: "A", CredentialID: "1", Mode: ModeInjected},
		{Key: "B", CredentialID: "2", Mode: ModePlain, Hosts: []Host{a, b}}}, Hosts: []Host{a, b}}
	reason, private, port, protocol := a, a, a, a
	reason.Reason, private.Private, port.Ports, protocol.Protocol = "why", true, []int{444}, ProtocolTCP

	same := map[string]Policy{
		"other profile, time, version": {ProfileID: "p", Version: 7, CreatedAt: time.Now(), CreatedBy: System(),
			Keys: base.Keys, Hosts: base.Hosts},
		"other order": {Keys: []Grant{{Key: "B", CredentialID: "2", Mode: ModePlain, Hosts: []Host{b, a}}, base.Keys[0]},
			Hosts: []Host{b, a}},
		"a reason": {Keys: base.Keys, Hosts: []Host{reason, b}},
	}
	for name, p := range same {
		if p.Digest() != base.Digest() {
			t.Errorf("%s changed the digest", name)
		}
	}
	seen := map[string]string{base.Digest(): "base"}
	for name, p := range map[string]Policy{
		"nothing": {}, "no hosts": {Keys: base.Keys}, "fewer keys": {Keys: base.Keys[:1], Hosts: base.Hosts},
		"private": {Keys: base.Keys, Hosts: []Host{private, b}}, "port": {Keys: base.Keys, Hosts: []Host{port, b}},
		"protocol":   {Keys: base.Keys, Hosts: []Host{protocol, b}},
		"mode":       {Keys: []Grant{{Key: "A", CredentialID: "1", Mode: ModeSealed}, base.Keys[1]}, Hosts: base.Hosts},
		"credential": {Keys: []Grant{{Key: "A", CredentialID: "9", Mode: ModeInjected}, base.Keys[1]}, Hosts: base.Hosts},
		"key hosts": {Keys: []Grant{base.Keys[0], {Key: "B", CredentialID: "2", Mode: ModePlain, Hosts: []Host{a}}},
			Hosts: base.Hosts},
	} {
		if other, taken := seen[p.Digest()]; taken {
			t.Errorf("%s has the digest of %s", name, other)
		}
		seen[p.Digest()] = name
	}
	if (Policy{}).Digest() != (Policy{Keys: []Grant{}, Hosts: []Host{}}).Digest() {
		t.Error("nil and empty differ")
	}
	if len(base.Digest()) != 64 {
		t.Errorf("%q", base.Digest())
	}
	if base.Hosts[0].Name != "a.example" || base.Keys[0].Key != "A" {
		t.Error("the policy was changed")
	}
}
