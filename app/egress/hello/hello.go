package hello

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// MaxBytes is the longest hello that is read, in bytes, record headers included.
const MaxBytes = 32 << 10

// Hello is what is to be known about a client.
type Hello struct {
	ServerName string // as sent; "" if absent
	Encrypted  bool   // it carries Encrypted Client Hello, so that ServerName may not be the true one
}

// ErrNotTLS says that the bytes are not the beginning of TLS.
var ErrNotTLS = errors.New("not TLS")

// ErrMalformed says that the hello breaks the rules of TLS or is too long.
var ErrMalformed = errors.New("malformed TLS client hello")

// Incomplete says how many bytes are needed in all, at least, to read on.
type Incomplete int

func (n Incomplete) Error() string { return fmt.Sprintf("at least %d bytes are needed", int(n)) }

// maxRecords is how many records a hello may come in. Real clients use one or two; each costs a
// look at all that came before.
const maxRecords = 64

const (
	recordHeader    = 5
	handshakeRecord = 22
	maxRecord       = 16 << 10
	messageHeader   = 4
	clientHello     = 1

	extensionServerName = 0
	extensionECH        = 0xfe0d
)

// Parse reads the hello at the beginning of data. The error is Incomplete, ErrNotTLS or
// ErrMalformed.
func Parse(data []byte) (Hello, error) {
	message, err := assemble(data)
	if err != nil {
		return Hello{}, err
	}
	h, ok := parseBody(message)
	if !ok {
		return Hello{}, ErrMalformed
	}
	return h, nil
}

// assemble returns the body of the first handshake message, put together from its records.
func assemble(data []byte) ([]byte, error) {
	var message []byte
	at := 0
	for records := 1; ; records++ {
		if records > maxRecords {
			return nil, ErrMalformed
		}
		head := data[at:]
		if len(head) > 0 && head[0] != handshakeRecord || len(head) > 1 && head[1] != 3 || len(head) > 2 && head[2] > 3 {
			if at == 0 {
				return nil, ErrNotTLS
			}
			return nil, ErrMalformed
		}
		if at+recordHeader > MaxBytes {
			return nil, ErrMalformed
		}
		if len(head) < recordHeader {
			return nil, Incomplete(at + recordHeader)
		}
		length := int(binary.BigEndian.Uint16(head[3:]))
		at += recordHeader + length
		if length == 0 || length > maxRecord || at > MaxBytes {
			return nil, ErrMalformed
		}
		if len(head) < recordHeader+length {
			if wrongStart(append(message, head[recordHeader:]...)) {
				return nil, ErrMalformed
			}
			return nil, Incomplete(at)
		}
		message = append(message, head[recordHeader:recordHeader+length]...)
		if wrongStart(message) {
			return nil, ErrMalformed
		}
		if len(message) < messageHeader {
			continue
		}
		want := messageHeader + int(message[1])<<16 + int(binary.BigEndian.Uint16(message[2:]))
		switch {
		case want > MaxBytes || len(message) > want:
			return nil, ErrMalformed
		case len(message) == want:
			return message[messageHeader:], nil
		}
	}
}

func wrongStart(message []byte) bool { return len(message) > 0 && message[0] != clientHello }

// parseBody reads the message itself.
func parseBody(message []byte) (h Hello, ok bool) {
	r := &reader{rest: message}
	r.take(2 + 32) // version, random
	if len(r.vector8()) > 32 {
		return h, false
	}
	suites := r.vector16()
	methods := r.vector8()
	if r.failed || len(suites) < 2 || len(suites)%2 != 0 || len(methods) == 0 {
		return h, false
	}
	if len(r.rest) == 0 {
		return h, true // a client without extensions names no server
	}
	extensions := &reader{rest: r.vector16()}
	if r.failed || len(r.rest) != 0 {
		return h, false
	}
	seen := map[uint16]bool{}
	for len(extensions.rest) > 0 {
		kind := extensions.number16()
		body := extensions.vector16()
		if extensions.failed || seen[kind] {
			return h, false
		}
		seen[kind] = true
		switch kind {
		case extensionServerName:
			if h.ServerName, ok = parseServerName(body); !ok {
				return h, false
			}
		case extensionECH:
			h.Encrypted = true
		}
	}
	return h, true
}

// parseServerName wants exactly one host name of printable ASCII.
func parseServerName(body []byte) (string, bool) {
	r := &reader{rest: body}
	list := &reader{rest: r.vector16()}
	kind := list.take(1)
	name := list.vector16()
	if r.failed || list.failed || len(r.rest) != 0 || len(list.rest) != 0 || kind[0] != 0 || len(name) == 0 {
		return "", false
	}
	for _, c := range name {
		if c <= ' ' || c >= 0x7f {
			return "", false
		}
	}
	return string(name), true
}

// reader takes bytes from the front; after a failure it gives nothing.
type reader struct {
	rest   []byte
	failed bool
}

func (r *reader) take(n int) []byte {
	if r.failed || len(r.rest) < n {
		r.failed, r.rest = true, nil
		return nil
	}
	taken := r.rest[:n]
	r.rest = r.rest[n:]
	return taken
}

func (r *reader) number16() uint16 {
	b := r.take(2)
	if b == nil {
		return 0
	}
	return binary.BigEndian.Uint16(b)
}

func (r *reader) vector8() []byte {
	b := r.take(1)
	if b == nil {
		return nil
	}
	return r.take(int(b[0]))
}

func (r *reader) vector16() []byte { return r.take(int(r.number16())) }
