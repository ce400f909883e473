package swap

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/computclaw/airlock/app"
)

// echoService repeats all that it gets: in its header, in its body as text, and in a trailer.
func echoService(t *testing.T) *httptest.Server {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		w.Header().Set("X-Echo", r.Header.Get("Authorization"))
		w.Header().Set("Trailer", "X-Sum")
		fmt.Fprintf(w, "%s %d %q ", r.RequestURI, r.ContentLength, r.Header.Get("Authorization"))
		_, _ = w.Write(body)
		w.Header().Set("X-Sum", r.Header.Get("Authorization"))
	}))
	t.Cleanup(server.Close)
	return server
}

// exchange sends a request through a Swapper to a real server.
func exchange(s *Swapper, req *http.Request) (*http.Response, string, error) {
	if _, err := s.Outgoing(home, req); err != nil {
		return nil, "", err
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		return nil, "", err
	}
	defer resp.Body.Close()
	if err := s.Incoming(home, resp, nil); err != nil {
		return nil, "", err
	}
	body, err := io.ReadAll(resp.Body)
	return resp, string(body), err
}

// One Swapper serves many connections at once.
func TestRealExchange(t *testing.T) {
	server, s := echoService(t), atHome()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			req := request(t, "POST", server.URL+"/x?k="+phA, `{"k":"`+phA+`"}`, "Authorization", "Bearer "+phB, "Content-Type",
				"application/json")
			resp, body, err := exchange(s, req)
			if err != nil {
				t.Error(err)
				return
			}
			sent := len(`{"k":"`) + len(quoteJSON(secretA)) + len(`"}`)
			want := fmt.Sprintf(`/x?k=%s %d "Bearer %s" {"k":"%s"}`, phA, sent, phB, phA)
			if body != want || resp.Header.Get("X-Echo") != "Bearer "+phB || resp.Trailer.Get("X-Sum") != "Bearer "+phB {
				t.Errorf("%q, want %q; %v, %v", body, want, resp.Header, resp.Trailer)
			}
		})
	}
	all.Wait()
}

// A transport passes on the Refusal of a body that is searched while it is sent.
func TestRealRefusal(t *testing.T) {
	server, s := echoService(t), atHome()
	for _, fill := range []int{0, app.MaxSwappedBody, 3 * app.MaxSwappedBody} {
		for _, placeholder := range []string{phA, phB, placeholderOf("old")} {
			req := request(t, "POST", server.URL, strings.Repeat("x", fill)+placeholder)
			_, body, err := exchange(s, req)
			var refusal *Refusal
			if fill == 0 && placeholder == phA {
				if err != nil || strings.Contains(body, secretA) {
					t.Errorf("%v, %q", err, body)
				}
			} else if !errors.As(err, &refusal) {
				t.Errorf("%d: %v", fill, err)
			}
		}
	}
}

func TestSwapperIsNotPrinted(t *testing.T) {
	s := atHome()
	s.values.compile()
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Info("m", "s", s)
	for _, printed := range []string{fmt.Sprint(s), fmt.Sprintf("%+v %#v %s %q %x %p", s, s, s, s, s, s),
		fmt.Sprintf("%v", struct{ S *Swapper }{s}), log.String()} {
		if strings.Contains(printed, secretA) || strings.Contains(printed, secretB) || strings.Contains(printed, Prefix) ||
			strings.Contains(printed, "0123456789") {
			t.Error(printed)
		}
	}
}
