package egress

import (
	"fmt"
	"net"
	"slices"
	"sync"
	"testing"

	"github.com/computclaw/airlock/app/egress/rules"
	"golang.org/x/net/dns/dnsmessage"
)

// The system's resolver is asked for exactly the name that was matched: no search domain of
// resolv.conf is appended to a name with a dot.
func TestTheNameThatWasMatchedIsAskedFor(t *testing.T) {
	server := newNameserver(t)
	w := newWorld(t)
	s := session(t, New(Config{}), allow(t, fmt.Sprintf("api.allowed.test:%d", w.port), "absent.allowed.test"))
	conn, err := s.Dial(t.Context(), "api.allowed.test", w.port)
	if err != nil {
		t.Fatal(err)
	}
	echo(t, conn, "hello")
	conn.Close()
	_, err = s.Dial(t.Context(), "absent.allowed.test", 443)
	checkRefusal(t, s, err, rules.Unresolved)

	asked := server.questions()
	slices.Sort(asked)
	want := []string{"absent.allowed.test.", "api.allowed.test."}
	if got := slices.Compact(asked); !slices.Equal(got, want) {
		t.Errorf("asked for %v, want %v", got, want)
	}
}

// nameserver answers A questions for one name and knows nothing else.
type nameserver struct {
	mu    sync.Mutex
	names []string
}

func newNameserver(t *testing.T) *nameserver {
	t.Helper()
	pc, err := net.ListenPacket("udp4", "127.0.0.1:53")
	if err != nil {
		t.Fatal(err)
	}
	n := &nameserver{}
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
	t.Cleanup(func() { _ = pc.Close(); served.Wait() })
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
	m.Response, m.Additionals = true, nil
	if q.Name.String() != "api.allowed.test." {
		m.RCode = dnsmessage.RCodeNameError
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
