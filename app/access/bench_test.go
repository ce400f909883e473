package access_test

import (
	"log/slog"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/access/accesstest"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/store"
)

// BenchmarkDesk measures one poll of a profile and one resolution of its values.
func BenchmarkDesk(b *testing.B) {
	st, err := store.Open(b.Context(), b.TempDir(), slog.New(slog.DiscardHandler))
	if err != nil {
		b.Fatal(err)
	}
	defer st.Close()
	ring, err := secrets.NewKeyring(app.NewSecret("an instance key of at least 32 characters"))
	if err != nil {
		b.Fatal(err)
	}
	ctx := b.Context()
	s := access.New(access.Config{Store: st, Keyring: ring})
	var p app.Profile
	for _, step := range []func() error{
		func() (err error) { p, err = s.Profiles.Create(ctx, person, "bench"); return err },
		func() error { _, err := s.Keys.Add(ctx, person, p.Handle, accesstest.Keys("A")); return err },
		func() error {
			_, err := s.Credentials.Set(ctx, person,
				credentials.Input{Name: "A", Mode: app.ModeInjected, Value: app.NewSecret("a value")})
			return err
		},
		func() error { _, err := s.Keys.Link(ctx, person, p.Handle, "A", "A"); return err },
		func() error { _, err := s.Lifecycle.Lock(ctx, person, p.Handle, time.Time{}); return err },
	} {
		if err := step(); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("Profile", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.Profiles.ByID(ctx, p.ID); err != nil {
				b.Fatal(err)
			}
		}
	})
	policy, err := s.Binder.Policy(ctx, p.Handle, 1)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("Resolve", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.Resolver.Resolve(ctx, p.Handle, policy); err != nil {
				b.Fatal(err)
			}
		}
	})
}
