//go:build vault

package vault

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/secrets/vault/vaulttest"
)

const value = "value-in-vault-0123456789"

func TestReads(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.server.Put("oracle", map[string]any{"password": "old-" + value, "port": 1521})
	w.server.Put("oracle", map[string]any{"password": value, "port": 1521, "nested": map[string]any{"a": "b"}, "none": nil,
		"yes": true})
	w.server.Write("kv/oracle", map[string]any{"password": "v1-" + value})
	w.server.Write("kv/deep/er/path", map[string]any{"x": "deep-" + value})
	w.server.Put("weird name/ü", map[string]any{"größe": "weird-" + value})

	for text, want := range map[string]string{
		"secret/data/oracle#password": value, "secret/data/oracle#port": "1521", "kv/oracle#password": "v1-" + value,
		"kv/deep/er/path#x":              "deep-" + value,
		"secret/data/weird name/ü#größe": "weird-" + value,
	} {
		if got := w.mustRead(text); got != want {
			t.Errorf("%s is %q, want %q", text, got, want)
		}
	}
	if v, _ := w.read("secret/data/oracle#password"); v.Version != 2 {
		t.Errorf("version %d", v.Version)
	}
	if v, _ := w.read("kv/oracle#password"); v.Version != 0 {
		t.Errorf("KV version 1 has version %d", v.Version)
	}
	w.refused("secret/data/oracle#nested", app.CodeMissingValue, "not a text")
	w.refused("secret/data/oracle#none", app.CodeMissingValue, "not a text")
	w.refused("secret/data/oracle#yes", app.CodeMissingValue, "not a text")
}

// TestWhatIsMissingIsSaid: path, field, deleted version, and a KV version 2 path without data/.
func TestWhatIsMissingIsSaid(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(s *vaulttest.Server, cfg *Config) {
		s.Policy("wide", map[string]string{"*": "read"})
		cfg.Token = app.NewSecret(s.Token("1h", "wide"))
	})
	w.server.Put("gone", map[string]any{"x": value})
	w.server.Do("DELETE", "secret/data/gone", w.server.Root, nil)
	w.server.Put("there", map[string]any{"x": value})
	w.refused("secret/data/there#y", app.CodeMissingValue, "no field of that name")
	w.refused("secret/data/nothing#x", app.CodeMissingValue, "nothing is stored there")
	w.refused("kv/nothing#x", app.CodeMissingValue, "nothing is stored there")
	w.refused("nomount/nothing#x", app.CodeMissingValue, "nothing is stored there")
	w.refused("secret/there#x", app.CodeMissingValue, "KV version 2")
	w.refused("secret/data/gone#x", app.CodeMissingValue, "deleted")
	w.server.Write("secret/destroy/gone", map[string]any{"versions": []int{1}})
	w.refused("secret/data/gone#x", app.CodeMissingValue, "deleted")
}

func TestPermissionDenied(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.server.Write("sys/mounts/other", map[string]any{"type": "kv"})
	w.server.Write("other/x", map[string]any{"y": value})
	w.server.Put("open", map[string]any{"x": value})
	w.refused("other/x#y", app.CodeForbidden, "denied permission")
	if got := w.mustRead("secret/data/open#x"); got != value {
		t.Errorf("read %q after a refusal", got)
	}
}

// TestErrorsNameTheFirstReferenceAndHoldNoValue: an error returns no other values.
func TestErrorsNameTheFirstReferenceAndHoldNoValue(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.server.Put("a", map[string]any{"x": value})
	_, err := w.client.Fetch(t.Context(),
		[]app.Reference{ref("secret/data/a#x"), ref("secret/data/a#y"), ref("secret/data/b#x")})
	if err == nil || !strings.Contains(err.Error(), "secret/data/a#y") || strings.Contains(err.Error(), value) ||
		strings.Contains(err.Error(), w.client.cfg.Token.Reveal()) {
		t.Errorf("the error is %v", err)
	}
}

// TestEachPathIsReadOnce: all fields of a path are of one version.
func TestEachPathIsReadOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	gate := newGate(t, w.server.URL)
	front := httptest.NewServer(gate)
	defer front.Close()
	w.client.base.SetAddress(front.URL) //nolint:errcheck // a test server's address
	w.server.Put("a", map[string]any{"user": "u-" + value, "password": "p-" + value})
	w.server.Put("b", map[string]any{"x": value})
	refs := []app.Reference{ref("secret/data/a#user"), ref("secret/data/a#password"), ref("secret/data/b#x"),
		ref("secret/data/a#user")}
	f, err := w.client.Fetch(t.Context(), refs)
	if err != nil || len(f.Values) != 3 {
		t.Fatalf("%v %v", f, err)
	}
	if a, b := gate.count("secret/data/a"), gate.count("secret/data/b"); a != 1 || b != 1 {
		t.Errorf("%d and %d reads", a, b)
	}
}

func TestSealedInMidRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.server.Put("a", map[string]any{"x": value})
	w.mustRead("secret/data/a#x")
	w.server.Seal()
	started := time.Now()
	w.refused("secret/data/a#x", app.CodeUnreachable, "Vault is sealed")
	if took := time.Since(started); took > w.client.cfg.Timeout/2 {
		t.Errorf("it took %s to say so", took)
	}
	h := w.client.Health(t.Context())
	if h.Problem != "Vault is sealed" || h.Version == "" {
		t.Errorf("health %+v", h)
	}
	w.server.Unseal()
	for w.client.Health(t.Context()).Problem != "" { // it takes a moment to become active
		if t.Context().Err() != nil {
			t.Fatal("it stays sealed")
		}
	}
	if got := w.mustRead("secret/data/a#x"); got != value {
		t.Errorf("read %q", got)
	}
}

func TestKilled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.server.Put("a", map[string]any{"x": value})
	w.mustRead("secret/data/a#x")
	w.server.Kill()
	w.refused("secret/data/a#x", app.CodeUnreachable, "can't be reached")
	if h := w.client.Health(t.Context()); h.Problem != "Vault can't be reached" || h.Hint == "" {
		t.Errorf("health %+v", h)
	}
	if in := w.client.Inspect(t.Context(), ref("secret/data/a#x"), nil); in.Problem != "Vault can't be reached" {
		t.Errorf("inspection %+v", in)
	}
}

func TestNotInitialised(t *testing.T) {
	t.Parallel()
	s := vaulttest.Sealed(t)
	c, err := New(Config{Address: s.URL, Token: app.NewSecret("hvs.unknown-token-of-the-test")})
	if err != nil {
		t.Fatal(err)
	}
	if h := c.Health(t.Context()); h.Problem != "Vault is not initialised" {
		t.Errorf("health %+v", h)
	}
	w := &world{t: t, server: s, client: c}
	w.refused("secret/data/a#x", app.CodeUnreachable, "Vault is sealed")
}

// TestSlow: callers get an error at the time limit.
func TestSlow(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(_ *vaulttest.Server, cfg *Config) { cfg.Timeout = time.Second })
	w.server.Put("a", map[string]any{"x": value})
	w.mustRead("secret/data/a#x")
	gate := newGate(t, w.server.URL)
	open := make(chan struct{})
	gate.hold = func(r *http.Request) <-chan struct{} {
		if strings.HasSuffix(r.URL.Path, "/a") {
			return open
		}
		return nil
	}
	front := httptest.NewServer(gate)
	defer front.Close()
	defer close(open)
	slow, err := New(Config{Address: front.URL, Token: w.client.cfg.Token, Timeout: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	w.client = slow
	w.refused("secret/data/a#x", app.CodeUnreachable, "did not answer within 1 s")
	w.server.Put("b", map[string]any{"x": value})
	if got := w.mustRead("secret/data/b#x"); got != value {
		t.Errorf("another path gives %q meanwhile", got)
	}
}

// TestOversizedAnswerIsRefused: a Vault or an impostor can't fill the memory.
func TestOversizedAnswerIsRefused(t *testing.T) {
	t.Parallel()
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "lookup-self") {
			_, _ = w.Write([]byte(`{"data":{"ttl":0,"renewable":false}}`))
			return
		}
		_, _ = w.Write([]byte(`{"data":{"x":"`))
		chunk := []byte(strings.Repeat("x", 64<<10))
		for range maxAnswer/len(chunk) + 64 {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
		_, _ = w.Write([]byte(`"}}`))
	}))
	defer front.Close()
	c, err := New(Config{Address: front.URL, Token: app.NewSecret("token-of-the-test")})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, client: c}
	w.refused("kv/a#x", app.CodeUnreachable, "answer can't be read")
}

func TestInspect(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	fits := func(app.Secret) error { return nil }
	w.server.Put("a", map[string]any{"x": value})
	w.server.Write("kv/a", map[string]any{"x": value})
	in := w.client.Inspect(t.Context(), ref("secret/data/a#x"), fits)
	if in.Problem != "" || in.Engine != "KV version 2" || in.Version != 1 || time.Since(in.Created) > time.Hour ||
		in.Lease {
		t.Errorf("version 2: %+v", in)
	}
	in = w.client.Inspect(t.Context(), ref("kv/a#x"), fits)
	if in.Problem != "" || in.Engine != "KV version 1" || in.Version != 0 || !in.Created.IsZero() {
		t.Errorf("version 1: %+v", in)
	}
	if in = w.client.Inspect(t.Context(), ref("secret/data/a#y"), fits); !strings.Contains(in.Problem, "no field") {
		t.Errorf("no field: %+v", in)
	}
	short := func(v app.Secret) error { return app.CheckValue(app.ModeSealed, app.NewSecret(v.Reveal()[:3])) }
	if in = w.client.Inspect(t.Context(), ref("secret/data/a#x"), short); !strings.Contains(in.Problem,
		"at least 16 characters") {
		t.Errorf("unfit: %+v", in)
	}
	if in = w.client.Inspect(t.Context(), ref("identity/entity#x"), fits); in.Problem == "" {
		t.Errorf("not allowed: %+v", in)
	}
}
