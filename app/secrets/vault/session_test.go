//go:build vault

package vault

import (
	"context"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/vault/api"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/secrets/vault/vaulttest"
)

// eventually waits until something holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for !holds() {
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			t.Fatalf("it never came about: %s", what)
		}
	}
}

func (w *world) start() {
	w.client.Start(w.t.Context())
	w.t.Cleanup(func() { _ = w.client.Close(context.Background()) })
}

// byRole logs in by AppRole, with tokens that live for ttl.
func byRole(ttl string) func(*vaulttest.Server, *Config) {
	return func(s *vaulttest.Server, cfg *Config) {
		role, secret := s.Role("airlock", ttl, reader(s))
		cfg.Token, cfg.RoleID, cfg.SecretID = app.Secret{}, role, app.NewSecret(secret)
	}
}

func TestTokenRevoked(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.server.Put("a", map[string]any{"x": value})
	w.mustRead("secret/data/a#x")
	w.server.Revoke(w.client.cfg.Token.Reveal())
	w.refused("secret/data/a#x", app.CodeUnreachable, "doesn't accept Airlock's token any more")
	if h := w.client.Health(t.Context()); !strings.Contains(h.Problem, "doesn't accept Airlock's token") || h.LoggedIn {
		t.Errorf("health %+v", h)
	}
}

// TestRevokedRoleTokenIsReplaced: AppRole logs in again within the failing read.
func TestRevokedRoleTokenIsReplaced(t *testing.T) {
	t.Parallel()
	w := newWorld(t, byRole("1h"))
	w.server.Put("a", map[string]any{"x": value})
	w.mustRead("secret/data/a#x")
	first := w.client.current().token.Reveal()
	w.server.Revoke(first)
	if got := w.mustRead("secret/data/a#x"); got != value {
		t.Errorf("read %q", got)
	}
	if w.client.current().token.Reveal() == first {
		t.Error("the token is the same")
	}
}

// TestExpiredTokenIsReplaced: an expired token is no error if another can be had.
func TestExpiredTokenIsReplaced(t *testing.T) {
	t.Parallel()
	w := newWorld(t, byRole("4s"), func(s *vaulttest.Server, _ *Config) {
		s.Write("auth/approle/role/airlock",
			map[string]any{"token_policies": []string{"reader"}, "token_ttl": "4s", "token_max_ttl": "4s"})
	})
	w.server.Put("a", map[string]any{"x": value})
	gate := newGate(t, w.server.URL)
	front := httptest.NewServer(gate)
	defer front.Close()
	w.client.base.SetAddress(front.URL) //nolint:errcheck // a test server's address
	w.start()
	tokens := map[string]bool{}
	eventually(t, "three tokens, one after the other", func() bool {
		if s := w.client.current(); s != nil {
			tokens[s.token.Reveal()] = true
		}
		if got := w.mustRead("secret/data/a#x"); got != value {
			t.Fatalf("read %q", got)
		}
		return len(tokens) >= 3
	})
	if renewals, logins := gate.count("auth/token/renew-self"), gate.count("auth/approle/login"); renewals+logins > 20 {
		t.Errorf("%d renewals and %d logins for %d tokens", renewals, logins, len(tokens))
	}
}

// TestTokenIsRenewed: renewal keeps one token alive far beyond its time.
func TestTokenIsRenewed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(s *vaulttest.Server, cfg *Config) { cfg.Token = app.NewSecret(s.Token("3s", reader(s))) })
	w.server.Put("a", map[string]any{"x": value})
	w.start()
	began := time.Now()
	eventually(t, "the token lives on", func() bool {
		if got := w.mustRead("secret/data/a#x"); got != value {
			t.Fatalf("read %q", got)
		}
		return time.Since(began) > 7*time.Second
	})
	if h := w.client.Health(t.Context()); !h.LoggedIn || !h.Renewable || h.Expires.Before(time.Now()) || h.Problem != "" ||
		h.Method != "token" {
		t.Errorf("health %+v", h)
	}
}

