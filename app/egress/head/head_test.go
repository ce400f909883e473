package head

import (
	"bufio"
	"bytes"
	"errors"
	"net/http"
	"strings"
	"testing"
)

var to = Authority{Name: "a.test", Port: 443}

// judge reads a request as a connection would.
func judge(text string) error {
	n, err := End([]byte(text), 0)
	if err != nil {
		return err
	}
	if n == 0 {
		return errors.New("incomplete")
	}
	return Check([]byte(text)[:n], to)
}

const host = "Host: a.test\r\n"

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		name, text string
		kind       Kind // 0: passes
	}{
		{"plain", "GET / HTTP/1.1\r\n" + host + "\r\n", 0},
		{"with port", "GET / HTTP/1.1\r\nHost: a.test:443\r\n\r\n", 0},
		{"case and dot", "GET / HTTP/1.1\r\nhost: A.TEST.\r\n\r\n", 0},
		{"HTTP/1.0", "GET / HTTP/1.0\r\n" + host + "\r\n", 0},
		{"query", "GET /a?b=c|d&e=%20 HTTP/1.1\r\n" + host + "\r\n", 0},
		{"two slashes", "GET //b.test/x HTTP/1.1\r\n" + host + "\r\n", 0},
		{"server-wide", "OPTIONS * HTTP/1.1\r\n" + host + "\r\n", 0},
		{"length", "POST / HTTP/1.1\r\n" + host + "Content-Length: 5\r\n\r\nhello", 0},
		{"chunked", "POST / HTTP/1.1\r\n" + host + "transfer-encoding: Chunked\r\n\r\n0\r\n\r\n", 0},
		{"expectation", "PUT / HTTP/1.1\r\n" + host + "Expect: 100-Continue\r\nContent-Length: 1\r\n\r\n", 0},
		{"high bytes in a value", "GET / HTTP/1.1\r\n" + host + "X: \xc3\xa4\tb\r\n\r\n", 0},
		{"empty value", "GET / HTTP/1.1\r\n" + host + "X:\r\n\r\n", 0},
		{"underscore", "GET / HTTP/1.1\r\n" + host + "api_key: x\r\n\r\n", 0},

		{"bare LF", "GET / HTTP/1.1\nHost: a.test\n\n", Malformed},
		{"one bare LF", "GET / HTTP/1.1\r\n" + host + "X: y\nContent-Length: 3\r\n\r\n", Malformed},
		{"bare CR", "GET / HTTP/1.1\r\n" + host + "X: y\rZ: w\r\n\r\n", Malformed},
		{"two CRs", "GET / HTTP/1.1\r\r\n" + host + "\r\n", Malformed},
		{"NUL", "GET / HTTP/1.1\r\n" + host + "X: \x00\r\n\r\n", Malformed},
		{"empty line first", "\r\nGET / HTTP/1.1\r\n" + host + "\r\n", Malformed},
		{"folded", "GET / HTTP/1.1\r\n" + host + "X: y\r\n z\r\n\r\n", Malformed},
		{"folded with a tab", "GET / HTTP/1.1\r\n" + host + "X: y\r\n\tz\r\n\r\n", Malformed},
		{"folded Host", "GET / HTTP/1.1\r\nHost:\r\n a.test\r\n\r\n", WrongHost},
		{"space before the colon", "GET / HTTP/1.1\r\nHost : a.test\r\n\r\n", Malformed},
		{"space first", "GET / HTTP/1.1\r\n Host: a.test\r\n\r\n", Malformed},
		{"tab in a name", "GET / HTTP/1.1\r\n" + host + "Transfer-Encoding\t: chunked\r\n\r\n", Malformed},
		{"empty name", "GET / HTTP/1.1\r\n" + host + ": x\r\n\r\n", Malformed},
		{"no colon", "GET / HTTP/1.1\r\n" + host + "X\r\n\r\n", Malformed},
		{"high byte in a name", "GET / HTTP/1.1\r\n" + host + "X\xc3\xa4: y\r\n\r\n", Malformed},
		{"control in a value", "GET / HTTP/1.1\r\n" + host + "X: \x0b\r\n\r\n", Malformed},
		{"DEL in a value", "GET / HTTP/1.1\r\n" + host + "X: \x7f\r\n\r\n", Malformed},
		{"length and chunked", "POST / HTTP/1.1\r\n" + host + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
			Malformed},
		{"chunked and length", "POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n",
			Malformed},
		{"two equal lengths", "POST / HTTP/1.1\r\n" + host + "Content-Length: 5\r\nContent-Length: 5\r\n\r\n", Malformed},
		{"two lengths", "POST / HTTP/1.1\r\n" + host + "Content-Length: 5\r\nContent-Length: 6\r\n\r\n", Malformed},
		{"a list of lengths", "POST / HTTP/1.1\r\n" + host + "Content-Length: 5, 5\r\n\r\n", Malformed},
		{"signed length", "POST / HTTP/1.1\r\n" + host + "Content-Length: +5\r\n\r\n", Malformed},
		{"negative length", "POST / HTTP/1.1\r\n" + host + "Content-Length: -5\r\n\r\n", Malformed},
		{"hex length", "POST / HTTP/1.1\r\n" + host + "Content-Length: 0x5\r\n\r\n", Malformed},
		{"length with a space", "POST / HTTP/1.1\r\n" + host + "Content-Length: 1 0\r\n\r\n", Malformed},
		{"empty length", "POST / HTTP/1.1\r\n" + host + "Content-Length:\r\n\r\n", Malformed},
		{"huge length", "POST / HTTP/1.1\r\n" + host + "Content-Length: 18446744073709551616\r\n\r\n", Malformed},
		{"length by another name", "POST / HTTP/1.1\r\n" + host + "Content_Length: 5\r\n\r\n", Malformed},
		{"coding by another name", "POST / HTTP/1.1\r\n" + host + "Transfer_Encoding: chunked\r\n\r\n", Malformed},
		{"Host by another name", "GET / HTTP/1.1\r\n" + host + "HOST_: x\r\n\r\n", 0},
		{"gzip, chunked", "POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: gzip, chunked\r\n\r\n", Malformed},
		{"identity", "POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: identity\r\n\r\n", Malformed},
		{"xchunked", "POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: xchunked\r\n\r\n", Malformed},
		{"chunked twice", "POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
			Malformed},
		{"chunked in HTTP/1.0", "POST / HTTP/1.0\r\n" + host + "Transfer-Encoding: chunked\r\n\r\n", Malformed},
		{"no Host", "GET / HTTP/1.1\r\nX: y\r\n\r\n", Malformed},
		{"no header at all", "GET / HTTP/1.0\r\n\r\n", Malformed},
		{"two Hosts", "GET / HTTP/1.1\r\n" + host + host + "\r\n", Malformed},
		{"another host", "GET / HTTP/1.1\r\nHost: evil.test\r\n\r\n", WrongHost},
		{"another port", "GET / HTTP/1.1\r\nHost: a.test:80\r\n\r\n", WrongHost},
		{"an empty port", "GET / HTTP/1.1\r\nHost: a.test:\r\n\r\n", WrongHost},
		{"a subdomain", "GET / HTTP/1.1\r\nHost: b.a.test\r\n\r\n", WrongHost},
		{"user in Host", "GET / HTTP/1.1\r\nHost: x@a.test\r\n\r\n", WrongHost},
		{"two names in Host", "GET / HTTP/1.1\r\nHost: a.test, evil.test\r\n\r\n", WrongHost},
		{"path in Host", "GET / HTTP/1.1\r\nHost: a.test/x\r\n\r\n", WrongHost},
		{"empty Host", "GET / HTTP/1.1\r\nHost:\r\n\r\n", WrongHost},
		{"absolute form", "GET http://evil.test/ HTTP/1.1\r\n" + host + "\r\n", Absolute},
		{"absolute form, same host", "GET https://a.test/ HTTP/1.1\r\n" + host + "\r\n", Absolute},
		{"file", "GET file:///etc/passwd HTTP/1.1\r\n" + host + "\r\n", Absolute},
		{"authority form", "GET evil.test:443 HTTP/1.1\r\n" + host + "\r\n", Absolute},
		{"asterisk", "GET * HTTP/1.1\r\n" + host + "\r\n", Malformed},
		{"fragment", "GET /#x HTTP/1.1\r\n" + host + "\r\n", Malformed},
		{"space in the target", "GET /a b HTTP/1.1\r\n" + host + "\r\n", Malformed},
		{"tab in the target", "GET /a\tb HTTP/1.1\r\n" + host + "\r\n", Malformed},
		{"high byte in the target", "GET /\xc3\xa4 HTTP/1.1\r\n" + host + "\r\n", Malformed},
		{"two spaces", "GET  / HTTP/1.1\r\n" + host + "\r\n", Malformed},
		{"HTTP/0.9", "GET /\r\n\r\n", Malformed},
		{"lower case version", "GET / http/1.1\r\n" + host + "\r\n", Malformed},
		{"space after the version", "GET / HTTP/1.1 \r\n" + host + "\r\n", Malformed},
		{"HTTP/1.2", "GET / HTTP/1.2\r\n" + host + "\r\n", Version},
		{"HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", Version},
		{"odd method", "GE(T / HTTP/1.1\r\n" + host + "\r\n", Malformed},
		{"CONNECT", "CONNECT evil.test:443 HTTP/1.1\r\n" + host + "\r\n", Method},
		{"connect", "connect evil.test:443 HTTP/1.1\r\n" + host + "\r\n", Method},
		{"TRACE", "TRACE / HTTP/1.1\r\n" + host + "\r\n", Method},
		{"WebSocket", "GET / HTTP/1.1\r\n" + host + "Upgrade: websocket\r\nConnection: Upgrade\r\n\r\n", Upgrade},
		{"h2c and more", "GET / HTTP/1.1\r\n" + host + "Upgrade: h2c, websocket\r\n\r\n", Upgrade},
		{"more and h2c", "GET / HTTP/1.1\r\n" + host + "Upgrade: websocket\r\nUpgrade: h2c\r\n\r\n", Upgrade},
		{"TLS upgrade", "OPTIONS * HTTP/1.1\r\n" + host + "Upgrade: TLS/1.0\r\n\r\n", Upgrade},
		{"another expectation", "GET / HTTP/1.1\r\n" + host + "Expect: 200-ok\r\n\r\n", Expect},
		{"many fields", "GET / HTTP/1.1\r\n" + host + strings.Repeat("X: y\r\n", MaxFields) + "\r\n", TooLarge},
		{"long head", "GET / HTTP/1.1\r\n" + host + "X: " + strings.Repeat("y", MaxBytes) + "\r\n\r\n", TooLarge},
		{"no end", "GET / HTTP/1.1\r\n" + host + "X: " + strings.Repeat("y", MaxBytes), TooLarge},
	} {
		err := judge(c.text)
		var v *Violation
		switch {
		case c.kind == 0 && err != nil:
			t.Errorf("%s: refused: %v", c.name, err)
		case c.kind != 0 && (!errors.As(err, &v) || v.Kind != c.kind):
			t.Errorf("%s: %#v, want kind %d", c.name, err, c.kind)
		}
	}
}

