//go:build vault

package vault

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/secrets/vault/vaulttest"
)

// borrower is a token that may read only database/creds/reports and use its leases.
func borrower(p *vaulttest.Postgres, ttl, maximum string) func(*vaulttest.Server, *Config) {
	return func(s *vaulttest.Server, cfg *Config) {
		s.Database(p, ttl, maximum)
		s.Policy("borrower", map[string]string{"database/creds/reports": "read"})
		s.Write("sys/policies/acl/giver", map[string]any{"policy": `path "sys/leases/revoke" { capabilities = ["update"] }`})
		cfg.Token = app.NewSecret(s.Token("1h", "borrower", "giver"))
	}
}

const creds = "database/creds/reports"

// TestBothPartsOfALease: one Fetch's user and password match; another Fetch gets others.
func TestBothPartsOfALease(t *testing.T) {
	t.Parallel()
	p := vaulttest.StartPostgres(t, "password-of-the-owner-0123456789")
	w := newWorld(t, borrower(p, "1h", "2h"))
	refs := []app.Reference{ref(creds + "#username"), ref(creds + "#password")}
	first, err := w.client.Fetch(t.Context(), refs)
	if err != nil || len(first.Leases) != 1 || len(w.server.Leases(creds)) != 1 {
		t.Fatalf("%+v %v", first, err)
	}
	l := first.Leases[0]
	if !strings.HasPrefix(l.ID, creds+"/") || l.Path != creds || l.Seconds != 3600 || !l.Renewable {
		t.Errorf("%+v", l)
	}
	if users := p.Users(); len(users) != 1 || users[0] != first.Values[refs[0]].Secret.Reveal() ||
		len(first.Values[refs[1]].Secret.Reveal()) < app.MinSealed {
		t.Errorf("the users are %v", users)
	}
	second, err := w.client.Fetch(t.Context(), refs)
	if err != nil || second.Values[refs[0]].Secret.Equal(first.Values[refs[0]].Secret) || len(p.Users()) != 2 {
		t.Errorf("%+v %v", second, err)
	}
	for _, f := range []Fetched{first, second} {
		if err := w.client.Revoke(t.Context(), f.Leases[0].ID); err != nil {
			t.Error(err)
		}
	}
	if users := p.Users(); len(users) != 0 {
		t.Errorf("left: %v", users)
	}
	if err := w.client.Revoke(t.Context(), l.ID); err != nil {
		t.Errorf("a lease that is gone counts as given back: %v", err)
	}
	if in := w.client.Inspect(t.Context(), refs[0], nil); in.Problem != "" || !in.Lease || in.Engine != "database" ||
		len(p.Users()) != 0 {
		t.Errorf("looking made a user, or: %+v", in)
	}
	if in := w.client.Inspect(t.Context(), ref("database/creds/other#username"), nil); in.Problem == "" {
		t.Errorf("not allowed: %+v", in)
	}
}

// TestLeaseIsNotGivenBackWhileItsDatabaseIsDown: Vault answers with an ambiguous status and keeps
// the lease.
func TestLeaseIsNotGivenBackWhileItsDatabaseIsDown(t *testing.T) {
	t.Parallel()
	p := vaulttest.StartPostgres(t, "password-of-the-owner-0123456789")
	w := newWorld(t, borrower(p, "1h", "2h"))
	f, err := w.client.Fetch(t.Context(), []app.Reference{ref(creds + "#username")})
	if err != nil {
		t.Fatal(err)
	}
	p.Stop()
	if err := w.client.Revoke(t.Context(), f.Leases[0].ID); err == nil {
		t.Error("it counts as given back")
	}
	p.Start()
	if users := p.Users(); len(users) != 1 {
		t.Fatalf("the users are %v", users)
	}
	eventually(t, "it is given back", func() bool { return w.client.Revoke(t.Context(), f.Leases[0].ID) == nil })
	if users := p.Users(); len(users) != 0 {
		t.Errorf("left: %v", users)
	}
}

// TestLeaseComesBackWithAnError: a partly failed Fetch still returns its leases.
func TestLeaseComesBackWithAnError(t *testing.T) {
	t.Parallel()
	p := vaulttest.StartPostgres(t, "password-of-the-owner-0123456789")
	w := newWorld(t, borrower(p, "1h", "2h"))
	f, err := w.client.Fetch(t.Context(), []app.Reference{ref("secret/data/no#x"), ref(creds + "#username")})
	if err == nil || len(f.Leases) != 1 {
		t.Errorf("%+v %v", f, err)
	}
	f, err = w.client.Fetch(t.Context(), []app.Reference{ref(creds + "#nothing")})
	if err == nil || len(f.Leases) != 1 {
		t.Errorf("a missing field: %+v %v", f, err)
	}
}

// TestLeaseComesBackAfterACancel: a cancelled Fetch still returns its leases.
func TestLeaseComesBackAfterACancel(t *testing.T) {
	t.Parallel()
	p := vaulttest.StartPostgres(t, "password-of-the-owner-0123456789")
	w := newWorld(t, borrower(p, "1h", "2h"))
	gate := newGate(t, w.server.URL)
	ctx, cancel := context.WithCancel(t.Context())
	gate.proxy.ModifyResponse = func(r *http.Response) error {
		if strings.HasSuffix(r.Request.URL.Path, "/creds/reports") {
			cancel()
		}
		return nil
	}
	front := httptest.NewServer(gate)
	defer front.Close()
	client, err := New(Config{Address: front.URL, Token: w.client.cfg.Token})
	if err != nil {
		t.Fatal(err)
	}
	f, err := client.Fetch(ctx, []app.Reference{ref(creds + "#username")})
	if !errors.Is(err, context.Canceled) || len(f.Leases) != 1 || len(f.Values) != 0 {
		t.Errorf("%+v, %v", f, err)
	}
}

// TestHoldRenews: Hold renews a lease up to Vault's maximum and reports the end.
func TestHoldRenews(t *testing.T) {
	t.Parallel()
	p := vaulttest.StartPostgres(t, "password-of-the-owner-0123456789")
	w := newWorld(t, borrower(p, "3s", "9s"))
	f, err := w.client.Fetch(t.Context(), []app.Reference{ref(creds + "#username")})
	if err != nil {
		t.Fatal(err)
	}
	gate := newGate(t, w.server.URL)
	front := httptest.NewServer(gate)
	defer front.Close()
	w.client.active = nil
	w.client.base.SetAddress(front.URL) //nolint:errcheck // a test server's address
	began := time.Now()
	var renewed atomic.Int64
	if err := w.client.Hold(t.Context(), f.Leases[0], func(time.Duration) { renewed.Add(1) }); err == nil {
		t.Error("the end was not told")
	}
	if lived := time.Since(began); lived < 4*time.Second || renewed.Load() < 2 {
		t.Errorf("held for %s, renewed %d times", lived, renewed.Load())
	}
	if n := gate.count("sys/leases/renew"); n > 30 {
		t.Errorf("Vault was asked %d times", n)
	}
	eventually(t, "Vault itself ends it", func() bool { return len(p.Users()) == 0 })
}
