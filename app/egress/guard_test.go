package egress

import (
	"bytes"
	"crypto/tls"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/egress/rules"
)

// Hosts without a sealed credential are relayed untouched: own certificate, any protocol inside
// TLS.
func TestRelayedTLS(t *testing.T) {
	l := newLab(t)
	config := l.tls("api.test")
	config.NextProtos = []string{"h2"}
	l.listen("api.test", 443, func(c net.Conn) { c = tls.Server(c, config); _, _ = io.Copy(c, c) })
	s := l.session(Limits{}, []string{"api.test"})
	conn := dial(t, s, "api.test", 443)
	client := tls.Client(NetConn(conn),
		&tls.Config{ServerName: "api.test", RootCAs: pool(l.public.Certificate()), NextProtos: []string{"h2"}})
	send(t, client, "hello")
	if got := make([]byte, 5); readAll(t, client, got) != "hello" || client.ConnectionState().NegotiatedProtocol != "h2" {
		t.Error("not passed on")
	}
	conn.Close()
	if row := lastRow(t, s); row.Verdict != app.VerdictAllowed || row.BytesUp < 100 || row.BytesDown < 100 ||
		row.Method != "" || len(s.Ledger()) != 1 {
		t.Errorf("%+v", row)
	}
}

func readAll(t testing.TB, r io.Reader, p []byte) string {
	t.Helper()
	if _, err := io.ReadFull(r, p); err != nil {
		t.Fatal(err)
	}
	return string(p)
}

// firstFlight is what a TLS client sends first.
func firstFlight(t testing.TB, config *tls.Config) []byte {
	t.Helper()
	a, b := net.Pipe()
	go func() { _ = tls.Client(a, config).Handshake() }()
	defer a.Close()
	defer b.Close()
	header := make([]byte, 5)
	readAll(t, b, header)
	body := make([]byte, binary.BigEndian.Uint16(header[3:]))
	readAll(t, b, body)
	return append(header, body...)
}

// A hello sent byte by byte is not re-read before it can be whole.
func TestHelloByteByByteIsCheap(t *testing.T) {
	body := firstFlight(t, &tls.Config{ServerName: "api.test"})[5:]
	record := append([]byte{22, 3, 1, byte(len(body) >> 8), byte(len(body))}, body...)
	g := newGuard("api.test", 443, func(string) {})
	for i := range record {
		last := i == len(record)-1
		spoiled := len(g.held) > earlyBytes && !last
		if spoiled {
			g.held[0] = 'G' // which would be noticed
		}
		held, verdict := g.look(record[i : i+1])
		if last != (verdict == guardPasses) || last && !bytes.Equal(held, record) {
			t.Fatalf("byte %d of %d: %d", i, len(record), verdict)
		}
		if spoiled {
			g.held[0] = record[0]
		}
	}
}

// The hello may come in any pieces; nothing reaches the host before it is whole.
func TestHelloInPieces(t *testing.T) {
	flight := firstFlight(t, &tls.Config{ServerName: "api.test"})
	var small []byte // in records of 40 bytes
	for body := flight[5:]; len(body) > 0; {
		n := min(40, len(body))
		small, body = append(append(small, 22, 3, 1, 0, byte(n)), body[:n]...), body[n:]
	}
	for _, data := range [][]byte{flight, small} {
		for _, step := range []int{1, 7, 100, len(data)} {
			l := newLab(t)
			got := make(chan []byte, 1)
			l.listen("api.test", 443, func(c net.Conn) {
				all, _ := io.ReadAll(c)
				got <- all
			})
			s := l.session(Limits{}, []string{"api.test"})
			conn := dial(t, s, "api.test", 443)
			for i := 0; i < len(data); i += step {
				if n := s.Ledger()[0].BytesUp; n != 0 {
					t.Fatalf("%d bytes were sent before the end of the hello", n)
				}
				send(t, conn, string(data[i:min(i+step, len(data))]))
			}
			send(t, conn, "and more")
			_ = conn.CloseWrite()
			if all := <-got; string(all) != string(data)+"and more" {
				t.Errorf("in steps of %d the host got %d bytes of %d", step, len(all), len(data)+8)
			}
			conn.Close()
		}
	}
}