func TestHostsThatAreAddresses(t *testing.T) {
	for _, c := range []struct {
		to    Authority
		value string
		ok    bool
	}{
		{Authority{"2a00:1450::1", 443}, "[2a00:1450::1]", true},
		{Authority{"2a00:1450::1", 443}, "[2a00:1450:0::1]:443", true},
		{Authority{"2a00:1450::1", 443}, "[2a00:1450::2]", false},
		{Authority{"2a00:1450::1", 443}, "2a00:1450::1", false},
		{Authority{"2a00:1450::1", 443}, "[2a00:1450::1", false},
		{Authority{"2a00:1450::1", 443}, "[2a00:1450::1]x:443", false},
		{Authority{"93.184.215.14", 80}, "93.184.215.14", true},
		{Authority{"93.184.215.14", 80}, "[::ffff:93.184.215.14]", false},
		{Authority{"93.184.215.14", 80}, "93.184.215.14:8080", false},
	} {
		if err := checkHost(c.value, c.to); (err == nil) != c.ok {
			t.Errorf("%s for %v: %v", c.value, c.to, err)
		}
	}
}

// The end of a head is found wherever its bytes are cut.
func TestEndInPieces(t *testing.T) {
	text := []byte("GET / HTTP/1.1\r\n" + host + "\r\nGET /")
	want := len(text) - len("GET /")
	for cut := range want {
		if n, err := End(text[:cut], 0); n != 0 || err != nil {
			t.Fatalf("after %d bytes: %d, %v", cut, n, err)
		}
		if n, err := End(text, cut); n != want || err != nil {
			t.Fatalf("from %d: %d, %v", cut, n, err)
		}
	}
}

