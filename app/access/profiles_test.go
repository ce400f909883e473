package access

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/live"
)

func TestProfileIsFoundByItsIDAndHandle(t *testing.T) {
	d := newDesk(t)
	p := d.unlocked("A")
	for name, got := range map[string]app.Profile{
		"by id":     must[app.Profile](t)(d.Profile(t.Context(), p.ID)),
		"by handle": must[app.Profile](t)(d.ProfileByHandle(t.Context(), p.Handle)),
		"in list":   must[[]app.Profile](t)(d.Profiles(t.Context()))[0],
	} {
		if diff := cmp.Diff(p, got); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
	if !app.IsProfileID(p.ID) || p.PairingCode == "" || p.CreatedFrom != agent.Address || p.CreatedBy.Kind != app.ActorAgent {
		t.Errorf("an agent's profile: %+v", p)
	}
	for _, id := range []string{"", p.Handle, p.ID + "0", p.ID[:len(p.ID)-1], strings.ToUpper(p.ID), app.NewProfileID(), "ark_' OR 1=1"} {
		_, err := d.Profile(t.Context(), id)
		wantCode(t, "unknown id", err, app.CodeNotFound)
		if err != nil && strings.Contains(err.Error(), "ark_0") {
			t.Error("the error repeats the id")
		}
	}
	_, err := d.ProfileByHandle(t.Context(), p.ID)
	wantCode(t, "an id as handle", err, app.CodeNotFound)
}

func TestPersonsProfileHasNoPairingCodeAndNoQuota(t *testing.T) {
	d := newDeskWith(t, Config{AgentProfiles: false, MaxUnclaimed: 1})
	_, err := d.CreateProfile(t.Context(), agent, "x")
	wantCode(t, "agent", err, app.CodeProfilesDisabled)
	for range 3 {
		if p := must[app.Profile](t)(d.CreateProfile(t.Context(), person, "x")); p.PairingCode != "" {
			t.Error("a person's profile has a pairing code")
		}
	}
}

func TestHostileDescriptions(t *testing.T) {
	d := newDesk(t)
	for _, bad := range []string{"a\x00b", "\xff", strings.Repeat("x", app.MaxDescription+1), "\x1b[2J"} {
		_, err := d.CreateProfile(t.Context(), agent, bad)
		wantCode(t, "create", err, app.CodeInvalidField)
		p := d.unlocked()
		_, err = d.DescribeProfile(t.Context(), person, p.Handle, bad)
		wantCode(t, "describe", err, app.CodeInvalidField)
		_, err = d.AddKeys(t.Context(), agent, p.Handle, []app.Key{{Name: "K", Description: bad}})
		wantCode(t, "key", err, app.CodeInvalidField)
		_, err = d.SetCredential(t.Context(), person, CredentialInput{Name: "C", Description: bad})
		wantCode(t, "credential", err, app.CodeInvalidField)
	}
}

func TestUnclaimedProfilesAreFewAndShortLived(t *testing.T) {
	d := newDeskWith(t, Config{AgentProfiles: true, MaxUnclaimed: 3})
	var first app.Profile
	for i := range 3 {
		p := d.unlocked()
		if i == 0 {
			first = p
		}
	}
	_, err := d.CreateProfile(t.Context(), agent, "one more")
	wantCode(t, "over quota", err, app.CodeRateLimited)

	must[app.Profile](t)(d.DescribeProfile(t.Context(), person, first.Handle, "mine")) // a person works on one
	second := d.unlocked()
	_, err = d.CreateProfile(t.Context(), agent, "one more")
	wantCode(t, "over quota again", err, app.CodeRateLimited)

	d.clock.pass(7 * 24 * time.Hour)
	_, err = d.AddKeys(t.Context(), agent, second.Handle, asKeys("A"))
	wantCode(t, "work on one that is over", err, app.CodeProfileExpired)
	d.unlocked() // sweeps
	_, err = d.Profile(t.Context(), second.ID)
	wantCode(t, "swept", err, app.CodeNotFound)
	if got := must[app.Profile](t)(d.Profile(t.Context(), first.ID)); !got.ExpiresAt.IsZero() {
		t.Error("a claimed profile expired by itself")
	}
}

func TestPersonRevivesAnUnclaimedProfile(t *testing.T) {
	d := newDesk(t)
	p := d.unlocked("A")
	d.clock.pass(8 * 24 * time.Hour)
	d.credential("A", app.ModeInjected, "value")
	got := must[app.Profile](t)(d.LinkKey(t.Context(), person, p.Handle, "A", "A"))
	if !got.ExpiresAt.IsZero() {
		t.Errorf("it still expires at %v", got.ExpiresAt)
	}
	if err := d.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	must[app.Profile](t)(d.AddKeys(t.Context(), agent, p.Handle, asKeys("B")))
}

func TestWhatOnlyPeopleMayDo(t *testing.T) {
	d := newDesk(t)
	p := d.linked("A")
	ctx := t.Context()
	before := must[app.Profile](t)(d.ProfileByHandle(ctx, p.Handle))
	for _, by := range []app.Actor{agent, {}, {Kind: "root"}} {
		for name, do := range map[string]func() error{
			"link":     func() error { _, err := d.LinkKey(ctx, by, p.Handle, "A", "A"); return err },
			"unlink":   func() error { _, err := d.LinkKey(ctx, by, p.Handle, "A", ""); return err },
			"hosts":    func() error { _, err := d.SetHosts(ctx, by, p.Handle, hosts(t, "a.example"), nil); return err },
			"describe": func() error { _, err := d.DescribeProfile(ctx, by, p.Handle, "x"); return err },
			"lock":     func() error { _, err := d.Lock(ctx, by, p.Handle, time.Time{}); return err },
			"revoke":   func() error { _, err := d.Revoke(ctx, by, p.Handle); return err },
			"expiry":   func() error { _, err := d.SetExpiry(ctx, by, p.Handle, time.Time{}); return err },
			"delete":   func() error { return d.DeleteProfile(ctx, by, p.Handle) },
			"credential": func() error {
				_, err := d.SetCredential(ctx, by, CredentialInput{Name: "A", Value: app.NewSecret("stolen")})
				return err
			},
			"create":      func() error { _, err := d.CreateCredential(ctx, by, CredentialInput{Name: "N"}); return err },
			"forget":      func() error { return d.DeleteCredential(ctx, by, "A") },
			"admin token": func() error { _, err := d.NewAdminToken(ctx, by); return err },
		} {
			wantCode(t, fmt.Sprintf("%s by %q", name, by.Kind), do(), app.CodeForbidden)
		}
	}
	if diff := cmp.Diff(before, must[app.Profile](t)(d.ProfileByHandle(ctx, p.Handle))); diff != "" {
		t.Errorf("something changed:\n%s", diff)
	}
}

func TestKeysAreRequestsUntilAPersonLinksThem(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	d.credential("DB_PASSWORD", app.ModeInjected, "value")
	p := must[app.Profile](t)(d.AddKeys(ctx, agent, d.unlocked().Handle, []app.Key{{
		Name: "DB_PASSWORD", Description: "to read", Mode: app.ModeSealed, Hosts: []app.Host{{Name: "DB.example.", Ports: []int{5432}, Private: true}},
		CredentialID: must[app.Credential](t)(d.Credential(ctx, "DB_PASSWORD")).ID, Credential: "DB_PASSWORD", CredentialMode: app.ModePlain, ValueExists: true,
	}}))
	want := []app.Key{{Name: "DB_PASSWORD", Description: "to read", Mode: app.ModeSealed, Hosts: []app.Host{{Name: "db.example", Ports: []int{5432}}}}}
	if diff := cmp.Diff(want, p.Keys); diff != "" {
		t.Errorf("an agent linked a key, or found out that a credential exists:\n%s", diff)
	}
	p = must[app.Profile](t)(d.LinkKey(ctx, person, p.Handle, "DB_PASSWORD", "DB_PASSWORD"))
	if k := p.Keys[0]; !k.ValueExists || k.Credential != "DB_PASSWORD" || k.CredentialMode != app.ModeInjected {
		t.Errorf("linked: %+v", k)
	}
	p = must[app.Profile](t)(d.LinkKey(ctx, person, p.Handle, "DB_PASSWORD", ""))
	if diff := cmp.Diff(want, p.Keys); diff != "" {
		t.Errorf("unlinked:\n%s", diff)
	}
	_, err := d.LinkKey(ctx, person, p.Handle, "DB_PASSWORD", "NO_SUCH")
	wantCode(t, "unknown credential", err, app.CodeNotFound)
	_, err = d.LinkKey(ctx, person, p.Handle, "NO_SUCH", "DB_PASSWORD")
	wantCode(t, "unknown key", err, app.CodeNotFound)
}

func TestAKeyMayBeLinkedToAnotherName(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	d.credential("STAGING_DB_HOST", app.ModeInjected, "staging")
	d.credential("PRODUCTION_DB_HOST", app.ModeInjected, "production")
	for _, env := range []string{"STAGING", "PRODUCTION"} {
		p := d.unlocked("DB_HOST")
		must[app.Profile](t)(d.LinkKey(ctx, person, p.Handle, "DB_HOST", env+"_DB_HOST"))
		p = must[app.Profile](t)(d.Lock(ctx, person, p.Handle, time.Time{}))
		if got := d.values(p)["DB_HOST"]; got != strings.ToLower(env) {
			t.Errorf("%s profile got %q", env, got)
		}
	}
}

func TestAddKeysIsAllOrNone(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	p := d.linked("LINKED")
	for name, keys := range map[string][]app.Key{
		"bad name":       asKeys("OK", "not ok"),
		"digit first":    asKeys("OK", "1A"),
		"empty":          {},
		"twice":          asKeys("OK", "OK"),
		"unknown mode":   {{Name: "OK"}, {Name: "B", Mode: "open"}},
		"bad host":       {{Name: "OK"}, {Name: "B", Hosts: []app.Host{{Name: "0x7f.1"}}}},
		"linked changes": {{Name: "OK"}, {Name: "LINKED", Description: "other"}},
		"too many": asKeys(slices.Collect(func(yield func(string) bool) {
			for i := range app.MaxKeys {
				if !yield(fmt.Sprint("K", i)) {
					return
				}
			}
		})...),
	} {
		if _, err := d.AddKeys(ctx, agent, p.Handle, keys); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if got := must[app.Profile](t)(d.ProfileByHandle(ctx, p.Handle)); len(got.Keys) != 1 || got.UpdatedAt != p.UpdatedAt {
		t.Errorf("a refused request left %+v", got.Keys)
	}
	again := must[app.Profile](t)(d.AddKeys(ctx, agent, p.Handle, asKeys("LINKED"))) // a retry
	if diff := cmp.Diff(p, again); diff != "" {
		t.Errorf("a retry changed:\n%s", diff)
	}
	replaced := must[app.Profile](t)(d.AddKeys(ctx, agent, p.Handle, asKeys("NEW")))
	replaced = must[app.Profile](t)(d.AddKeys(ctx, agent, p.Handle, []app.Key{{Name: "NEW", Description: "another reason"}}))
	if got := replaced.Keys[1]; got.Description != "another reason" || len(replaced.Keys) != 2 || !replaced.Keys[0].ValueExists {
		t.Errorf("replaced: %+v", replaced.Keys)
	}
}

func TestLockedIsOneWay(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	p := d.locked("A")
	if !p.Locked || p.Policy != 1 || p.LockedAt.IsZero() {
		t.Errorf("locked: %+v", p)
	}
	for _, by := range []app.Actor{agent, person} {
		_, err := d.AddKeys(ctx, by, p.Handle, asKeys("B"))
		wantCode(t, "add", err, app.CodeProfileLocked)
		_, err = d.RemoveKey(ctx, by, p.Handle, "A")
		wantCode(t, "remove", err, app.CodeProfileLocked)
	}
	d.credential("B", app.ModeInjected, "value")
	for _, to := range []string{"B", ""} {
		_, err := d.LinkKey(ctx, person, p.Handle, "A", to)
		wantCode(t, "link", err, app.CodeProfileLocked)
	}
	_, err := d.Lock(ctx, person, p.Handle, time.Time{})
	wantCode(t, "lock again", err, app.CodeProfileLocked)
	if got := must[app.Profile](t)(d.ProfileByHandle(ctx, p.Handle)); cmp.Diff(p, got) != "" {
		t.Errorf("something changed: %s", cmp.Diff(p, got))
	}
}

func TestLockNeedsEveryValue(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	p := d.linked("A")
	must[app.Profile](t)(d.AddKeys(ctx, agent, p.Handle, asKeys("B")))
	_, err := d.Lock(ctx, person, p.Handle, time.Time{})
	wantCode(t, "unlinked key", err, app.CodeMissingValue)
	must[app.Credential](t)(d.SetCredential(ctx, person, CredentialInput{Name: "B"}))
	must[app.Profile](t)(d.LinkKey(ctx, person, p.Handle, "B", "B"))
	_, err = d.Lock(ctx, person, p.Handle, time.Time{})
	wantCode(t, "no value", err, app.CodeMissingValue)
	if err == nil || !strings.Contains(err.Error(), "B") {
		t.Errorf("%v does not name the key", err)
	}
	d.credential("B", "", "value")
	must[app.Profile](t)(d.Lock(ctx, person, p.Handle, time.Time{}))
}

func TestLockOnlyWhatWasSeen(t *testing.T) {
	ctx := t.Context()
	for name, change := range map[string]func(d *desk, p app.Profile) error{
		"a key": func(d *desk, p app.Profile) error {
			_, err := d.AddKeys(ctx, agent, p.Handle, asKeys("B"))
			return err
		},
		"a proposal": func(d *desk, p app.Profile) error {
			_, err := d.ProposeHosts(ctx, agent, p.Handle, hosts(t, "evil.example"))
			return err
		},
		"hosts": func(d *desk, p app.Profile) error {
			_, err := d.SetHosts(ctx, person, p.Handle, hosts(t, "evil.example"), nil)
			return err
		},
		"another mode": func(d *desk, _ app.Profile) error {
			_, err := d.SetCredential(ctx, person, CredentialInput{Name: "A", Mode: app.ModePlain})
			return err
		},
		"the credential's hosts": func(d *desk, _ app.Profile) error {
			_, err := d.SetCredential(ctx, person, CredentialInput{Name: "A", Hosts: hosts(t, "b.example")})
			return err
		},
		"another link": func(d *desk, p app.Profile) error { _, err := d.LinkKey(ctx, person, p.Handle, "A", ""); return err },
	} {
		d := newDesk(t) // its clock stands still, so times alone would not tell
		seen := d.linked("A")
		if err := change(d, seen); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		_, err := d.Lock(ctx, person, seen.Handle, seen.UpdatedAt)
		wantCode(t, name, err, app.CodeConflict)
	}
	d := newDesk(t)
	seen := d.linked("A")
	d.credential("A", "", "a new value is no reason to look again")
	must[app.Profile](t)(d.Lock(ctx, person, seen.Handle, seen.UpdatedAt))
}

func TestRevocationIsFinal(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	p := must[app.Profile](t)(d.Revoke(ctx, person, d.locked("A").Handle))
	if !p.Revoked || p.CanExecute(d.now()) == nil {
		t.Errorf("revoked: %+v", p)
	}
	must[app.Profile](t)(d.Revoke(ctx, person, p.Handle))
	_, err := d.SetExpiry(ctx, person, p.Handle, time.Time{})
	wantCode(t, "expiry", err, app.CodeProfileRevoked)
	_, err = d.SetHosts(ctx, person, p.Handle, hosts(t, "a.example"), nil)
	wantCode(t, "hosts", err, app.CodeProfileRevoked)
	_, err = d.ProposeHosts(ctx, agent, p.Handle, hosts(t, "a.example"))
	wantCode(t, "propose", err, app.CodeProfileRevoked)
	unlocked := must[app.Profile](t)(d.Revoke(ctx, person, d.linked("B").Handle))
	_, err = d.Lock(ctx, person, unlocked.Handle, time.Time{})
	wantCode(t, "lock", err, app.CodeProfileRevoked)
	_, err = d.AddKeys(ctx, agent, unlocked.Handle, asKeys("C"))
	wantCode(t, "keys", err, app.CodeProfileRevoked)
}

func TestExpiryIsExtendedWithoutANewID(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	p := d.locked("A")
	must[app.Profile](t)(d.SetExpiry(ctx, person, p.Handle, d.now().Add(time.Hour)))
	d.clock.pass(time.Hour)
	expired := must[app.Profile](t)(d.Profile(ctx, p.ID))
	wantCode(t, "expired", expired.CanExecute(d.now()), app.CodeProfileExpired)
	extended := must[app.Profile](t)(d.SetExpiry(ctx, person, p.Handle, d.now().Add(time.Hour)))
	if extended.ID != p.ID || extended.CanExecute(d.now()) != nil {
		t.Errorf("extended: %v", extended.CanExecute(d.now()))
	}
	never := must[app.Profile](t)(d.SetExpiry(ctx, person, p.Handle, time.Time{}))
	if !never.ExpiresAt.IsZero() {
		t.Error("the expiry is still there")
	}
	for _, at := range []time.Time{d.now(), d.now().Add(-time.Hour), time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC), time.Unix(0, 0)} {
		_, err := d.SetExpiry(ctx, person, p.Handle, at)
		wantCode(t, at.String(), err, app.CodeInvalidField)
	}
}

func TestPoliciesOutliveTheirProfile(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	p := d.locked("A")
	policy := d.policy(p)
	if policy.ProfileID != p.ID {
		t.Error("the policy has no profile id")
	}
	if err := d.DeleteProfile(ctx, person, p.Handle); err != nil {
		t.Fatal(err)
	}
	_, err := d.Profile(ctx, p.ID)
	wantCode(t, "deleted", err, app.CodeNotFound)
	wantCode(t, "deleted again", d.DeleteProfile(ctx, person, p.Handle), app.CodeNotFound)
	kept := d.policy(p)
	if kept.Digest() != policy.Digest() || kept.ProfileID != "" {
		t.Errorf("kept: %+v", kept)
	}
	_, err = d.Policy(ctx, p.Handle, 2)
	wantCode(t, "unknown version", err, app.CodeNotFound)
}

func TestChangesNudge(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	p := d.unlocked("A")
	sub := d.hub.Subscribe()
	defer sub.Close()
	expect := func(what string, want ...string) {
		t.Helper()
		got := sub.Topics()
		slices.Sort(got)
		slices.Sort(want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s:\n%s", what, diff)
		}
	}
	d.credential("A", app.ModeInjected, "value")
	expect("a credential that nobody has", live.Credentials)
	must[app.Profile](t)(d.LinkKey(ctx, person, p.Handle, "A", "A"))
	expect("link", live.Profiles, live.Profile(p.Handle))
	d.credential("A", app.ModeInjected, "value 2")
	expect("a credential in use", live.Credentials, live.Profiles, live.Profile(p.Handle))
	_, _ = d.AddKeys(ctx, agent, p.Handle, asKeys("no good"))
	_, _ = d.LinkKey(ctx, person, p.Handle, "A", "A")
	if got := sub.Topics(); len(got) > 0 {
		t.Errorf("nothing changed, but nudged %v", got)
	}
	if err := d.DeleteProfile(ctx, person, p.Handle); err != nil {
		t.Fatal(err)
	}
	expect("delete", live.Profiles, live.Profile(p.Handle))
}
