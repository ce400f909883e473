package egress

import (
	"crypto/tls"
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// records cuts a hello into records of at most size bytes.
func records(data []byte, size int) []byte {
	var out []byte
	for body := data[recordHeader:]; len(body) > 0; {
		n := min(size, len(body))
		out = append(out, handshakeRecord, 3, 1, byte(n>>8), byte(n))
		out, body = append(out, body[:n]...), body[n:]
	}
	return out
}

func TestClientHelloOfARealClient(t *testing.T) {
	for _, name := range []string{"api.example.com", ""} {
		data := firstFlight(t, &tls.Config{ServerName: name, InsecureSkipVerify: name == "", NextProtos: []string{"h2"}})
		want := clientHello{serverName: name}
		for _, size := range []int{40, 100, 1000} {
			if h, _, err := readClientHello(records(data, size)); err != nil || h != want {
				t.Errorf("in records of %d: %+v, %v", size, h, err)
			}
		}
		if _, _, err := readClientHello(records(data, 2)); !errors.Is(err, errMalformed) {
			t.Errorf("in more than %d records: %v", maxRecords, err)
		}
		// What follows the last record is the next flight's business.
		if h, _, err := readClientHello(append(data, 20, 3, 3, 0, 1, 1)); err != nil || h != want {
			t.Errorf("with a record behind: %+v, %v", h, err)
		}
	}
}

// TestAnyPrefixIsIncomplete: a partial hello asks for more bytes, and never too many.
func TestAnyPrefixIsIncomplete(t *testing.T) {
	data := firstFlight(t, &tls.Config{ServerName: "api.example.com"})
	rapid.Check(t, func(t *rapid.T) {
		cut := records(data, rapid.IntRange(len(data)/maxRecords+1, len(data)).Draw(t, "record"))
		n := rapid.IntRange(0, len(cut)-1).Draw(t, "prefix")
		if _, need, err := readClientHello(cut[:n]); !errors.Is(err, errIncomplete) || need <= n || need > len(cut) {
			t.Fatalf("%d of %d bytes: need %d, %v", n, len(cut), need, err)
		}
	})
}

// build makes a hello from its extensions.
func build(extensions []byte) []byte {
	body := append([]byte{3, 3}, make([]byte, 32)...)
	body = append(body, 0, 0, 2, 0x13, 0x01, 1, 0)
	if extensions != nil {
		body = append(body, byte(len(extensions)>>8), byte(len(extensions)))
		body = append(body, extensions...)
	}
	return wrap(append([]byte{1, byte(len(body) >> 16), byte(len(body) >> 8), byte(len(body))}, body...))
}

func wrap(message []byte) []byte {
	return append([]byte{handshakeRecord, 3, 1, byte(len(message) >> 8), byte(len(message))}, message...)
}

func extension(kind int, body []byte) []byte {
	return append([]byte{byte(kind >> 8), byte(kind), byte(len(body) >> 8), byte(len(body))}, body...)
}

func names(list ...string) []byte {
	var body []byte
	for _, n := range list {
		body = append(body, 0, byte(len(n)>>8), byte(len(n)))
		body = append(body, n...)
	}
	return append([]byte{byte(len(body) >> 8), byte(len(body))}, body...)
}

func TestClientHelloShapes(t *testing.T) {
	sni := extension(0, names("a.test"))
	good := build(sni)
	long := strings.Repeat("a.", 500) + "test"
	endless := wrap(append([]byte{1, 0, 0x7f, 0}, make([]byte, maxHello)...))
	for name, c := range map[string]struct {
		data []byte
		want clientHello
		err  error
	}{
		"plain":            {good, clientHello{serverName: "a.test"}, nil},
		"no extensions":    {build(nil), clientHello{}, nil},
		"empty extensions": {build([]byte{}), clientHello{}, nil},
		"a long name":      {build(extension(0, names(long))), clientHello{serverName: long}, nil},
		"other extensions": {build(slices.Concat(extension(16, []byte{0, 3, 2, 'h', '2'}), sni)),
			clientHello{serverName: "a.test"}, nil},
		"encrypted": {build(slices.Concat(sni, extension(extensionECH, []byte{0, 1, 2}))),
			clientHello{"a.test", true}, nil},
		"encrypted, empty": {build(slices.Concat(sni, extension(extensionECH, nil))),
			clientHello{"a.test", true}, nil},
		"another kind": {build(extension(0, []byte{0, 4, 1, 0, 1, 'a'})), clientHello{}, nil},
		"two names":    {build(extension(0, names("a.test", "b.test"))), clientHello{}, errMalformed},
		"two name extensions": {build(slices.Concat(sni, extension(0, names("b.test")))),
			clientHello{}, errMalformed},
		"an extension twice": {build(slices.Concat(sni, extension(18, nil), extension(18, nil))),
			clientHello{}, errMalformed},
		"an empty name":           {build(extension(0, names(""))), clientHello{}, errMalformed},
		"an empty list":           {build(extension(0, []byte{0, 0})), clientHello{}, errMalformed},
		"an empty extension":      {build(extension(0, nil)), clientHello{}, errMalformed},
		"bytes after the list":    {build(extension(0, append(names("a.test"), 0))), clientHello{}, errMalformed},
		"HTTP":                    {[]byte("GET / HTTP/1.1\r\n"), clientHello{}, errNotTLS},
		"SSL 2":                   {[]byte{0x80, 0x2e, 1, 3, 1}, clientHello{}, errNotTLS},
		"one wrong byte":          {[]byte{'G'}, clientHello{}, errNotTLS},
		"a wrong version":         {[]byte{22, 2}, clientHello{}, errNotTLS},
		"a record too long":       {[]byte{22, 3, 1, 0x90, 1}, clientHello{}, errMalformed},
		"another message":         {[]byte{22, 3, 1, 0, 9, 2, 0, 0, 5, 0, 0, 0, 0, 0}, clientHello{}, errMalformed},
		"no end in sight":         {records(endless, 16000), clientHello{}, errMalformed},
		"no end, in tiny records": {records(endless, 1), clientHello{}, errMalformed},
	} {
		if h, _, err := readClientHello(c.data); h != c.want || !errors.Is(err, c.err) {
			t.Errorf("%s: %+v, %v; want %+v, %v", name, h, err, c.want, c.err)
		}
	}
}
