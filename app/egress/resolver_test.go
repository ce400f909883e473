package egress

import (
	"context"
	"net"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

// The system's resolver is asked for exactly the name that was matched: no search domain is ever appended to a name with a dot.
func TestSystemLookupAsksForTheNameItself(t *testing.T) {
	asked := newNameserver(t)
	resolver := &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", asked.addr)
	}}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	list, err := lookupWith(resolver)(ctx, "api.allowed.test")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(list, netip.MustParseAddr("93.184.215.14")) {
		t.Errorf("got %v", list)
	}
	if _, err := lookupWith(resolver)(ctx, "absent.allowed.test"); err == nil {
		t.Error("a name without an address resolves")
	}
	for _, name := range asked.questions() {
		if name != "api.allowed.test." && name != "absent.allowed.test." {
			t.Errorf("asked for %s", name)
		}
	}
	if len(asked.questions()) == 0 {
		t.Error("nothing was asked")
	}
}

// nameserver answers A questions for one name and knows nothing else.
type nameserver struct {
	addr  string
	mu    sync.Mutex
	names []string
}

func newNameserver(t *testing.T) *nameserver {
	t.Helper()
	pc, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	n := &nameserver{addr: pc.LocalAddr().String()}
	var served sync.WaitGroup
	served.Go(func() {
		for buffer := make([]byte, 1500); ; {
			size, from, err := pc.ReadFrom(buffer)
			if err != nil {
				return
			}
			if reply := n.answer(buffer[:size]); reply != nil {
				_, _ = pc.WriteTo(reply, from)
			}
		}
	})
	t.Cleanup(func() { pc.Close(); served.Wait() })
	return n
}

func (n *nameserver) answer(query []byte) []byte {
	var m dnsmessage.Message
	if m.Unpack(query) != nil || len(m.Questions) != 1 {
		return nil
	}
	q := m.Questions[0]
	n.mu.Lock()
	n.names = append(n.names, q.Name.String())
	n.mu.Unlock()
	m.Header.Response, m.Additionals = true, nil
	if q.Name.String() != "api.allowed.test." {
		m.Header.RCode = dnsmessage.RCodeNameError
	} else if q.Type == dnsmessage.TypeA {
		m.Answers = []dnsmessage.Resource{{
			Header: dnsmessage.ResourceHeader{Name: q.Name, Type: dnsmessage.TypeA, Class: dnsmessage.ClassINET},
			Body:   &dnsmessage.AResource{A: [4]byte{93, 184, 215, 14}},
		}}
	}
	packed, err := m.Pack()
	if err != nil {
		return nil
	}
	return packed
}

func (n *nameserver) questions() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.names)
}
