package resolver

import (
	"fmt"
	"net/netip"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/computclaw/airlock/plugins/wire"
)

func ruled(hosts ...wire.Host) *Names {
	n := NewNames()
	n.Allow(hosts)
	return n
}

func TestNothingIsKnownBeforeRules(t *testing.T) {
	if _, ok := NewNames().Lookup("example.com"); ok {
		t.Error("a name without rules")
	}
}

func TestLookup(t *testing.T) {
	n := ruled(wire.Host{Name: "API.example.com.", Ports: []int{443}},
		wire.Host{Name: "*.cdn.example.net", Ports: []int{443, 80}})
	for name, want := range map[string]bool{
		"api.example.com": true, "x.api.example.com": false, "example.com": false, "apixexample.com": false, "": false,
		".":                 false,
		"a.cdn.example.net": true, "a.b.cdn.example.net": true, "cdn.example.net": false, "xcdn.example.net": false,
		".cdn.example.net":   false,
		"a..cdn.example.net": false, "a\x00.cdn.example.net": false, "ä.cdn.example.net": false,
		"a b.cdn.example.net":                        false,
		"*.cdn.example.net":                          false,
		strings.Repeat("a", 64) + ".cdn.example.net": false, "a.b.c.d.cdn.example.net": false,
		"_dmarc.cdn.example.net": true,
		strings.Repeat(strings.Repeat("a", 50)+".", 3) + "cdn.example.net": false,
	} {
		if _, ok := n.Lookup(name); ok != want {
			t.Errorf("%q: %v", name, ok)
		}
	}
}

func TestFind(t *testing.T) {
	n := ruled(wire.Host{Name: "a.example.com", Ports: []int{443}}, wire.Host{Name: "b.example.com", Ports: []int{80}},
		wire.Host{Name: "*.example.com", Ports: []int{8443}})
	a, _ := n.Lookup("a.example.com")
	c, _ := n.Lookup("c.example.com")
	for address, want := range map[netip.Addr]string{
		a: "a.example.com", c: "c.example.com", netip.MustParseAddr("127.0.0.1"): "",
		netip.MustParseAddr("127.64.0.1"): "",
	} {
		if got, ok := n.Find(address); got != want || ok != (want != "") {
			t.Errorf("%v: %q %v", address, got, ok)
		}
	}
}

func TestOnlyHostNamesAfterTheStartAreReported(t *testing.T) {
	if NewNames().reportable("early.example.com") {
		t.Error("reported before there is a script")
	}
	n := ruled(wire.Host{Name: "a.example.com", Ports: []int{443}})
	if !n.reportable("evil.example") || n.reportable("bad name") || n.reportable("") {
		t.Error("what is reported is not just host names")
	}
}

func TestWildcardCaps(t *testing.T) {
	n := ruled(wire.Host{Name: "*.example.com", Ports: []int{443}})
	admitted := 0
	for range 1000 {
		if _, ok := n.Lookup(fmt.Sprintf("n%d.example.com", admitted)); ok {
			admitted++
		}
	}
	if admitted != maxWildcardNames {
		t.Errorf("%d in all", admitted)
	}
	if _, ok := n.Lookup("n0.example.com"); !ok {
		t.Error("a name that had an address lost it")
	}
}

// TestAddresses: every name has its own address in 127.64.0.0/10, the same in every box.
func TestAddresses(t *testing.T) {
	block := netip.MustParsePrefix("127.64.0.0/10")
	rapid.Check(t, func(t *rapid.T) {
		var hosts []wire.Host
		for _, name := range rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z]{1,8}\.[a-z]{1,8}`), 1, 200,
			rapid.ID[string]).Draw(t, "names") {
			hosts = append(hosts, wire.Host{Name: name, Ports: []int{443}})
		}
		n, again := ruled(hosts...), ruled(hosts...)
		seen := map[netip.Addr]string{}
		for _, host := range hosts {
			address, ok := n.Lookup(host.Name)
			same, _ := again.Lookup(host.Name)
			if !ok || !block.Contains(address) || address != same || seen[address] != "" {
				t.Fatalf("%s: %v, %v, %v %q", host.Name, address, ok, same, seen[address])
			}
			seen[address] = host.Name
			if back, _ := n.Find(address); back != host.Name {
				t.Fatalf("%s came back as %s", host.Name, back)
			}
		}
	})
}

func FuzzAnswer(f *testing.F) {
	r := &Resolver{refused: func(string, string) {},
		names: ruled(wire.Host{Name: "h.example.com", Ports: []int{443}},
			wire.Host{Name: "*.w.example.com", Ports: []int{443}})}
	f.Add([]byte("\x00\x07\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x01h\x07example\x03com\x00\x00\x01\x00\x01"))
	f.Add([]byte("\x00\x07\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\xc0\x0c\x00\x01\x00\x01"))
	f.Fuzz(func(t *testing.T, query []byte) {
		reply := r.answer(query)
		if reply == nil {
			return
		}
		if len(reply) > 1024 || len(query) < 2 || reply[0] != query[0] || reply[1] != query[1] || reply[2]&0x80 == 0 {
			t.Fatalf("%q to %q", reply, query)
		}
	})
}

// A box that shares its host's name once asked a person to allow that.
func TestABoxFindsItselfByItsName(t *testing.T) {
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	n := OwnNames()
	n.Allow([]wire.Host{{Name: "a.example.com", Ports: []int{443}}})
	for _, name := range []string{host, "localhost"} {
		address, ok := n.Lookup(canonical(name))
		if !ok || address != netip.MustParseAddr("127.0.0.1") {
			t.Errorf("%s: %v %v", name, address, ok)
		}
		if _, forwarded := n.Find(address); forwarded {
			t.Errorf("%s is forwarded", name)
		}
	}
}
