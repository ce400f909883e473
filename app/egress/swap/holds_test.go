package swap

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/secrets"
)

func bodied(ctx context.Context, t *testing.T, body string) *http.Request {
	t.Helper()
	return request(t, "POST", "https://api.example.com/", body, "Content-Type", "text/plain").WithContext(ctx)
}

// An execution holds at most MaxHolds bodies, also with narrowed credentials. The next waits for
// one, or its execution's end.
func TestHeldBodiesAreCapped(t *testing.T) {
	c := credential("A", secretA, home.Host)
	c.Places = []app.Place{app.PlaceHeader, app.PlaceBody}
	s := New([]secrets.Resolved{c})
	large := strings.Repeat("x", app.MaxSwappedBody+1)
	for name, end := range map[string]func(*http.Request){
		"closed": func(r *http.Request) { _ = r.Body.Close() },
		"read":   func(r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) },
		"both":   func(r *http.Request) { _, _ = io.Copy(io.Discard, r.Body); _ = r.Body.Close(); _ = r.Body.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			var open []*http.Request
			for i := range MaxHolds {
				r := bodied(t.Context(), t, []string{phA, "no placeholder", large}[i%3])
				if _, err := s.FillRequest(home, r); err != nil {
					t.Fatal(err)
				}
				open = append(open, r)
			}
			over, cancel := context.WithCancel(t.Context())
			cancel()
			if _, err := s.Restrict([]secrets.Resolved{c}).FillRequest(home, bodied(over, t, phA)); err == nil {
				t.Fatal("one more was held")
			}
			waiting := make(chan error)
			next := bodied(t.Context(), t, phA)
			go func() {
				_, err := s.FillRequest(home, next)
				waiting <- err
			}()
			for _, r := range append(open, nil) {
				if r != nil {
					end(r)
				}
			}
			if err := <-waiting; err != nil {
				t.Fatal(err)
			}
			end(next)
			if len(s.holds) != 0 {
				t.Errorf("%d places are still taken", len(s.holds))
			}
		})
	}
	refused := bodied(t.Context(), t, strings.ToUpper(phA))
	if _, err := s.FillRequest(home, refused); err == nil || len(s.holds) != 0 {
		t.Errorf("a refused body: %v, %d places are taken", err, len(s.holds))
	}
	if _, err := s.FillRequest(home, bodied(t.Context(), t, "")); err != nil || len(s.holds) != 0 {
		t.Errorf("an empty body: %v, %d places are taken", err, len(s.holds))
	}
}
