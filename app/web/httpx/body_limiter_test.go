package httpx

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
)

// TestLargeBodiesAreBounded: an address gets half of the places, small bodies need none, and all
// are given back.
func TestLargeBodiesAreBounded(t *testing.T) {
	t.Parallel()
	l := NewBodyLimiter(time.Millisecond)
	hold, ended := make(chan struct{}), make(chan error)
	send := func(address string, size int, handle echo.HandlerFunc) error {
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(strings.Repeat("x", size)))
		r.RemoteAddr = address + ":1"
		c := echo.New().NewContext(r, httptest.NewRecorder())
		return l.Middleware(func(*http.Request) bool { return false })(handle)(c)
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
