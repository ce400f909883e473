package web

import (
	"crypto/rand"
	"fmt"
	"net"
	"net/http"
	"testing"
	"time"
)

// TestHoleSlowReadersHoldNoPlace: two readers that took a skill bit by bit, each bit in time, held both places
// in which skills are read, and everybody was refused until they were dropped. They still are dropped.
func TestHoleSlowReadersHoldNoPlace(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p, large := w.lockedProfile(), make([]byte, 1<<19)
	_, _ = rand.Read(large)
	a := w.call("POST", "/skills", zipped(t, map[string]string{"SKILL.md": totals, "main.py": "", "large.bin": string(large)}),
		bearerOf(p), "Content-Type: application/zip")
	if a.status != http.StatusCreated {
		t.Fatalf("%d %s", a.status, a.text)
	}
	address := w.hurriedBy(4 * time.Second) // far more than it takes
	taken := make(chan int, 2)
	for range cap(taken) {
		conn, err := net.Dial("tcp", address.String())
		w.must(err)
		defer conn.Close()
		w.must(conn.(*net.TCPConn).SetReadBuffer(16 << 10))
		_, err = fmt.Fprintf(conn, "GET /skills/totals/bundle.zip HTTP/1.1\r\nHost: a\r\n%s\r\n\r\n", bearerOf(p))
		w.must(err)
		_, err = conn.Read(make([]byte, 1)) // it is being answered
		w.must(err)
		go func() {
			total := 0
			for piece := make([]byte, 4<<10); err == nil; time.Sleep(400 * time.Millisecond) {
				var n int
				n, err = conn.Read(piece)
				total += n
			}
			taken <- total
		}()
	}
	bundle := func() int { return w.call("GET", "/skills/totals/bundle.zip", "", bearerOf(p)).status }
	if got := bundle(); got != http.StatusOK {
		t.Errorf("the same profile, meanwhile: %d", got)
	}
	for range cap(taken) {
		if n := <-taken; n >= len(large) {
			t.Errorf("a slow reader took all %d bytes", n)
		}
	}
}