func TestFirstBytesThatAreRefused(t *testing.T) {
	for _, c := range []struct {
		name  string
		send  []byte
		rule  string
		reply string
	}{
		{"another name", firstFlight(t, &tls.Config{ServerName: "evil.test"}), rules.ServerName, string(accessDenied)},
		{"no name", firstFlight(t, &tls.Config{InsecureSkipVerify: true}), rules.NoServerName, string(accessDenied)},
		{"encrypted hello", greased(t), rules.ECH, string(accessDenied)},
		{"SSH", []byte("SSH-2.0-OpenSSH_9.2\r\n"), rules.NotTLS, ""},
		{"SMTP", []byte("EHLO me\r\n"), rules.NotTLS, ""},
		{"HTTP", []byte("GET / HTTP/1.1\r\nHost: api.test\r\n\r\n"), rules.NotTLS, "HTTP/1.1 400"},
		{"CONNECT", []byte("CONNECT evil.test:443 HTTP/1.1\r\n\r\n"), rules.NotTLS, "HTTP/1.1 400"},
		{"Postgres", []byte{0, 0, 0, 8, 4, 0xd2, 0x16, 0x2f}, rules.NotTLS, ""},
		{"garbage in TLS", []byte{22, 3, 1, 0, 5, 2, 0, 0, 1, 0}, rules.Handshake, string(accessDenied)},
	} {
		l := newLab(t)
		var got bytes.Buffer
		ended := make(chan struct{})
		l.listen("api.test", 443, func(c net.Conn) { _, _ = io.Copy(&got, c); close(ended) })
		s := l.session(Limits{}, []string{"api.test"})
		conn := dial(t, s, "api.test", 443)
		send(t, conn, string(c.send))
		reply, err := io.ReadAll(conn)
		if err != nil || !strings.HasPrefix(string(reply), c.reply) || c.reply == "" && len(reply) > 0 {
			t.Errorf("%s: reply %q, %v", c.name, reply, err)
		}
		send(t, conn, "and more of it")
		_ = conn.CloseWrite()
		conn.Close()
		<-ended
		if got.Len() > 0 {
			t.Errorf("%s: the host got %q", c.name, got.Bytes())
		}
		if row := lastRow(t, s); row.Rule != c.rule || row.Verdict != app.VerdictDenied || row.BytesUp != 0 ||
			rules.Explain(row).Hint == "" {
			t.Errorf("%s: %+v", c.name, row)
		}
	}
}

// greased is a hello with an extension for an encrypted one inside.
func greased(t testing.TB) []byte {
	flight := firstFlight(t, &tls.Config{ServerName: "api.test"})
	extra := []byte{0xfe, 0x0d, 0, 4, 0, 1, 2, 3}
	at := 5 + 4 + 2 + 32
	at += 1 + int(flight[at])
	at += 2 + int(binary.BigEndian.Uint16(flight[at:]))
	at += 1 + int(flight[at])
	binary.BigEndian.PutUint16(flight[at:], binary.BigEndian.Uint16(flight[at:])+uint16(len(extra)))
	binary.BigEndian.PutUint16(flight[7:], binary.BigEndian.Uint16(flight[7:])+uint16(len(extra)))
	binary.BigEndian.PutUint16(flight[3:], binary.BigEndian.Uint16(flight[3:])+uint16(len(extra)))
	return append(flight, extra...)
}

// tcp admits any bytes on any port, also with a sealed credential; so does no protocol on an odd
// port.
func TestRawEntries(t *testing.T) {
	l := newLab(t)
	l.listen("raw.test", 443, func(c net.Conn) { _, _ = io.Copy(c, c) })
	l.listen("raw.test", 9000, func(c net.Conn) { _, _ = io.Copy(c, c) })
	hosts := allow(t, "raw.test:443,9000")
	for _, c := range []struct {
		protocol app.Protocol
		port     int
		sealed   bool
	}{{app.ProtocolTCP, 443, false}, {app.ProtocolTCP, 443, true}, {app.ProtocolPostgres, 9000, true}, {"", 9000, false}} {
		hosts[0].Protocol = c.protocol
		grant := Grant{Hosts: hosts}
		if c.sealed {
			grant.Sealed = l.sealed("raw.test:443,9000")
		}
		s := l.gateway().Session(grant, nil)
		conn := dial(t, s, "raw.test", c.port)
		echo(t, conn, "SSH-2.0-x "+testPlaceholder)
		conn.Close()
		s.Close()
	}
}

