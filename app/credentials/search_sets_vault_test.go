//go:build vault

package credentials_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access/accesstest"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/app/egress/swap"
	"github.com/computclaw/airlock/store"
)

// TestHoleH2ValuesInVault: every value read is searched for until the program ends.
func TestHoleH2ValuesInVault(t *testing.T) {
	d, s := newVaultDesk(t)
	ctx := t.Context()
	d.set(credentials.Input{Name: "TOKEN", Hosts: accesstest.Hosts(t, "api.test"), Reference: "secret/data/app#token"})
	d.wantSearched("before it was read", "api.test:443", []string{}, inVaultValue)
	p := accesstest.Must[app.Profile](t)(d.Profiles.Create(ctx, person, "x"))
	accesstest.Must[app.Profile](t)(d.Keys.Add(ctx, person, p.Handle, []app.Key{{Name: "TOKEN"}}))
	accesstest.Must[app.Profile](t)(d.Keys.Link(ctx, person, p.Handle, "TOKEN", "TOKEN"))
	p = accesstest.Must[app.Profile](t)(d.Lifecycle.Lock(ctx, person, p.Handle, time.Time{}))
	d.Values(p)
	d.wantSearched("after it was read", "api.test:443", []string{inVaultValue}, inVaultValue, secondValue)
	s.Put("app", map[string]any{"token": secondValue})
	d.Values(p)
	d.wantSearched("after it was replaced", "api.test:443", []string{inVaultValue, secondValue}, inVaultValue, secondValue)
	d.set(credentials.Input{Name: "TOKEN", Source: app.SourceLocal, Value: app.NewSecret(firstValue)})
	d.wantSearched("after the source was", "api.test:443", []string{firstValue, inVaultValue, secondValue}, firstValue,
		inVaultValue, secondValue)
	if n := d.rows("superseded_values"); n != 0 {
		t.Error("a value from Vault was stored")
	}
}

// TestVaultValueJoinsItsSets: a Vault value is searched for without rereading the store.
func TestVaultValueJoinsItsSets(t *testing.T) {
	d, s := newVaultDesk(t)
	c := d.set(credentials.Input{Name: "TOKEN", Hosts: accesstest.Hosts(t, "api.test"),
		Reference: "secret/data/app#token"})
	d.set(credentials.Input{Name: "OTHER", Hosts: accesstest.Hosts(t, "elsewhere.test"), Value: app.NewSecret(otherValue)})
	p := d.Unlocked("TOKEN")
	accesstest.Must[app.Profile](t)(d.Keys.Link(t.Context(), person, p.Handle, "TOKEN", "TOKEN"))
	p = accesstest.Must[app.Profile](t)(d.Lifecycle.Lock(t.Context(), person, p.Handle, time.Time{}))
	d.Values(p)
	d.wantSearched("after it was read", "api.test:443", []string{inVaultValue}, inVaultValue, secondValue)
	other := accesstest.Must[*swap.Values](t)(d.SearchSets.ValuesFor(t.Context(), "elsewhere.test", 443))
	before := d.SearchSets.Stored()
	s.Put("app", map[string]any{"token": secondValue})
	d.Values(p)
	d.wantSearched("after it was replaced", "api.test:443", []string{inVaultValue, secondValue}, inVaultValue, secondValue)
	if after := d.SearchSets.Stored(); &after[0] != &before[0] {
		t.Error("all credentials were read again")
	}
	if again := accesstest.Must[*swap.Values](t)(
		d.SearchSets.ValuesFor(t.Context(), "elsewhere.test", 443)); again != other {
		t.Error("another host's set was made again")
	}

	// The memory is one: for masking, too.
	if latest, ok := d.SearchSets.Latest(c.ID,
		accesstest.Must[app.Reference](t)(app.ParseReference(c.Reference))); !ok || len(latest) != 2 ||
		latest[0].Reveal() != secondValue {
		t.Errorf("%d values are remembered, %v", len(latest), ok)
	}
	if err := d.Credentials.Delete(t.Context(), person, "OTHER"); err != nil {
		t.Fatal(err)
	}
	d.wantSearched("after another was deleted", "api.test:443", []string{inVaultValue, secondValue}, inVaultValue,
		secondValue)
	if err := d.Store.Write(t.Context(),
		func(tx *store.Tx) error { return tx.Credentials.Delete(t.Context(), c.ID) }); err != nil {
		t.Fatal(err)
	}
	d.wantSearched("after the deletion", "api.test:443", nil)
	if d.SearchSets.Remembered() != 0 {
		t.Error("values of a deleted credential are remembered")
	}
}

