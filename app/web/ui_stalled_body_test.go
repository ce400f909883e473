package web

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/views/paths"
)

// TestHoleAStalledBodyIsAnswered: a form whose rest never came was answered 200 with an empty page,
// because the same failed read ended the request's context, with which pages are made.
func TestHoleAStalledBodyIsAnswered(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	s.login()
	server := s.server.HTTPServer()
	toAnswer := server.WriteTimeout - server.ReadTimeout
	server.ReadTimeout, server.WriteTimeout = 300*time.Millisecond, 300*time.Millisecond+toAnswer
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	s.must(err)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	const plain, parts = "application/x-www-form-urlencoded", "multipart/form-data; boundary=b"
	file := "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.zip\"\r\n\r\nPK"
	for _, c := range []struct{ path, kind, begin, want string }{
		{paths.Login, plain, "name=Ada", "The form can&#39;t be read."},
		{paths.CredentialNew, plain, "name=A", "The form can&#39;t be read."},
		{paths.Skills, parts, file, "The request ended too early."},
		{"/profiles", "application/json", `{"description":`, "the body could not be read to its end"},
		{"/mcp", "application/json", `{"jsonrpc":`, "the body could not be read to its end"},
	} {
		conn, err := net.Dial("tcp", listener.Addr().String())
		s.must(err)
		defer conn.Close()
		k := s.cookie()
		_, err = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: a\r\nCookie: %s=%s\r\nContent-Type: %s\r\n"+
			"Content-Length: 1000\r\n\r\n%s", c.path, k.Name, k.Value, c.kind, c.begin)
		s.must(err)
		answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Errorf("%s: %v", c.path, err)
			continue
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		s.must(err)
		if answer.StatusCode < 400 || !strings.Contains(string(text), c.want) {
			t.Errorf("%s: %d %s", c.path, answer.StatusCode, text)
		}
	}
}