// An entry that says https or http is held to it on any port.
func TestProtocolOfTheEntryCounts(t *testing.T) {
	l := newLab(t)
	site := l.web("odd.test", 9000, nil, reflect)
	hosts := allow(t, "odd.test:9000")
	for _, c := range []struct {
		protocol app.Protocol
		status   int
	}{{app.ProtocolHTTP, 421}, {app.ProtocolHTTPS, 400}} {
		hosts[0].Protocol = c.protocol
		s := l.gateway().Session(Grant{Hosts: hosts}, nil)
		conn := dial(t, s, "odd.test", 9000)
		send(t, conn, "GET / HTTP/1.1\r\nHost: evil.test\r\n\r\n")
		if resp := answers(t, conn, 1)[0]; resp.StatusCode != c.status {
			t.Errorf("%s: %d", c.protocol, resp.StatusCode)
		}
		conn.Close()
		s.Close()
	}
	if site.requests.Load() != 0 {
		t.Error("it was forwarded")
	}
}

// A refused connection doesn't keep its place when the box does not close it.
func TestRefusedConnectionsEnd(t *testing.T) {
	l := newLab(t)
	l.listen("api.test", 443, func(c net.Conn) { _, _ = io.Copy(io.Discard, c) })
	s := l.session(Limits{Connections: 1}, []string{"api.test"})
	conn := dial(t, s, "api.test", 443)
	defer conn.Close()
	send(t, conn, "SSH-2.0-x\r\n")
	deadline := time.Now().Add(2 * lingerTime)
	for {
		c, err := s.Dial(t.Context(), "api.test", 443)
		if err == nil {
			c.Close()
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("the place is never given back")
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// A slow reader still gets an answer's end.
func TestSlowReaderGetsTheWholeAnswer(t *testing.T) {
	l := newLab(t)
	l.web("api.test", 80, nil, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Connection", "close")
		_, _ = io.Copy(w, io.LimitReader(zeros{}, 40<<10))
	})
	s := l.session(Limits{}, []string{"api.test"})
	conn := dial(t, s, "api.test", 80)
	defer conn.Close()
	send(t, conn, "GET / HTTP/1.1\r\nHost: api.test\r\nConnection: close\r\n\r\n")
	time.Sleep(lingerTime + time.Second)
	if body := text(answers(t, conn, 1)[0]); len(body) != 40<<10 {
		t.Errorf("%d bytes", len(body))
	}
}

// FuzzGuard: cutting the first bytes into writes changes no verdict; in pieces a refusal may only
// come later. Only a hello for the allowed host passes. A database client's first bytes, such as
// PostgreSQL's TLS request, are refused where TLS is due.
func FuzzGuard(f *testing.F) {
	f.Add(firstFlight(f, &tls.Config{ServerName: "api.test"}), uint8(3))
	f.Add(firstFlight(f, &tls.Config{ServerName: "other.test"}), uint8(200))
	f.Add(firstFlight(f, &tls.Config{InsecureSkipVerify: true}), uint8(1))
	f.Add([]byte("GET / HTTP/1.1\r\nHost: api.test\r\n\r\n"), uint8(5))
	f.Add([]byte("SSH-2.0-x\r\n"), uint8(0))
	f.Add([]byte{0, 0, 0, 8, 4, 210, 22, 47}, uint8(1))                       // PostgreSQL: SSLRequest
	f.Add([]byte("\x00\x00\x00\x10\x00\x03\x00\x00user\x00me\x00"), uint8(2)) // and its start-up message
	f.Fuzz(func(t *testing.T, in []byte, piece uint8) {
		whole, rule := judged(in, len(in))
		cut, cutRule := judged(in, int(piece))
		if late := whole == guardRefuses && cut == guardWaits; !late && (cut != whole || cutRule != rule) {
			t.Errorf("%q: %v %q at once, %v %q in pieces of %d", in, whole, rule, cut, cutRule, piece)
		}
		if h, _, err := readClientHello(in); whole == guardPasses &&
			(err != nil || h.encrypted || !strings.EqualFold(h.serverName, "api.test")) {
			t.Errorf("%q passes: %+v, %v", in, h, err)
		}
	})
}

// judged shows a guard bytes in pieces, and returns its verdict.
func judged(in []byte, piece int) (verdict guardVerdict, refused string) {
	g := newGuard("api.test", 443, func(rule string) { refused = rule })
	defer g.close()
	for len(in) > 0 && verdict == guardWaits {
		n := min(max(piece, 1), len(in))
		_, verdict = g.look(in[:n])
		in = in[n:]
	}
	return verdict, refused
}
