package egress

import (
	"io"
	"net"
	"net/netip"
	"testing"

	"github.com/computclaw/airlock/app/egress/rules"
)

const benchChunk = 64 << 10

// BenchmarkRelay compares a download over a plain socket with the same through a session.
func BenchmarkRelay(b *testing.B) {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				for chunk := make([]byte, benchChunk); err == nil; {
					_, err = c.Write(chunk)
				}
			}()
		}
	}()
	b.Run("direct", func(b *testing.B) {
		c, err := net.Dial("tcp4", listener.Addr().String())
		if err != nil {
			b.Fatal(err)
		}
		defer c.Close()
		download(b, c)
	})
	b.Run("session", func(b *testing.B) {
		g := New(Config{
			LocalServices: map[string]netip.AddrPort{"bench.test:8080": netip.MustParseAddrPort(listener.Addr().String())},
			Limits:        Limits{Bytes: 1 << 62},
		})
		s := g.Session(Grant{Hosts: allow(b, "bench.test:8080")}, nil)
		defer s.Close()
		c, err := s.Dial(b.Context(), "bench.test", 8080)
		if err != nil {
			b.Fatal(err)
		}
		defer c.Close()
		download(b, c)
	})
}

func download(b *testing.B, r io.Reader) {
	b.SetBytes(benchChunk)
	chunk := make([]byte, benchChunk)
	b.ResetTimer()
	for range b.N {
		if _, err := io.ReadFull(r, chunk); err != nil {
			b.Fatal(err)
		}
	}
	b.StopTimer()
}

// BenchmarkDial is the cost of one connection: a bare dial, and the same with every rule applied.
func BenchmarkDial(b *testing.B) {
	w := newWorld(b)
	w.name("svc.test", []string{"93.184.215.14"})
	b.Run("direct", func(b *testing.B) {
		for range b.N {
			c, err := net.Dial("tcp4", netip.AddrPortFrom(netip.MustParseAddr("93.184.215.14"), uint16(w.port)).String())
			if err != nil {
				b.Fatal(err)
			}
			_ = c.(*net.TCPConn).SetLinger(0) // or the ports run out
			c.Close()
		}
	})
	b.Run("session", func(b *testing.B) {
		g := w.gateway(func(c *Config) { c.Limits = Limits{Rate: 1e9, Burst: 1 << 30} })
		hosts := allow(b, "svc.test")
		hosts[0].Ports = []int{w.port}
		s := session(b, g, hosts)
		for range b.N {
			c, err := s.Dial(b.Context(), "svc.test", w.port)
			if err != nil {
				b.Fatal(err)
			}
			c.(*conn).cut(rules.Closed)
		}
	})
	b.Run("denied", func(b *testing.B) {
		s := session(b, w.gateway(), allow(b, "svc.test"))
		for range b.N {
			if _, err := s.Dial(b.Context(), "evil.test", 443); err == nil {
				b.Fatal("allowed")
			}
		}
	})
}
