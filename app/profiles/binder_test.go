package profiles_test

import (
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access/accesstest"
	"github.com/computclaw/airlock/app/instance"
	"github.com/computclaw/airlock/store"
)

// An execution's partial profile agrees with the page.
func TestBoundReadsWhatThePageShows(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	for _, p := range []app.Profile{d.Locked("B", "A"), d.Locked(), d.Linked("C"), d.Unlocked("D")} {
		shown := accesstest.Must[app.Profile](t)(d.Profiles.ByHandle(ctx, p.Handle))
		bound, policy, err := d.Binder.ReadBound(ctx, p.Handle)
		if err != nil {
			t.Fatal(err)
		}
		if submitted, same, err := d.Binder.ReadBoundByID(ctx, p.ID); err != nil || submitted.Handle != bound.Handle ||
			len(submitted.Keys) != len(bound.Keys) || same.Digest() != policy.Digest() {
			t.Errorf("by id: %+v, %+v, %v; by handle: %+v, %+v", submitted, same, err, bound, policy)
		}
		if bound.ID != shown.ID || policy.ProfileID != shown.ID || bound.Policy != shown.Policy ||
			policy.Version != shown.Policy || bound.Placement != shown.Placement {
			t.Errorf("bound to %+v by %+v, shown %+v", bound, policy, shown)
		}
		if app.CodeOf(bound.CanExecute(d.Now())) != app.CodeOf(shown.CanExecute(d.Now())) {
			t.Errorf("bound says %v, shown %v", bound.CanExecute(d.Now()), shown.CanExecute(d.Now()))
		}
		if len(bound.Keys) != len(shown.Keys) {
			t.Fatalf("%d keys, shown %d", len(bound.Keys), len(shown.Keys))
		}
		for i, k := range bound.Keys {
			if s := shown.Keys[i]; k.Name != s.Name || k.CredentialID != s.CredentialID ||
				k.ValueExists != s.ValueExists {
				t.Errorf("key %+v, shown %+v", k, s)
			}
		}
	}
	if _, _, err := d.Binder.ReadBound(ctx, "nobody"); app.CodeOf(err) != app.CodeNotFound {
		t.Errorf("an unknown profile: %v", err)
	}
	if _, _, err := d.Binder.ReadBoundByID(ctx, app.NewProfileID()); app.CodeOf(err) != app.CodeNotFound {
		t.Errorf("an unknown id: %v", err)
	}
}

func TestNothingStartsWhilePausedOrRetired(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	held := func() (on bool) {
		t.Helper()
		if err := d.Store.Write(ctx,
			func(tx *store.Tx) (err error) { on, _, err = instance.ReadHeld(ctx, tx); return err }); err != nil {
			t.Fatal(err)
		}
		return on
	}
	steps := []struct {
		what string
		do   func() error
		want bool
	}{
		{"a fresh instance", func() error { return nil }, false},
		{"paused", func() error { return d.Switches.Pause(ctx, person) }, true},
		{"resumed", func() error { return d.Switches.Resume(ctx, person) }, false},
		{"retired", func() error { return d.Switches.Retire(ctx, person) }, true},
		{"retirement taken back", func() error { return d.Switches.Unretire(ctx, person) }, false},
	}
	for _, s := range steps {
		if err := s.do(); err != nil {
			t.Fatalf("%s: %v", s.what, err)
		}
		if held() != s.want {
			t.Errorf("%s: held is %v", s.what, !s.want)
		}
	}
	// An agent's new work here would be lost after the move.
	if err := d.Switches.Retire(ctx, person); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Profiles.Create(ctx, agent, "late"); app.CodeOf(err) != app.CodeInstanceRetired {
		t.Errorf("an agent's profile on a retired instance: %v", err)
	}
	if _, err := d.Profiles.Create(ctx, person, "late"); err != nil {
		t.Errorf("a person's profile on a retired instance: %v", err)
	}
	if err := d.Switches.Unretire(ctx, person); err != nil {
		t.Fatal(err)
	}
	for _, key := range instance.SwitchKeys() {
		err := d.Store.Write(ctx, func(tx *store.Tx) error {
			if err := tx.Settings.Set(ctx, d.Now(), store.Setting{Key: key, Value: []byte("{")}); err != nil {
				return err
			}
			if on, _, err := instance.ReadHeld(ctx, tx); !on || err == nil {
				t.Errorf("a broken %s: held is %v, %v", key, on, err)
			}
			return tx.Settings.Delete(ctx, key)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