// TestTokenFileIsFollowed: a new token in the file replaces an invalid one at once.
func TestTokenFileIsFollowed(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "sink")
	put := func(token string) {
		if err := os.WriteFile(file+".new", []byte(token+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(file+".new", file); err != nil {
			t.Fatal(err)
		}
	}
	w := newWorld(t, func(s *vaulttest.Server, cfg *Config) {
		put(cfg.Token.Reveal())
		cfg.Token, cfg.TokenFile = app.Secret{}, file
	})
	w.server.Put("a", map[string]any{"x": value})
	w.mustRead("secret/data/a#x")
	old := w.client.current().token.Reveal()
	put(w.server.Token("1h", "reader"))
	w.server.Revoke(old)
	if got := w.mustRead("secret/data/a#x"); got != value || w.client.current().token.Reveal() == old {
		t.Errorf("read %q", got)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	w.server.Revoke(w.client.current().token.Reveal())
	w.refused("secret/data/a#x", app.CodeUnreachable, "can't be read from its file")
}

func TestRoleIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, byRole("1h"),
		func(_ *vaulttest.Server, cfg *Config) { cfg.SecretID = app.NewSecret("no-such-secret-id") })
	w.refused("secret/data/a#x", app.CodeUnreachable, "refuses Airlock's login by AppRole")
	if h := w.client.Health(t.Context()); !strings.Contains(h.Problem, "AppRole") || h.Method != "AppRole" {
		t.Errorf("health %+v", h)
	}
	if strings.Contains(w.log.String(), "no-such-secret-id") {
		t.Error("the secret id is in the log")
	}
}

// TestSecretIDFileIsReadAtEachLogin: it may be replaced while Airlock runs.
func TestSecretIDFileIsReadAtEachLogin(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "secret-id")
	w := newWorld(t, byRole("1h"), func(_ *vaulttest.Server, cfg *Config) {
		if err := os.WriteFile(file, []byte("not-yet"), 0o600); err != nil {
			t.Fatal(err)
		}
		cfg.SecretID, cfg.SecretIDFile = app.Secret{}, file
	})
	w.server.Put("a", map[string]any{"x": value})
	w.refused("secret/data/a#x", app.CodeUnreachable, "refuses Airlock's login")
	secret := w.server.Write("auth/approle/role/airlock/secret-id", nil)["data"].(map[string]any)["secret_id"].(string)
	if err := os.WriteFile(file, []byte(secret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := w.mustRead("secret/data/a#x"); got != value {
		t.Errorf("read %q", got)
	}
}

// TestCloseGivesBackItsOwnToken: Close revokes Airlock's own token, not the operator's.
func TestCloseGivesBackItsOwnToken(t *testing.T) {
	t.Parallel()
	w := newWorld(t, byRole("1h"))
	w.server.Put("a", map[string]any{"x": value})
	w.mustRead("secret/data/a#x")
	token := w.client.current().token.Reveal()
	if err := w.client.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if lives(w, token) {
		t.Error("the token still works")
	}
	given := newWorld(t)
	given.server.Put("a", map[string]any{"x": value})
	given.mustRead("secret/data/a#x")
	if err := given.client.Close(t.Context()); err != nil || !lives(given, given.client.cfg.Token.Reveal()) {
		t.Errorf("the operator's token was revoked: %v", err)
	}
}

func lives(w *world, token string) bool {
	client, err := w.client.withToken(app.NewSecret(token))
	if err != nil {
		w.t.Fatal(err)
	}
	_, err = client.Auth().Token().LookupSelf()
	return err == nil
}

// TestVaultThatComesLater: Airlock starts without its Vault and reads once it is up.
func TestVaultThatComesLater(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.server.Put("a", map[string]any{"x": value})
	w.server.Seal()
	w.start()
	eventually(t, "a login failed", func() bool { return strings.Contains(w.log.String(), "could not log in to Vault") })
	w.server.Unseal()
	eventually(t, "logged in", func() bool { return w.client.current() != nil })
	if got := w.mustRead("secret/data/a#x"); got != value {
		t.Errorf("read %q", got)
	}
}

// TestTLS: the certificate is checked against VAULT_CACERT only.
func TestTLS(t *testing.T) {
	t.Parallel()
	s := vaulttest.Start(t)
	s.Put("a", map[string]any{"x": value})
	gate := newGate(t, s.URL)
	front := httptest.NewTLSServer(gate)
	defer front.Close()
	token := app.NewSecret(s.Token("1h", reader(s)))
	w := &world{t: t, server: s}
	open := func(tls api.TLSConfig) {
		c, err := New(Config{Address: front.URL, Token: token, TLS: tls, Namespace: "team/reports"})
		if err != nil {
			t.Fatal(err)
		}
		w.client = c
	}
	open(api.TLSConfig{})
	w.refused("secret/data/a#x", app.CodeUnreachable, "certificate is not trusted")
	if gate.count("auth/token/lookup-self") != 0 {
		t.Error("the token was sent to who could not show a certificate")
	}
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: front.Certificate().Raw}),
		0o600); err != nil {
		t.Fatal(err)
	}
	open(api.TLSConfig{CACert: file})
	gate.proxy.ModifyResponse = nil
	gate.hold = func(r *http.Request) <-chan struct{} {
		if got := r.Header.Get("X-Vault-Namespace"); got != "team/reports" {
			t.Errorf("%s goes to the namespace %q", r.URL.Path, got)
		}
		r.Header.Del("X-Vault-Namespace") // the free edition has none
		return nil
	}
	if got := w.mustRead("secret/data/a#x"); got != value {
		t.Errorf("read %q", got)
	}
	open(api.TLSConfig{CACert: file, TLSServerName: "other.example"})
	w.refused("secret/data/a#x", app.CodeUnreachable, "certificate is not trusted")
}

