package web

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// A client that sends its whole request before it reads gets the answer, also where nothing reads the
// body: closing with unread bytes would reset the connection.
func TestALargeBodyThatNothingReadsIsAnswered(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const size = 2 << 20
	for path, want := range map[string]int{"/nothing/here": http.StatusNotFound, "/ui/nothing": http.StatusSeeOther} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(w.server.URL, "http://"))
		w.must(err)
		defer conn.Close()
		w.must(conn.SetDeadline(time.Now().Add(30 * time.Second)))
		_, err = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: airlock\r\nContent-Length: %d\r\n\r\n", path, size)
		w.must(err)
		if _, err := conn.Write(make([]byte, size)); err != nil {
			t.Errorf("%s: the body was not taken: %v", path, err)
			continue
		}
		time.Sleep(200 * time.Millisecond) // a reset would overtake the answer
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("%s: status %d, want %d", path, resp.StatusCode, want)
		}
	}
}
