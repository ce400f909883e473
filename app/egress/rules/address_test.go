package rules

import (
	"net"
	"net/netip"
	"testing"
)

func TestClassify(t *testing.T) {
	own := map[netip.Addr]struct{}{
		netip.MustParseAddr("10.8.8.8"):         {},
		netip.MustParseAddr("93.184.215.99"):    {},
		netip.MustParseAddr("2a00:1450::99"):    {},
		netip.MustParseAddr("fd12:3456::99"):    {},
		netip.MustParseAddr("172.17.0.1"):       {},
		netip.MustParseAddr("100.64.0.1"):       {},
		netip.MustParseAddr("fe80::fc:ff:fe00"): {},
	}
	for rule, addresses := range map[string][]string{
		"": {
			"8.8.8.8", "1.1.1.1", "93.184.215.14", "172.15.255.255", "172.32.0.0", "100.63.255.255", "100.128.0.0",
			"169.253.255.255",
			"11.0.0.0", "9.255.255.255", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255",
			"2a00:1450:4001:80b::200e", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8",
		},
		Private: {
			"10.0.0.0", "10.255.255.255", "172.16.0.0", "172.31.255.255", "192.168.0.0", "192.168.255.255",
			"100.64.0.0", "100.127.255.255", "fc00::1", "fd00::1", "fdff:ffff::1", "::ffff:10.0.0.1", "::ffff:192.168.1.1",
		},
		ThisHost: {
			"127.0.0.1", "127.0.0.0", "127.255.255.255", "127.66.0.1", "::1", "0.0.0.0", "0.0.0.1", "0.255.255.255", "::",
			"::ffff:127.0.0.1", "::ffff:0.0.0.0", "64:ff9b::127.0.0.1", "64:ff9b::0.0.0.0",
			"10.8.8.8", "93.184.215.99", "2a00:1450::99", "fd12:3456::99", "172.17.0.1", "100.64.0.1",
			"::ffff:10.8.8.8", "::ffff:93.184.215.99", "64:ff9b::93.184.215.99",
		},
		Metadata: {
			"169.254.169.254", "169.254.170.2", "169.254.170.23", "169.254.0.23", "169.254.42.42", "169.254.0.0",
			"169.254.255.255",
			"100.100.100.200", "168.63.129.16", "192.0.0.192", "fe80::1", "febf::1", "fe80::a9fe:a9fe", "fe80::fc:ff:fe00",
			"fd00:ec2::254", "fd00:ec2::23", "fd00:ec2:ffff::1", "fd20:ce::254", "fd00:c1::a9fe:a9fe", "fd00:42::42",
			"::ffff:169.254.169.254", "::ffff:168.63.129.16", "64:ff9b::169.254.169.254", "64:ff9b::a9fe:a9fe",
			"64:ff9b::168.63.129.16",
		},
		Reserved: {
			"224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255", "192.0.0.1", "192.0.2.1", "192.88.99.1",
			"198.18.0.1", "198.19.255.255",
			"198.51.100.1", "203.0.113.1", "192.31.196.1", "192.52.193.1", "192.175.48.1",
			"ff02::1", "ff0e::1", "fec0::1", "2001:db8::1", "3fff::1", "100::1", "5f00::1", "4000::1",
			"::8.8.8.8", "::127.0.0.1", "::10.0.0.1", "::ffff:0:8.8.8.8", "::ffff:0:127.0.0.1", "::ffff:0:169.254.169.254",
			"64:ff9b::10.0.0.1", "64:ff9b::100.64.0.9", "64:ff9b::224.0.0.1", "64:ff9b:1::8.8.8.8", "64:ff9b:1::a9fe:a9fe",
			"2002:7f00:1::", "2002:a9fe:a9fe::1", "2002:808:808::1", "2001::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2",
			"2a00:1450::5efe:7f00:1", "2a00:1450::200:5efe:a9fe:a9fe", "fe80:0:0:1::1%eth0",
		},
	} {
		for _, a := range addresses {
			if got := Classify(netip.MustParseAddr(a), own); got != rule {
				t.Errorf("%s: rule %q, want %q", a, got, rule)
			}
		}
	}
	if got := Classify(netip.Addr{}, own); got != Reserved {
		t.Errorf("no address: rule %q", got)
	}
}

// Whatever is in the special registries or on this host must not be called public in any notation
// that carries it.
func FuzzClassify(f *testing.F) {
	for _, a := range []string{"127.0.0.1", "8.8.8.8", "::ffff:10.0.0.1", "64:ff9b::a9fe:a9fe", "2002:7f00:1::",
		"fd00:ec2::254"} {
		raw := netip.MustParseAddr(a).As16()
		f.Add(raw[:])
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		a, ok := netip.AddrFromSlice(raw)
		if !ok {
			return
		}
		if Classify(a, nil) != "" {
			return
		}
		plain := net.IP(a.Unmap().AsSlice())
		if plain.IsLoopback() || plain.IsPrivate() || plain.IsLinkLocalUnicast() || plain.IsMulticast() ||
			plain.IsUnspecified() ||
			plain.IsInterfaceLocalMulticast() || (!plain.IsGlobalUnicast()) {
			t.Fatalf("%s is called public", a)
		}
		if Classify(a, map[netip.Addr]struct{}{a.Unmap(): {}}) != ThisHost {
			t.Fatalf("%s stays public though it is this host's", a)
		}
	})
}