// TestHoleH2HostsTakenFromAValueInVault: former hosts stay known, and changes of hosts evict no
// value.
func TestHoleH2HostsTakenFromAValueInVault(t *testing.T) {
	d, s := newVaultDesk(t)
	d.set(credentials.Input{Name: "TOKEN", Hosts: accesstest.Hosts(t, "api.test"), Reference: "secret/data/app#token"})
	p := d.Unlocked("TOKEN")
	accesstest.Must[app.Profile](t)(d.Keys.Link(t.Context(), person, p.Handle, "TOKEN", "TOKEN"))
	p = accesstest.Must[app.Profile](t)(d.Lifecycle.Lock(t.Context(), person, p.Handle, time.Time{}))
	d.Values(p)
	s.Put("app", map[string]any{"token": secondValue})
	for n := range credentials.MaxSeen + 1 {
		d.set(credentials.Input{Name: "TOKEN", Hosts: accesstest.Hosts(t, "api.test", fmt.Sprintf("api-%d.test", n))})
		d.Values(p)
	}
	d.wantSearched("after many changes of hosts", "api.test:443", []string{inVaultValue, secondValue}, inVaultValue,
		secondValue)
	d.set(credentials.Input{Name: "TOKEN", Mode: app.ModePlain, Hosts: []app.Host{}})
	d.wantSearched("plain, and without a host", "api-0.test:443", []string{secondValue}, inVaultValue, secondValue)
}

// TestHoleF2VaultValueAtALaterHost: a Vault value is searched for at its credential's present
// hosts. Its mode doesn't matter, and it isn't read again.
func TestHoleF2VaultValueAtALaterHost(t *testing.T) {
	both := accesstest.Hosts(t, "api.test", "other.test")
	tests := []struct {
		name        string
		read, later credentials.Input // the value is read in between
	}{
		{"one more host", credentials.Input{Hosts: both[:1]}, credentials.Input{Hosts: both}},
		{"the first hosts", credentials.Input{Mode: app.ModeInjected, Hosts: []app.Host{}},
			credentials.Input{Mode: app.ModeSealed, Hosts: both}},
		{"no secret before", credentials.Input{Mode: app.ModePlain, Hosts: both[:1]},
			credentials.Input{Mode: app.ModeSealed, Hosts: both}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d, s := newVaultDesk(t)
			test.read.Name, test.later.Name, test.read.Reference = "TOKEN", "TOKEN", "secret/data/app#token"
			d.set(test.read)
			p := d.lockedWith("TOKEN")
			d.Values(p)
			s.Put("app", map[string]any{"token": secondValue})
			d.Values(p)
			d.searched("other.test:443")
			d.set(test.later)
			for _, place := range []string{"api.test:443", "other.test:443"} {
				d.wantSearched("later", place, []string{inVaultValue, secondValue}, inVaultValue, secondValue)
			}
			if got := d.masked([]string{"other.test"}, inVaultValue, secondValue); len(got) != 2 {
				t.Errorf("output is searched for %v", got)
			}
		})
	}
}

// TestVaultValueThatIsNotSealed: injected values cause no inspection, and plain ones no search.
func TestVaultValueThatIsNotSealed(t *testing.T) {
	for mode, masked := range map[app.Mode][]string{app.ModeInjected: {inVaultValue}, app.ModePlain: nil} {
		d, _ := newVaultDesk(t)
		d.set(credentials.Input{Name: "TOKEN", Mode: mode, Hosts: accesstest.Hosts(t, "api.test"),
			Reference: "secret/data/app#token"})
		d.Values(d.lockedWith("TOKEN"))
		d.wantSearched(string(mode), "api.test:443", nil)
		if got := d.masked([]string{"api.test"}, inVaultValue); !slices.Equal(got, masked) {
			t.Errorf("%s: output is searched for %v", mode, got)
		}
	}
}

// TestHoleF2VaultValueIsKept: a Vault value stays known until its credential is deleted.
func TestHoleF2VaultValueIsKept(t *testing.T) {
	for name, steps := range map[string][]credentials.Input{
		"injected, without hosts": {{Mode: app.ModeInjected, Hosts: []app.Host{}}},
		"plain":                   {{Mode: app.ModePlain}},
		"plain and back":          {{Mode: app.ModePlain}, {Mode: app.ModeSealed}},
		"another reference":       {{Reference: "secret/data/other#token"}},
		"another source": {{Source: app.SourceLocal, Value: app.NewSecret(secondValue), Mode: app.ModeInjected,
			Hosts: []app.Host{}}},
	} {
		t.Run(name, func(t *testing.T) {
			d, _ := newVaultDesk(t)
			d.set(credentials.Input{Name: "TOKEN", Hosts: accesstest.Hosts(t, "api.test"), Reference: "secret/data/app#token"})
			d.Values(d.lockedWith("TOKEN"))
			d.wantSearched("at first", "api.test:443", []string{inVaultValue}, inVaultValue)
			for _, in := range steps {
				in.Name = "TOKEN"
				d.set(in)
				d.wantSearched("then", "api.test:443", []string{inVaultValue}, inVaultValue)
			}
		})
	}
}
