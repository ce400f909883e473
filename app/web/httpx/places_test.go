package httpx

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
)

// TestLargeAnswersAreBounded: a profile's slow readers get half of the places; small answers need
// none.
func TestLargeAnswersAreBounded(t *testing.T) {
	t.Parallel()
	l := NewAnswerPlaces(time.Millisecond, 0)
	answer := func(w http.ResponseWriter, profile string, small bool, size int) error {
		c := echo.New().NewContext(httptest.NewRequest(http.MethodGet, "/", nil), w)
		return l.JSON(c, profile, small, func() (any, error) {
			if size < 0 {
				return nil, errors.New("can't be built")
			}
			return strings.Repeat("x", size), nil
		})
	}
	slow, ended := &slowWriter{httptest.NewRecorder(), make(chan struct{})}, make(chan error)
	for range 2 * largeAnswers {
		go func() { ended <- answer(slow, "greedy", false, 2*smallAnswer) }()
	}
	for range 2*largeAnswers - largeAnswers/2 {
		if err := <-ended; !errors.Is(err, ErrAnswers) {
			t.Errorf("one too many: %v", err)
		}
	}
	if n := l.Taken(); n != largeAnswers/2 {
		t.Errorf("a profile has %d places", n)
	}
	if err := answer(httptest.NewRecorder(), "greedy", true, 100); err != nil {
		t.Errorf("a small answer: %v", err)
	}
	if err := answer(httptest.NewRecorder(), "modest", false, 2*smallAnswer); err != nil {
		t.Errorf("another profile: %v", err)
	}
	if err := answer(httptest.NewRecorder(), "modest", false, -1); err == nil || errors.Is(err, ErrAnswers) {
		t.Errorf("one that can't be built: %v", err)
	}
	go func() { ended <- answer(slow, "modest", false, 100) }()
	for deadline := time.Now().Add(time.Minute); l.Taken() != largeAnswers/2 && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	if n := l.Taken(); n != largeAnswers/2 {
		t.Errorf("%d places are taken while one that turned out to be small is read", n)
	}
	close(slow.hold)
	for range largeAnswers/2 + 1 {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	if n := l.Taken(); n != 0 {
		t.Errorf("%d places are left", n)
	}
}

// slowWriter blocks until hold is closed. It is for one header only.
type slowWriter struct {
	*httptest.ResponseRecorder
	hold chan struct{}
}

func (w *slowWriter) Header() http.Header { return http.Header{} }
func (w *slowWriter) WriteHeader(int)     {}
func (w *slowWriter) Write(p []byte) (int, error) {
	<-w.hold
	return len(p), nil
}

// TestSlowReadersAreDropped, also those that still owe the rest of a request.
func TestSlowReadersAreDropped(t *testing.T) {
	t.Parallel()
	for what, owed := range map[string]string{"takes nothing": "", "owes a body": "Content-Length: 1\r\n"} {
		l := NewAnswerPlaces(0, time.Millisecond)
		e := echo.New()
		e.GET("/", func(c echo.Context) error {
			return l.JSON(c, "", false, func() (any, error) { return strings.Repeat("x", smallAnswer), nil })
		})
		server := httptest.NewUnstartedServer(e)
		server.Listener = narrow{server.Listener}
		server.Start()
		defer server.Close()
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if err := conn.(*net.TCPConn).SetReadBuffer(1 << 10); err != nil {
			t.Fatal(err)
		}
		if _, err := fmt.Fprintf(conn, "GET / HTTP/1.1\r\nHost: a\r\n%s\r\n", owed); err != nil {
			t.Fatal(err)
		}
		for l.Taken() == 0 {
			time.Sleep(time.Millisecond)
		}
		for deadline := time.Now().Add(20 * time.Second); l.Taken() != 0; time.Sleep(10 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("a reader who %s keeps its place", what)
			}
		}
		answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			continue
		}
		defer answer.Body.Close()
		if text, err := io.ReadAll(answer.Body); err == nil && len(text) > smallAnswer {
			t.Errorf("a reader who %s got the whole answer", what)
		}
	}
}

// narrow is a listener with small send buffers.
type narrow struct{ net.Listener }

func (n narrow) Accept() (net.Conn, error) {
	conn, err := n.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return conn, conn.(*net.TCPConn).SetWriteBuffer(1 << 10)
}

// TestCarriedAnswers: of several large answers inside one, only the last holds a place.
func TestCarriedAnswers(t *testing.T) {
	t.Parallel()
	l := NewAnswerPlaces(time.Millisecond, 0)
	outer, end := CarryRequests(context.Background())
	ask := func() {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r = r.WithContext(LinkCarrier(r.Context(), outer))
		c := echo.New().NewContext(r, httptest.NewRecorder())
		if err := l.JSON(c, "", false, func() (any, error) { return strings.Repeat("x", smallAnswer), nil }); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 * largeAnswers {
		ask()
		if n := l.Taken(); n != 1 {
			t.Fatalf("%d places are taken", n)
		}
	}
	end()
	ask() // a late answer holds its place until written
	if n := l.Taken(); n != 0 {
		t.Errorf("%d places are left", n)
	}
}

// TestLargeBodiesAreBounded: an address gets half of the places, small bodies need none, and all
// are given back.
func TestLargeBodiesAreBounded(t *testing.T) {
	t.Parallel()
	l := NewBodyPlaces(time.Millisecond)
	hold, ended := make(chan struct{}), make(chan error)
	send := func(address string, size int, handle echo.HandlerFunc) error {
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(strings.Repeat("x", size)))
		r.RemoteAddr = address + ":1"
		c := echo.New().NewContext(r, httptest.NewRecorder())
		return l.LimitBodies(func(*http.Request) bool { return false })(handle)(c)
	}
	read := func(c echo.Context) error {
		_, err := io.Copy(io.Discard, c.Request().Body)
		return err
	}
	for range 2 * largeBodies {
		go func() {
			ended <- send("192.0.2.1", SmallBody+1, func(c echo.Context) error {
				if err := read(c); err != nil {
					return err
				}
				<-hold
				return nil
			})
		}()
	}
	for range 2*largeBodies - largeBodies/2 {
		if err := <-ended; !errors.Is(err, ErrBodies) {
			t.Errorf("one too many: %v", err)
		}
	}
	if n := l.Taken(); n != largeBodies/2 {
		t.Errorf("an address has %d places", n)
	}
	if err := send("192.0.2.1", SmallBody, read); err != nil {
		t.Errorf("a small body: %v", err)
	}
	if err := send("192.0.2.2", app.MaxBody, read); err != nil {
		t.Errorf("another address: %v", err)
	}
	if err := send("192.0.2.2", app.MaxBody+1, read); !errors.As(err, new(*http.MaxBytesError)) {
		t.Errorf("a body over the limit: %v", err)
	}
	release := func(c echo.Context) error {
		before := l.Taken()
		if err := read(c); err != nil || l.Taken() != before+1 {
			return errors.New("it has no place")
		}
		ReleaseBody(c)
		if l.Taken() != before {
			return errors.New("it still has its place")
		}
		return nil
	}
	if err := send("192.0.2.2", app.MaxBody, release); err != nil {
		t.Error(err)
	}
	close(hold)
	for range largeBodies / 2 {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	if n := l.Taken(); n != 0 {
		t.Errorf("%d places are left", n)
	}
}
