package egress

import (
	"bytes"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"slices"
	"time"
)

// Limits of a TLS client's first message.
const (
	maxHello   = 32 << 10 // bytes, record headers included
	maxRecords = 64       // real clients use one or two; each costs a look at all that came before
)

const (
	handshakeRecord = 22 // the first byte of TLS
	recordHeader    = 5  // bytes
	extensionECH    = 0xfe0d
)

var (
	errNotTLS    = errors.New("not TLS")
	errMalformed = errors.New("malformed TLS client hello")
	// errIncomplete says that a hello isn't whole yet.
	errIncomplete = errors.New("incomplete TLS client hello")
)

// clientHello is what a TLS client says first.
type clientHello struct {
	serverName string // as sent; "" if absent
	encrypted  bool   // it carries Encrypted Client Hello, so that serverName may not be the true one
}

// readClientHello reads the hello at the beginning of data, as crypto/tls does. need: the least
// length, in all, that errIncomplete asks for.
func readClientHello(data []byte) (h clientHello, need int, err error) {
	if len(data) > 0 && data[0] != handshakeRecord || len(data) > 1 && data[1] != 3 {
		return h, 0, errNotTLS
	}
	need, records := nextRecord(data)
	if need > maxHello || records > maxRecords {
		return h, 0, errMalformed
	}
	var info *tls.ClientHelloInfo
	err = tls.Server(firstBytes{bytes.NewReader(data)}, &tls.Config{
		GetConfigForClient: func(seen *tls.ClientHelloInfo) (*tls.Config, error) {
			info = seen
			return nil, io.EOF // no handshake is wanted
		},
		GetEncryptedClientHelloKeys: func(seen *tls.ClientHelloInfo) ([]tls.EncryptedClientHelloKey, error) {
			info = seen
			return nil, io.EOF
		},
		MinVersion: tls.VersionTLS12,
	}).Handshake()
	switch {
	case info != nil:
		return clientHello{info.ServerName, slices.Contains(info.Extensions, extensionECH)}, 0, nil
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return h, need, errIncomplete
	}
	return h, 0, errMalformed
}

// nextRecord returns the end of the first incomplete record and the number of records before it.
func nextRecord(data []byte) (end, records int) {
	for at := 0; ; records++ {
		if end = at + recordHeader; end > len(data) {
			return end, records
		}
		if end += int(binary.BigEndian.Uint16(data[at+3:])); end > len(data) {
			return end, records
		}
		at = end
	}
}

// firstBytes is a connection of which only the first bytes are known. Writes vanish.
type firstBytes struct{ *bytes.Reader }

var _ net.Conn = firstBytes{}

func (firstBytes) Write(p []byte) (int, error)      { return len(p), nil }
func (firstBytes) Close() error                     { return nil }
func (firstBytes) LocalAddr() net.Addr              { return &net.TCPAddr{} }
func (firstBytes) RemoteAddr() net.Addr             { return &net.TCPAddr{} }
func (firstBytes) SetDeadline(time.Time) error      { return nil }
func (firstBytes) SetReadDeadline(time.Time) error  { return nil }
func (firstBytes) SetWriteDeadline(time.Time) error { return nil }
