package web

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

// TestABodyThatBreaksOffIsTheClientsFault on each path that takes one which is not JSON.
func TestABodyThatBreaksOffIsTheClientsFault(t *testing.T) {
	w := newWorld(t)
	p := w.lockedProfile()
	for _, path := range []string{"/files?name=a.csv", "/skills"} {
		conn, err := net.Dial("tcp", w.server.Listener.Addr().String())
		w.must(err)
		defer conn.Close()
		_, err = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer %s\r\n"+
			"Content-Type: application/zip\r\nContent-Length: 1000\r\n\r\nhalf of it", path, p.ID)
		w.must(err)
		w.must(conn.(*net.TCPConn).CloseWrite())
		answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
		w.must(err)
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		w.must(err)
		if answer.StatusCode != http.StatusBadRequest || !strings.Contains(string(text), "could not be read to its end") {
			t.Errorf("%s: %d %s", path, answer.StatusCode, text)
		}
	}
}
