package swap

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/secrets"
)

const (
	secretA = `sk+live/51Hx"Q\zT=<9>&uV`
	secretB = "plain0123456789abcdefXYZ"
)

func placeholderOf(name string) string {
	sum := sha256.Sum256([]byte(name))
	return Placeholder(sum[:])
}

// everywhere are all places.
var everywhere = []app.Place{app.PlaceHeader, app.PlacePath, app.PlaceQuery, app.PlaceBody}

// testHeaders are those that the credentials of tests name.
var testHeaders = []string{"Authorization", "Cookie", "X", "X-1", "X-2", "X-3", "X-Api-Key", "X-Custom"}

func credential(key, value, host string, places ...app.Place) secrets.Resolved {
	h, err := app.ParseHost(host)
	if err != nil {
		panic(err)
	}
	return secrets.Resolved{Key: key, Placeholder: placeholderOf(key), Secret: app.NewSecret(value),
		Scope: secrets.Scope{Hosts: []app.Host{h}, Places: places, Headers: testHeaders}}
}

var (
	home    = Target{Host: "api.example.com", Port: 443, TLS: true}
	foreign = Target{Host: "evil.example.net", Port: 443, TLS: true}
)

// atHome has A, in all places, and B, in headers only, at home.
func atHome() *Swapper {
	return New([]secrets.Resolved{credential("A", secretA, home.Host, everywhere...), credential("B", secretB, home.Host)})
}

var phA, phB = placeholderOf("A"), placeholderOf("B")

func request(t testing.TB, method, url, body string, headers ...string) *http.Request {
	t.Helper()
	var reader io.Reader
	if body != "" {
		reader = strings.NewReader(body)
	}
	req, err := http.NewRequest(method, url, reader)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Add(headers[i], headers[i+1])
	}
	return req
}

func send(t testing.TB, s *Swapper, target Target, req *http.Request) (keys []string, body string, refusal *Refusal) {
	t.Helper()
	keys, err := s.FillRequest(target, req)
	var content []byte
	if err == nil && req.Body != nil {
		content, err = io.ReadAll(req.Body)
		if err == nil && req.ContentLength >= 0 && req.ContentLength != int64(len(content)) {
			t.Errorf("Content-Length is %d, the body has %d bytes", req.ContentLength, len(content))
		}
	}
	if err != nil && !errors.As(err, &refusal) {
		t.Fatalf("%T: %v", err, err)
	}
	return keys, string(content), refusal
}

func wire(t testing.TB, req *http.Request) string {
	t.Helper()
	out := req.Clone(t.Context())
	out.Body, out.ContentLength, out.TransferEncoding = nil, 0, nil
	var b bytes.Buffer
	if err := out.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func response(body string, headers ...string) *http.Response {
	resp := &http.Response{
		StatusCode: 200, Status: "200 OK", Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)),
		ContentLength: int64(len(body)),
	}
	for i := 0; i < len(headers); i += 2 {
		resp.Header.Add(headers[i], headers[i+1])
	}
	return resp
}

func receive(t testing.TB, s *Swapper, body string) string {
	t.Helper()
	resp := response(body)
	if err := s.MaskResponse(home, resp, nil); err != nil {
		t.Fatal(err)
	}
	out, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

type chunked struct {
	data  string
	sizes []int
	turn  int
}

func (c *chunked) Read(p []byte) (int, error) {
	if c.data == "" {
		return 0, io.EOF
	}
	n := min(c.sizes[c.turn%len(c.sizes)], len(p), len(c.data))
	c.turn++
	copy(p, c.data[:n])
	c.data = c.data[n:]
	return n, nil
}

func percent(text, safe, format, space string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		switch {
		case c == ' ':
			b.WriteString(space)
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte(safe, c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, format, c)
		}
	}
	return b.String()
}

// each writes all bytes in a format.
func each(text, format string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		fmt.Fprintf(&b, format, c)
	}
	return b.String()
}

func utf16Bytes(text string, big bool) string {
	var out []byte
	for _, u := range utf16.Encode([]rune(text)) {
		if big {
			u = u<<8 | u>>8
		}
		out = append(out, byte(u), byte(u>>8))
	}
	return string(out)
}
