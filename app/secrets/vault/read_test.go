//go:build vault

package vault

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/secrets/vault/vaulttest"
)

// standIn is something that answers in a Vault's place.
func standIn(t *testing.T, token string, answer http.HandlerFunc) *world {
	t.Helper()
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "lookup-self") {
			fmt.Fprint(w, `{"data":{"ttl":0,"renewable":false}}`)
			return
		}
		answer(w, r)
	}))
	t.Cleanup(front.Close)
	w := &world{t: t, log: &lockedLog{}}
	var err error
	if w.client, err = New(Config{Address: front.URL, Token: app.NewSecret(token), Log: logTo(w.log)}); err != nil {
		t.Fatal(err)
	}
	return w
}

// TestRedirectDoesNotTakeTheTokenElsewhere: api would follow a redirect to any host.
func TestRedirectDoesNotTakeTheTokenElsewhere(t *testing.T) {
	t.Parallel()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("it was asked for %s with the token %q", r.URL, r.Header.Get("X-Vault-Token"))
	}))
	defer elsewhere.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		w := standIn(t, "token-of-the-test-0123", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL+r.URL.Path, status)
		})
		w.refused("kv/a#x", app.CodeUnreachable, "only leads to another one")
	}
}

// TestAnswersThatAreNotVaults: a proxy's answer, or a token in it, reaches neither error nor log.
func TestAnswersThatAreNotVaults(t *testing.T) {
	t.Parallel()
	const token, page = "token-of-the-test-0123", "<html>you sent "
	for name, c := range map[string]struct {
		status int
		body   string
		reason string
		code   app.Code
	}{
		"a page": {200, page + token, "answer can't be read", app.CodeUnreachable},
		"a page that failed": {502, page + token + strings.Repeat("x", 1<<20), "failed with status 502",
			app.CodeUnreachable},
		"a page that forbids": {403, page + token, "denied permission", app.CodeForbidden},
		"a long refusal": {500, `{"errors":["no ` + token + strings.Repeat("x", 1<<20) + `"]}`, "failed with status 500",
			app.CodeUnreachable},
		"nothing":       {200, "", "nothing is stored", app.CodeMissingValue},
		"another shape": {200, `{"lease_id":7,"data":[]}`, "answer can't be read", app.CodeUnreachable},
		"a list":        {200, `[]`, "answer can't be read", app.CodeUnreachable},
		"deep":          {200, strings.Repeat(`{"data":`, 20_000), "answer can't be read", app.CodeUnreachable},
	} {
		w := standIn(t, token, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(c.status)
			fmt.Fprint(w, c.body)
		})
		w.refused("kv/a#x", c.code, c.reason)
		_, err := w.read("kv/a#x")
		if log := w.log.String(); strings.Contains(log+err.Error(), token) || strings.Contains(log, "html") ||
			len(log) > 8<<10 {
			t.Errorf("%s: %v, logged %s", name, err, app.Clip(log, 2000))
		}
	}
}

// TestPathThroughANamespaceIsNoWayToVaultsOwn: sys and auth are refused behind a namespace too.
func TestPathThroughANamespaceIsNoWayToVaultsOwn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(s *vaulttest.Server, cfg *Config) {
		s.Policy("wide", map[string]string{"*": "read"})
		cfg.Token = app.NewSecret(s.Token("1h", "wide"))
	})
	gate := newGate(t, w.server.URL)
	// the free edition has no namespaces
	front := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		r.URL.Path = strings.Replace(r.URL.Path, "/v1/team/", "/v1/", 1)
		gate.ServeHTTP(rw, r)
	}))
	defer front.Close()
	w.client.base.SetAddress(front.URL) //nolint:errcheck // a test server's address
	w.server.Put("a", map[string]any{"x": value})
	if got := w.mustRead("team/secret/data/a#x"); got != value {
		t.Errorf("read %q", got)
	}
	for _, text := range []string{"team/auth/token/lookup-self#id", "team/auth/token/lookup-self#accessor",
		"team/sys/policies/acl/wide#policy"} {
		w.refused(text, app.CodeForbidden, "Vault's own")
	}
}

// TestNobodyWaitsBehindALoginThatHangs: Health keeps its time limit during a hanging login.
func TestNobodyWaitsBehindALoginThatHangs(t *testing.T) {
	t.Parallel()
	asked, release := make(chan struct{}), make(chan struct{})
	front := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		close(asked)
		<-release
	}))
	defer front.Close()
	client, err := New(Config{Address: front.URL, Token: app.NewSecret("token-of-the-test-0123"), Timeout: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = client.session(t.Context())
	}()
	<-asked
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := client.session(ctx); app.CodeOf(err) != app.CodeUnreachable ||
		!strings.Contains(err.Error(), "did not answer") {
		t.Errorf("%v", err)
	}
	close(release)
	<-done
}
