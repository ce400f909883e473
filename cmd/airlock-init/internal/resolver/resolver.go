package resolver

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"strings"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

// Address is where programs of the box ask.
const Address = "127.0.0.1:53"

const (
	ttl      = 60 // seconds
	idle     = 10 * time.Second
	clients  = 32 // TCP
	maxQuery = 512
)

// Resolver answers for allowed names. It asks nothing outside the box.
type Resolver struct {
	names   *Names
	refused func(name, record string) // told of each unknown name, and record that no name has
	udp     net.PacketConn
	tcp     net.Listener
	slots   chan struct{} // connections that are served; more wait
}

// Open serves until its sockets are closed.
func Open(names *Names, refused func(name, record string), udp net.PacketConn, tcp net.Listener) {
	r := New(names, refused)
	r.udp, r.tcp = udp, tcp
	go r.serveUDP()
	go r.serveTCP()
}

// New returns a Resolver for connections that somebody brings to ServeInTurn.
func New(names *Names, refused func(name, record string)) *Resolver {
	return &Resolver{names: names, refused: refused, slots: make(chan struct{}, clients)}
}

func (r *Resolver) serveUDP() {
	buf := make([]byte, maxQuery+1)
	for {
		n, from, err := r.udp.ReadFrom(buf)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil || n > maxQuery {
			continue
		}
		if reply := r.answer(buf[:n]); reply != nil {
			_, _ = r.udp.WriteTo(reply, from)
		}
	}
}

// serveTCP accepts a connection once fewer than clients are served. Accepted ones take descriptors,
// which a template's boxes share.
func (r *Resolver) serveTCP() {
	for {
		r.slots <- struct{}{}
		conn, err := r.tcp.Accept()
		if err == nil {
			go r.serveSlot(conn)
			continue
		}
		<-r.slots
		if errors.Is(err, net.ErrClosed) {
			return
		}
		time.Sleep(time.Millisecond) // out of descriptors, most likely
	}
}

// ServeInTurn serves a connection once less than clients are served.
func (r *Resolver) ServeInTurn(conn net.Conn) {
	r.slots <- struct{}{}
	r.serveSlot(conn)
}

// serveSlot serves a connection that has a slot.
func (r *Resolver) serveSlot(conn net.Conn) {
	defer func() { <-r.slots }()
	r.serveConn(conn)
}

func (r *Resolver) serveConn(conn net.Conn) {
	defer conn.Close()
	for {
		_ = conn.SetDeadline(time.Now().Add(idle))
		var size [2]byte
		if _, err := io.ReadFull(conn, size[:]); err != nil {
			return
		}
		query := make([]byte, binary.BigEndian.Uint16(size[:]))
		if len(query) > maxQuery {
			return
		}
		if _, err := io.ReadFull(conn, query); err != nil {
			return
		}
		reply := r.answer(query)
		if reply == nil {
			return
		}
		if _, err := conn.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(reply))), reply...)); err != nil {
			return
		}
	}
}

// answer returns the reply to a query, nil for what isn't one.
func (r *Resolver) answer(query []byte) []byte {
	var parser dnsmessage.Parser
	header, err := parser.Start(query)
	if err != nil || header.Response {
		return nil
	}
	reply := dnsmessage.Header{
		ID: header.ID, Response: true, OpCode: header.OpCode, Authoritative: true,
		RecursionDesired: header.RecursionDesired, RecursionAvailable: true,
	}
	question, err := parser.Question()
	if err == nil {
		_, err = parser.Question()
		if errors.Is(err, dnsmessage.ErrSectionDone) {
			err = nil
		} else {
			err = errors.New("not exactly one question")
		}
	}
	switch {
	case err != nil:
		reply.RCode = dnsmessage.RCodeFormatError
		return build(reply, nil, nil)
	case header.OpCode != 0:
		reply.RCode = dnsmessage.RCodeNotImplemented
		return build(reply, &question, nil)
	case question.Class != dnsmessage.ClassINET:
		reply.RCode = dnsmessage.RCodeRefused
		return build(reply, &question, nil)
	}
	name := canonical(question.Name.String())
	if strings.HasSuffix(name, ".arpa") { // no address has a name
		reply.RCode = dnsmessage.RCodeNameError
		return build(reply, &question, nil)
	}
	address, ok := r.names.Lookup(name)
	record := recordName(question.Type)
	if (!ok || record != "") && r.names.reportable(name) {
		r.refused(name, record) // before the answer, so that the record is there when the script fails for it
	}
	if !ok {
		reply.RCode = dnsmessage.RCodeNameError
		return build(reply, &question, nil)
	}
	if question.Type != dnsmessage.TypeA {
		return build(reply, &question, nil) // the name exists, but has no such record
	}
	return build(reply, &question, &dnsmessage.AResource{A: address.As4()})
}

// recordName names a record type other than addresses that clients ask for, or returns "".
func recordName(t dnsmessage.Type) string {
	switch t {
	case dnsmessage.TypeSRV:
		return "SRV"
	case dnsmessage.TypeTXT:
		return "TXT"
	case dnsmessage.TypeMX:
		return "MX"
	case dnsmessage.TypeNS:
		return "NS"
	case dnsmessage.TypeSOA:
		return "SOA"
	case 35:
		return "NAPTR"
	case 256:
		return "URI"
	}
	return ""
}

func build(header dnsmessage.Header, question *dnsmessage.Question, answer dnsmessage.ResourceBody) []byte {
	message := dnsmessage.Message{Header: header}
	if question != nil {
		message.Questions = []dnsmessage.Question{*question}
	}
	if answer != nil {
		message.Answers = []dnsmessage.Resource{{
			Header: dnsmessage.ResourceHeader{Name: question.Name, Type: question.Type, Class: dnsmessage.ClassINET,
				TTL: ttl},
			Body: answer,
		}}
	}
	packed, err := message.Pack()
	if err != nil {
		return nil
	}
	return packed
}
