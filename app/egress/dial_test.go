package egress

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/egress/rules"
)

// Every address of a name is judged, on real sockets: refused ones are never connected to.
func TestDialJudgesAddresses(t *testing.T) {
	const public, other = "93.184.215.14", "93.184.215.15"
	for _, c := range []struct {
		name    string
		answers []string
		private bool
		rule    string // "" means that the first address is reached
	}{
		{"public", []string{public}, false, ""},
		{"several public", []string{public, other}, false, ""},
		{"public as mapped", []string{"::ffff:" + public}, false, ""},
		{"loopback", []string{"127.0.0.1"}, false, rules.ThisHost},
		{"loopback, ticked", []string{"127.0.0.1"}, true, rules.ThisHost},
		{"loopback elsewhere in the net", []string{"127.66.0.1"}, true, rules.ThisHost},
		{"loopback v6", []string{"::1"}, true, rules.ThisHost},
		{"unspecified", []string{"0.0.0.0"}, true, rules.ThisHost},
		{"unspecified v6", []string{"::"}, true, rules.ThisHost},
		{"own private address", []string{ownPrivate.Addr().String()}, true, rules.ThisHost},
		{"metadata", []string{"169.254.169.254"}, true, rules.Metadata},
		{"metadata of tasks", []string{"169.254.170.2"}, true, rules.Metadata},
		{"metadata in shared space", []string{"100.100.100.200"}, true, rules.Metadata},
		{"metadata at a public address", []string{"168.63.129.16"}, true, rules.Metadata},
		{"metadata v6", []string{"fd00:ec2::254"}, true, rules.Metadata},
		{"metadata mapped", []string{"::ffff:169.254.169.254"}, true, rules.Metadata},
		{"metadata by NAT64", []string{"64:ff9b::a9fe:a9fe"}, true, rules.Metadata},
		{"loopback by 6to4", []string{"2002:7f00:1::"}, true, rules.Reserved},
		{"private, not ticked", []string{"10.1.2.3"}, false, rules.Private},
		{"private, ticked", []string{"10.1.2.3"}, true, ""},
		{"private 172, ticked", []string{"172.20.0.9"}, true, ""},
		{"private 192, ticked", []string{"192.168.7.7"}, true, ""},
		{"shared space, not ticked", []string{"100.64.1.1"}, false, rules.Private},
		{"shared space, ticked", []string{"100.64.1.1"}, true, ""},
		{"private mapped, not ticked", []string{"::ffff:10.0.0.1"}, false, rules.Private},
		{"private by NAT64, ticked", []string{"64:ff9b::10.0.0.1"}, true, rules.Reserved},
		{"multicast", []string{"224.0.0.1"}, true, rules.Reserved},
		{"broadcast", []string{"255.255.255.255"}, true, rules.Reserved},
		{"documentation", []string{"203.0.113.7"}, true, rules.Reserved},
		{"benchmark", []string{"198.18.0.1"}, true, rules.Reserved},
		{"mixed with private", []string{public, "10.1.2.3"}, false, rules.Private},
		{"mixed with metadata, last", []string{public, other, "169.254.169.254"}, true, rules.Metadata},
		{"mixed with metadata, first", []string{"169.254.169.254", public}, true, rules.Metadata},
		{"mixed with loopback v6", []string{public, "::1"}, true, rules.ThisHost},
		{"mixed beyond the number that is tried", append(repeat(public, 20), "127.0.0.1"), true, rules.ThisHost},
		{"empty answer", nil, false, rules.Unresolved},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.name("svc.test", c.answers)
			hosts := allow(t, fmt.Sprintf("svc.test:%d", w.port))
			hosts[0].Private = c.private
			s := session(t, w.gateway(), hosts)
			conn, err := s.Dial(t.Context(), "svc.test", w.port)
			if c.rule == "" {
				if err != nil {
					t.Fatal(err)
				}
				echo(t, conn, "hello")
				conn.Close()
				want := netip.MustParseAddr(c.answers[0]).Unmap().String()
				if got := w.reached(); len(got) != 1 || got[0] != want {
					t.Fatalf("reached %v, want %s", got, want)
				}
				return
			}
			checkRefusal(t, s, err, c.rule)
			if got := w.reached(); len(got) != 0 {
				t.Fatalf("connected to %v", got)
			}
			if c.rule != rules.Unresolved && strings.Contains(err.Error(), c.answers[len(c.answers)-1]) {
				t.Errorf("the refusal tells the script an address of the network: %v", err)
			}
		})
	}
}

func repeat(s string, n int) []string {
	var list []string
	for range n {
		list = append(list, s)
	}
	return list
}

// checkRefusal wants the rule in err and the last row, with a next step.
func checkRefusal(t testing.TB, s *Session, err error, rule string) {
	t.Helper()
	if err == nil {
		t.Fatalf("connected; want %q", rule)
	}
	wantCode, wantVerdict := app.CodeForbidden, app.VerdictDenied
	if rules.Verdict(rule) == app.VerdictFailed {
		wantCode, wantVerdict = app.CodeUnreachable, app.VerdictFailed
	}
	var e *app.Error
	if !errors.As(err, &e) || e.Code != wantCode || !strings.Contains(e.Message, rule) || e.Hint == "" {
		t.Fatalf("error %#v; want %s with the rule %q and a hint", err, wantCode, rule)
	}
	if row := lastRow(t, s); row.Rule != rule || row.Verdict != wantVerdict || row.Address != "" {
		t.Fatalf("row %+v; want %s by %q", row, wantVerdict, rule)
	}
}

// The resolver is asked for exactly the matched name: names with a dot get no search domain.
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
