package main

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

const (
	resolverAddress = "127.0.0.1:53"
	resolverTTL     = 60 // seconds
	resolverIdle    = 10 * time.Second
	resolverClients = 32 // TCP
	maxQuery        = 512
)

// resolver answers for allowed names from names, alone: nothing is ever asked outside the box.
type resolver struct {
	names   *names
	refused func(name string) // told once of each unknown name
	udp     net.PacketConn
	tcp     net.Listener
	slots   chan struct{} // connections
}

// openResolver serves until the process ends.
func openResolver(names *names, refused func(string)) error {
	udp, err := net.ListenPacket("udp4", resolverAddress)
	if err != nil {
		return err
	}
	tcp, err := net.Listen("tcp4", resolverAddress)
	if err != nil {
		udp.Close()
		return err
	}
	r := &resolver{names: names, refused: refused, udp: udp, tcp: tcp, slots: make(chan struct{}, resolverClients)}
	go r.serveUDP()
	go r.serveTCP()
	return nil
}

func (r *resolver) serveUDP() {
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

func (r *resolver) serveTCP() {
	for {
		conn, err := r.tcp.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			time.Sleep(time.Millisecond) // out of descriptors, most likely
			continue
		}
		r.admit(conn)
	}
}

// admit serves a connection, unless there are too many, and tells which.
func (r *resolver) admit(conn net.Conn) bool {
	select {
	case r.slots <- struct{}{}:
		go func() {
			defer func() { <-r.slots }()
			r.serveConn(conn)
		}()
		return true
	default:
		conn.Close()
		return false
	}
}

func (r *resolver) serveConn(conn net.Conn) {
	defer conn.Close()
	for {
		_ = conn.SetDeadline(time.Now().Add(resolverIdle))
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
func (r *resolver) answer(query []byte) []byte {
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
	address, ok := r.names.lookup(name)
	if !ok {
		if r.names.firstRefusal(name) {
			r.refused(name) // before the answer, so that the record is there when the script fails for it
		}
		reply.RCode = dnsmessage.RCodeNameError
		return build(reply, &question, nil)
	}
	if question.Type != dnsmessage.TypeA {
		return build(reply, &question, nil) // the name exists, but has no such record
	}
	return build(reply, &question, &dnsmessage.AResource{A: address.As4()})
}

func build(header dnsmessage.Header, question *dnsmessage.Question, answer *dnsmessage.AResource) []byte {
	message := dnsmessage.Message{Header: header}
	if question != nil {
		message.Questions = []dnsmessage.Question{*question}
	}
	if answer != nil {
		message.Answers = []dnsmessage.Resource{{
			Header: dnsmessage.ResourceHeader{Name: question.Name, Type: dnsmessage.TypeA, Class: dnsmessage.ClassINET,
				TTL: resolverTTL},
			Body: answer,
		}}
	}
	packed, err := message.Pack()
	if err != nil {
		return nil
	}
	return packed
}
