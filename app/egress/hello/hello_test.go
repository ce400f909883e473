package hello

import (
	"crypto/tls"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// real returns the first flight of Go's TLS client.
func real(t testing.TB, name string, alpn ...string) []byte {
	t.Helper()
	client, server := net.Pipe()
	go func() {
		_ = tls.Client(client, &tls.Config{ServerName: name, InsecureSkipVerify: name == "", NextProtos: alpn}).Handshake()
	}()
	defer client.Close()
	defer server.Close()
	header := make([]byte, recordHeader)
	if _, err := io.ReadFull(server, header); err != nil {
		t.Fatal(err)
	}
	body := make([]byte, binary.BigEndian.Uint16(header[3:]))
	if _, err := io.ReadFull(server, body); err != nil {
		t.Fatal(err)
	}
	return append(header, body...)
}

// records cuts a hello's message into records of at most size bytes.
func records(data []byte, size int) []byte {
	var out []byte
	for body := data[recordHeader:]; len(body) > 0; {
		n := min(size, len(body))
		out = append(out, handshakeRecord, 3, 1, byte(n>>8), byte(n))
		out, body = append(out, body[:n]...), body[n:]
	}
	return out
}

func TestRealClient(t *testing.T) {
	for _, name := range []string{"api.example.com", ""} {
		data := real(t, name, "h2", "http/1.1")
		h, err := Parse(data)
		if err != nil || h.ServerName != name || h.Encrypted {
			t.Fatalf("%q: %+v, %v", name, h, err)
		}
		for _, size := range []int{40, 100, 1000} {
			if h, err := Parse(records(data, size)); err != nil || h.ServerName != name {
				t.Errorf("in records of %d: %+v, %v", size, h, err)
			}
		}
		for _, size := range []int{1, 2, 3} {
			if _, err := Parse(records(data, size)); !errors.Is(err, ErrMalformed) {
				t.Errorf("in more than %d records: %v", maxRecords, err)
			}
		}
		// What follows the last record is the next flight's business.
		if h, err := Parse(append(data, 20, 3, 3, 0, 1, 1)); err != nil || h.ServerName != name {
			t.Errorf("with a record behind: %+v, %v", h, err)
		}
	}
}

// However the bytes arrive, the reader asks for more until the hello is whole, never for too much,
// and then agrees with itself.
func TestAnyPrefixIsIncomplete(t *testing.T) {
	data := real(t, "api.example.com")
	rapid.Check(t, func(t *rapid.T) {
		cut := records(data, rapid.IntRange(len(data)/maxRecords+1, len(data)).Draw(t, "record"))
		n := rapid.IntRange(0, len(cut)-1).Draw(t, "prefix")
		_, err := Parse(cut[:n])
		var need Incomplete
		if !errors.As(err, &need) || int(need) <= n || int(need) > len(cut) {
			t.Fatalf("%d of %d bytes: %v", n, len(cut), err)
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
	return wrap(append([]byte{clientHello, byte(len(body) >> 16), byte(len(body) >> 8), byte(len(body))}, body...))
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

func join(parts ...[]byte) []byte {
	var all []byte
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}

func TestShapes(t *testing.T) {
	sni := extension(extensionServerName, names("a.test"))
	good := build(sni)
	cut := func(data []byte, change func([]byte)) []byte {
		data = append([]byte(nil), data...)
		change(data)
		return data
	}
	for name, c := range map[string]struct {
		data []byte
		want Hello
		err  error
	}{
		"plain":            {good, Hello{ServerName: "a.test"}, nil},
		"no extensions":    {build(nil), Hello{}, nil},
		"empty extensions": {build([]byte{}), Hello{}, nil},
		"other extensions": {build(join(extension(16, []byte{0, 3, 2, 'h', '2'}), sni)), Hello{ServerName: "a.test"},
			nil},
		"encrypted": {build(join(sni, extension(extensionECH, []byte{0, 1, 2}))),
			Hello{ServerName: "a.test", Encrypted: true}, nil},
		"two names":               {build(extension(0, names("a.test", "b.test"))), Hello{}, ErrMalformed},
		"two name extensions":     {build(join(sni, extension(0, names("b.test")))), Hello{}, ErrMalformed},
		"an extension twice":      {build(join(sni, extension(5, nil), extension(5, nil))), Hello{}, ErrMalformed},
		"an empty name":           {build(extension(0, names(""))), Hello{}, ErrMalformed},
		"an empty list":           {build(extension(0, []byte{0, 0})), Hello{}, ErrMalformed},
		"an empty extension":      {build(extension(0, nil)), Hello{}, ErrMalformed},
		"NUL in the name":         {build(extension(0, names("a.test\x00.evil"))), Hello{}, ErrMalformed},
		"a space in the name":     {build(extension(0, names("a test"))), Hello{}, ErrMalformed},
		"not ASCII":               {build(extension(0, names("\xc3\xa4.test"))), Hello{}, ErrMalformed},
		"another kind of name":    {build(extension(0, []byte{0, 4, 1, 0, 1, 'a'})), Hello{}, ErrMalformed},
		"bytes after the list":    {build(extension(0, append(names("a.test"), 0))), Hello{}, ErrMalformed},
		"bytes after the message": {wrap(append(good[recordHeader:len(good):len(good)], 0)), Hello{}, ErrMalformed},
		"bytes after extensions": {func() []byte { // counted by the message, not by the list
			m := append(good[recordHeader:len(good):len(good)], 0)
			m[3]++
			return wrap(m)
		}(), Hello{}, ErrMalformed},
		"HTTP":                    {[]byte("GET / HTTP/1.1\r\n"), Hello{}, ErrNotTLS},
		"SSH":                     {[]byte("SSH-2.0-OpenSSH_9.2\r\n"), Hello{}, ErrNotTLS},
		"SMTP":                    {[]byte("EHLO x\r\n"), Hello{}, ErrNotTLS},
		"SSL 2":                   {[]byte{0x80, 0x2e, 1, 3, 1}, Hello{}, ErrNotTLS},
		"one wrong byte":          {[]byte{'G'}, Hello{}, ErrNotTLS},
		"a wrong version":         {[]byte{22, 2}, Hello{}, ErrNotTLS},
		"a version of the future": {[]byte{22, 3, 9}, Hello{}, ErrNotTLS},
		"an empty record":         {[]byte{22, 3, 1, 0, 0}, Hello{}, ErrMalformed},
		"a record too long":       {[]byte{22, 3, 1, 0x40, 1}, Hello{}, ErrMalformed},
		"another message":         {[]byte{22, 3, 1, 0, 9, 2}, Hello{}, ErrMalformed},
		"a message too long":      {wrap([]byte{1, 0xff, 0xff, 0xff}), Hello{}, ErrMalformed},
		"an alert in between":     {join(records(good, 20)[:25], []byte{21, 3, 3, 0, 2, 1, 0}), Hello{}, ErrMalformed},
		"an odd list of suites":   {cut(good, func(d []byte) { d[recordHeader+messageHeader+36]-- }), Hello{}, ErrMalformed},
		"a session id too long": {cut(good, func(d []byte) { d[recordHeader+messageHeader+34] = 33 }), Hello{},
			ErrMalformed},
		"no end in sight": {records(wrap(append([]byte{1, 0, 0x7f, 0}, make([]byte, MaxBytes)...)), 16000), Hello{},
			ErrMalformed},
		"no end, in tiny records": {records(wrap(append([]byte{1, 0, 0x7f, 0}, make([]byte, MaxBytes)...)), 1), Hello{},
			ErrMalformed},
		"a long name": {build(extension(0, names(strings.Repeat("a.", 500)+"test"))),
			Hello{ServerName: strings.Repeat("a.", 500) + "test"}, nil},
	} {
		if h, err := Parse(c.data); h != c.want || !errors.Is(err, c.err) {
			t.Errorf("%s: %+v, %v; want %+v, %v", name, h, err, c.want, c.err)
		}
	}
}

// Whatever is accepted stays the same when it is cut into other records, and names only printable
// ASCII.
func FuzzParse(f *testing.F) {
	f.Add(real(f, "api.example.com", "h2"))
	f.Add(records(real(f, "api.example.com"), 9))
	f.Add(build(extension(0, names("a.test", "b.test"))))
	f.Add([]byte("SSH-2.0-x\r\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		h, err := Parse(data)
		var need Incomplete
		switch {
		case errors.As(err, &need):
			if int(need) <= len(data) || int(need) > MaxBytes {
				t.Fatalf("asks for %d bytes with %d at hand", need, len(data))
			}
		case err == nil:
			message, _ := assemble(data)
			whole := []byte{clientHello, byte(len(message) >> 16), byte(len(message) >> 8), byte(len(message))}
			whole = append(whole, message...)
			if len(whole) <= maxRecord {
				if again, err := Parse(wrap(whole)); err != nil || again != h {
					t.Fatalf("%+v, then %+v, %v", h, again, err)
				}
			}
			if strings.Trim(h.ServerName,
				"!\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~") != "" {
				t.Fatalf("odd name %q", h.ServerName)
			}
		}
	})
}
