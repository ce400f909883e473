package egress

import (
	"net/netip"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseLocalServices(t *testing.T) {
	got, err := ParseLocalServices(
		" Weather.Example:8443=127.0.0.1:39001 " +
			",db.test:5432=[::1]:5432,own.test:80=10.0.0.5:8080,10.9.9.9:80=::ffff:127.0.0.1:80")
	if err == nil {
		t.Fatalf("an IPv6 address without brackets passes: %v", got)
	}
	got, err = ParseLocalServices(
		" Weather.Example:8443=127.0.0.1:39001 " +
			",db.test:5432=[::1]:5432,own.test:80=10.0.0.5:8080,10.9.9.9:80=[::ffff:127.0.0.1]:80")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]netip.AddrPort{
		"weather.example:8443": netip.MustParseAddrPort("127.0.0.1:39001"),
		"db.test:5432":         netip.MustParseAddrPort("[::1]:5432"),
		"own.test:80":          netip.MustParseAddrPort("10.0.0.5:8080"),
		"10.9.9.9:80":          netip.MustParseAddrPort("127.0.0.1:80"),
	}
	if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b netip.AddrPort) bool { return a == b })); diff != "" {
		t.Fatal(diff)
	}
	if got, err := ParseLocalServices("  "); err != nil || len(got) != 0 {
		t.Fatalf("empty text: %v, %v", got, err)
	}
	for _, text := range []string{
		",", "a.test", "a.test:80", "a.test=127.0.0.1:80", "a.test:80=127.0.0.1", "a.test:80=localhost:80",
		"a.test:80=127.0.0.1:0", "a.test:0=127.0.0.1:80",
		"a.test:80=0.0.0.0:80", "a.test:80=[::]:80", "a.test:80=169.254.169.254:80", "a.test:80=100.100.100.200:80",
		"a.test:80=224.0.0.1:80", "a.test:80=[fe80::1%eth0]:80",
		"*.a.test:80=127.0.0.1:80", "{KEY}:80=127.0.0.1:80", "a.test:80,81=127.0.0.1:80",
		"a.test:80=127.0.0.1:80,A.test:80=127.0.0.1:81", "a.test:=127.0.0.1:80",
	} {
		if got, err := ParseLocalServices(text); err == nil {
			t.Errorf("%q passes: %v", text, got)
		}
	}
}
