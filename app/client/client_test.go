package client

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
)

func TestDo(t *testing.T) {
	var seen *http.Request
	var body string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		seen, body = r, string(text)
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = io.WriteString(w, `{"error":{"code":"queue_full","message":"m","hint":"h","field":"f"}}`)
	}))
	defer server.Close()
	got, err := New(server.URL).Do(t.Context(),
		Request{Method: "POST", Path: "/execute?wait=1", Body: []byte(`{}`), Profile: app.NewSecret("ark_x"), Key: "k"})
	if err != nil {
		t.Fatal(err)
	}
	if seen.Method != "POST" || seen.URL.String() != "/execute?wait=1" || body != "{}" ||
		seen.Header.Get("Authorization") != "Bearer ark_x" ||
		seen.Header.Get("Idempotency-Key") != "k" || seen.Header.Get("Content-Type") != "application/json" {
		t.Errorf("sent %s %s %v %q", seen.Method, seen.URL, seen.Header, body)
	}
	if e := got.Refusal(); got.OK() || got.After != 7*time.Second || e.Code != app.CodeQueueFull || e.Message != "m" ||
		e.Hint != "h" || e.Field != "f" {
		t.Errorf("%+v, %v", got, e)
	}
}

// TestRedirectGetsNoProfile: a redirect must not send the token elsewhere.
func TestRedirectGetsNoProfile(t *testing.T) {
	elsewhere := httptest.NewServer(
		http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the redirect was followed") }))
	defer elsewhere.Close()
	server := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
	defer server.Close()
	got, err := New(server.URL).Do(t.Context(), Request{Method: "GET", Path: "/", Profile: app.NewSecret("ark_x")})
	if err != nil || got.OK() || !strings.Contains(got.Refusal().Message, "not Airlock's") {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestErrorsNameNoIDs: they are logged, and ids stand in paths.
func TestErrorsNameNoIDs(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	_, err := New(server.URL).Do(t.Context(), Request{Method: "GET", Path: "/executions/exec_secret"})
	if err == nil || strings.Contains(err.Error(), "exec_secret") || !strings.Contains(err.Error(), server.URL) {
		t.Error(err)
	}
}