// Go's parser agrees on passed heads: the same length, host and framing.
func FuzzCheck(f *testing.F) {
	for _, text := range []string{
		"GET / HTTP/1.1\r\nHost: a.test\r\n\r\n", "POST /x?y HTTP/1.0\r\nHost: a.test:443\r\nContent-Length: 3\r\n\r\nabc",
		"POST / HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: a.test\r\nX: y\r\n z\r\n\r\n",
		"OPTIONS * HTTP/1.1\r\nHost: a.test\r\n\r\n", "GET //evil.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		n, err := End(data, 0)
		if err != nil || n == 0 || Check(data[:n], to) != nil {
			return
		}
		source := bytes.NewReader(data[:n])
		reader := bufio.NewReaderSize(source, MaxBytes)
		r, err := http.ReadRequest(reader)
		if err != nil {
			if strings.Contains(err.Error(), "invalid URL escape") || strings.Contains(err.Error(), "parse ") {
				return // Go refuses some escapes that we leave to it
			}
			t.Fatalf("Go refuses %q: %v", data[:n], err)
		}
		if name := strings.TrimSuffix(strings.ToLower(r.Host), "."); name != "a.test" && name != "a.test:443" &&
			name != "a.test.:443" {
			t.Fatalf("host %q", r.Host)
		}
		if reader.Buffered()+source.Len() != 0 || len(r.TransferEncoding) > 1 ||
			(len(r.TransferEncoding) == 1 && r.ContentLength >= 0) {
			t.Fatalf("%q: %d bytes left, framing %v %d", data[:n], reader.Buffered(), r.TransferEncoding, r.ContentLength)
		}
	})
}