// TestEnvironmentIsNotRead: only Airlock's own configuration counts.
func TestEnvironmentIsNotRead(t *testing.T) {
	w := newWorld(t)
	w.server.Put("a", map[string]any{"x": value})
	for name, text := range map[string]string{"VAULT_ADDR": "http://127.0.0.1:1", "VAULT_AGENT_ADDR": "http://127.0.0.1:1",
		"VAULT_TOKEN": "other", "VAULT_NAMESPACE": "other", "VAULT_MAX_RETRIES": "9",
		"VAULT_PROXY_ADDR": "http://127.0.0.1:1", "VAULT_HEADERS": `{"X-Other":"1"}`} {
		t.Setenv(name, text)
	}
	c, err := New(w.client.cfg)
	if err != nil {
		t.Fatal(err)
	}
	w.client = c
	if got := w.mustRead("secret/data/a#x"); got != value {
		t.Errorf("read %q", got)
	}
	if c.base.Token() != "" || c.base.Namespace() != "" || c.base.MaxRetries() != 0 ||
		c.base.Headers().Get("X-Other") != "" {
		t.Error("something of the environment got in")
	}
}

func TestConfigIsChecked(t *testing.T) {
	t.Parallel()
	token := app.NewSecret("a-token")
	for name, c := range map[string]struct {
		cfg  Config
		want string
	}{
		"no identity":    {Config{Address: "https://vault"}, "who Airlock is"},
		"two identities": {Config{Address: "https://vault", Token: token, RoleID: "r"}, "only one"},
		"no address":     {Config{Token: token}, "VAULT_ADDR"},
		"no scheme":      {Config{Address: "vault:8200", Token: token}, "VAULT_ADDR"},
		"password in it": {Config{Address: "https://a:b@vault", Token: token}, "VAULT_ADDR"},
		"half a role":    {Config{Address: "https://vault", Token: token, SecretID: token}, "VAULT_ROLE_ID"},
		"no such authority": {Config{Address: "https://vault", Token: token, TLS: api.TLSConfig{CACert: "/nowhere/ca.pem"}},
			"ca.pem"},
	} {
		if _, err := New(c.cfg); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
