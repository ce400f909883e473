package profiles_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access/accesstest"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/app/live"
)

func TestProfileIsFoundByItsIDAndHandle(t *testing.T) {
	d := newDesk(t)
	p := d.Unlocked("A")
	for name, got := range map[string]app.Profile{
		"by id":     accesstest.Must[app.Profile](t)(d.Profiles.ByID(t.Context(), p.ID)),
		"by handle": accesstest.Must[app.Profile](t)(d.Profiles.ByHandle(t.Context(), p.Handle)),
		"in list":   accesstest.Must[[]app.Profile](t)(d.Profiles.List(t.Context()))[0],
	} {
		if diff := cmp.Diff(p, got); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
	if !app.IsProfileID(p.ID) || p.PairingCode == "" || p.CreatedFrom != agent.Address ||
		p.CreatedBy.Kind != app.ActorAgent {
		t.Errorf("an agent's profile: %+v", p)
	}
	for _, id := range []string{"", p.Handle, p.ID + "0", p.ID[:len(p.ID)-1], strings.ToUpper(p.ID), app.NewProfileID(),
		"ark_' OR 1=1"} {
		_, err := d.Profiles.ByID(t.Context(), id)
		accesstest.WantCode(t, "unknown id", err, app.CodeNotFound)
		if err != nil && strings.Contains(err.Error(), "ark_0") {
			t.Error("the error repeats the id")
		}
	}
	_, err := d.Profiles.ByHandle(t.Context(), p.ID)
	accesstest.WantCode(t, "an id as handle", err, app.CodeNotFound)
}

func TestPersonsProfileHasNoPairingCodeAndNoQuota(t *testing.T) {
	d := newDesk(t, func(d *accesstest.Desk) { d.Config.AgentProfiles = false; d.Config.MaxUnclaimed = 1 })
	_, err := d.Profiles.Create(t.Context(), agent, "x")
	accesstest.WantCode(t, "agent", err, app.CodeProfilesDisabled)
	for range 3 {
		if p := accesstest.Must[app.Profile](t)(d.Profiles.Create(t.Context(), person, "x")); p.PairingCode != "" {
			t.Error("a person's profile has a pairing code")
		}
	}
}

func TestHostileDescriptions(t *testing.T) {
	d := newDesk(t)
	for _, bad := range []string{"a\x00b", "\xff", strings.Repeat("x", app.MaxDescription+1), "\x1b[2J"} {
		_, err := d.Profiles.Create(t.Context(), agent, bad)
		accesstest.WantCode(t, "create", err, app.CodeInvalidField)
		p := d.Unlocked()
		_, err = d.Profiles.Describe(t.Context(), person, p.Handle, bad)
		accesstest.WantCode(t, "describe", err, app.CodeInvalidField)
		_, err = d.Keys.Add(t.Context(), agent, p.Handle, []app.Key{{Name: "K", Description: bad}})
		accesstest.WantCode(t, "key", err, app.CodeInvalidField)
		_, err = d.Credentials.Set(t.Context(), person, credentials.Input{Name: "C", Description: new(bad)})
		accesstest.WantCode(t, "credential", err, app.CodeInvalidField)
	}
}

func TestUnclaimedProfilesAreFewAndShortLived(t *testing.T) {
	d := newDesk(t, func(d *accesstest.Desk) { d.Config.MaxUnclaimed = 5 })
	var first app.Profile
	for i := range 3 { // an address leaves as many to others as it has
		p := d.Unlocked()
		if i == 0 {
			first = p
		}
	}
	_, err := d.Profiles.Create(t.Context(), agent, "one more")
	accesstest.WantCode(t, "over quota", err, app.CodeRateLimited)

	accesstest.Must[app.Profile](t)(d.Profiles.Describe(t.Context(), person, first.Handle,
		"mine")) // a person works on one
	second := d.Unlocked()
	_, err = d.Profiles.Create(t.Context(), agent, "one more")
	accesstest.WantCode(t, "over quota again", err, app.CodeRateLimited)

	d.Pass(7 * 24 * time.Hour)
	_, err = d.Keys.Add(t.Context(), agent, second.Handle, accesstest.Keys("A"))
	accesstest.WantCode(t, "work on one that is over", err, app.CodeProfileExpired)
	d.Unlocked() // sweeps
	_, err = d.Profiles.ByID(t.Context(), second.ID)
	accesstest.WantCode(t, "swept", err, app.CodeNotFound)
	if got := accesstest.Must[app.Profile](t)(d.Profiles.ByID(t.Context(), first.ID)); !got.ExpiresAt.IsZero() {
		t.Error("a claimed profile expired by itself")
	}
}

// One address can't use up the quota of unclaimed profiles.
func TestOneAddressDoesNotFillTheQuota(t *testing.T) {
	d := newDesk(t, func(d *accesstest.Desk) { d.Config.MaxUnclaimed = 6 })
	from := func(address string) error {
		_, err := d.Profiles.Create(t.Context(), app.Actor{Kind: app.ActorAgent, Address: address}, "")
		return err
	}
	for i := range 3 {
		if err := from(fmt.Sprintf("2001:db8::%d", i)); err != nil { // one customer's
			t.Fatal(err)
		}
	}
	accesstest.WantCode(t, "one more from there", from("2001:db8::ffff"), app.CodeRateLimited)
	if err := from("192.0.2.1"); err != nil {
		t.Errorf("from elsewhere: %v", err)
	}
}

func TestPersonRevivesAnUnclaimedProfile(t *testing.T) {
	d := newDesk(t)
	p := d.Unlocked("A")
	d.Pass(8 * 24 * time.Hour)
	d.AddCredential("A", app.ModeInjected, "value")
	got := accesstest.Must[app.Profile](t)(d.Keys.Link(t.Context(), person, p.Handle, "A", "A"))
	if !got.ExpiresAt.IsZero() {
		t.Errorf("it still expires at %v", got.ExpiresAt)
	}
	if err := d.Profiles.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	accesstest.Must[app.Profile](t)(d.Keys.Add(t.Context(), agent, p.Handle, accesstest.Keys("B")))
}

func TestWhatOnlyPeopleMayDo(t *testing.T) {
	d := newDesk(t)
	p := d.Linked("A")
	ctx := t.Context()
	before := accesstest.Must[app.Profile](t)(d.Profiles.ByHandle(ctx, p.Handle))
	for _, by := range []app.Actor{agent, {}, {Kind: "root"}} {
		for name, do := range map[string]func() error{
			"link":   func() error { _, err := d.Keys.Link(ctx, by, p.Handle, "A", "A"); return err },
			"unlink": func() error { _, err := d.Keys.Link(ctx, by, p.Handle, "A", ""); return err },
			"hosts": func() error {
				_, err := d.Hosts.Set(ctx, by, p.Handle, accesstest.Hosts(t, "a.example"), nil)
				return err
			},
			"describe": func() error { _, err := d.Profiles.Describe(ctx, by, p.Handle, "x"); return err },
			"lock":     func() error { _, err := d.Lifecycle.Lock(ctx, by, p.Handle, time.Time{}); return err },
			"revoke":   func() error { _, err := d.Lifecycle.Revoke(ctx, by, p.Handle); return err },
			"expiry":   func() error { _, err := d.Lifecycle.SetExpiry(ctx, by, p.Handle, time.Time{}); return err },
			"delete":   func() error { return d.Profiles.Delete(ctx, by, p.Handle) },
			"credential": func() error {
				_, err := d.Credentials.Set(ctx, by, credentials.Input{Name: "A", Value: app.NewSecret("stolen")})
				return err
			},
			"create": func() error {
				_, err := d.Credentials.Create(ctx, by,
					credentials.Input{Name: "N"})
				return err
			},
			"forget":      func() error { return d.Credentials.Delete(ctx, by, "A") },
			"admin token": func() error { _, err := d.AdminToken.Renew(ctx, by); return err },
		} {
			accesstest.WantCode(t, fmt.Sprintf("%s by %q", name, by.Kind), do(), app.CodeForbidden)
		}
	}
	if diff := cmp.Diff(before, accesstest.Must[app.Profile](t)(d.Profiles.ByHandle(ctx, p.Handle))); diff != "" {
		t.Errorf("something changed:\n%s", diff)
	}
}

func TestPoliciesOutliveTheirProfile(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	p := d.Locked("A")
	policy := d.PolicyOf(p)
	if policy.ProfileID != p.ID {
		t.Error("the policy has no profile id")
	}
	if err := d.Profiles.Delete(ctx, person, p.Handle); err != nil {
		t.Fatal(err)
	}
	_, err := d.Profiles.ByID(ctx, p.ID)
	accesstest.WantCode(t, "deleted", err, app.CodeNotFound)
	accesstest.WantCode(t, "deleted again", d.Profiles.Delete(ctx, person, p.Handle), app.CodeNotFound)
	kept := d.PolicyOf(p)
	if kept.Digest() != policy.Digest() || kept.ProfileID != "" {
		t.Errorf("kept: %+v", kept)
	}
	_, err = d.Binder.Policy(ctx, p.Handle, 2)
	accesstest.WantCode(t, "unknown version", err, app.CodeNotFound)
}

func TestChangesNudge(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	p := d.Unlocked("A")
	sub := d.Hub.Subscribe()
	defer sub.Close()
	expect := func(what string, want ...string) {
		t.Helper()
		got := sub.Topics()
		want = append(want, live.Audit) // whatever changes stands in the log
		slices.Sort(got)
		slices.Sort(want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s:\n%s", what, diff)
		}
	}
	d.AddCredential("A", app.ModeInjected, "value")
	expect("a credential that nobody has", live.Credentials)
	accesstest.Must[app.Profile](t)(d.Keys.Link(ctx, person, p.Handle, "A", "A"))
	expect("link", live.Profiles, live.Profile(p.Handle))
	d.AddCredential("A", app.ModeInjected, "value 2")
	expect("a credential in use", live.Credentials, live.Profiles, live.Profile(p.Handle))
	_, _ = d.Keys.Add(ctx, agent, p.Handle, accesstest.Keys("no good"))
	_, _ = d.Keys.Link(ctx, person, p.Handle, "A", "A")
	if got := sub.Topics(); len(got) > 0 {
		t.Errorf("nothing changed, but nudged %v", got)
	}
	if err := d.Profiles.Delete(ctx, person, p.Handle); err != nil {
		t.Fatal(err)
	}
	expect("delete", live.Profiles, live.Profile(p.Handle))
}
