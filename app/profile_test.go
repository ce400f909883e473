package app

import (
	"errors"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestProfileRules(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	set, unset := []Key{{Name: "A", ValueExists: true}}, []Key{{Name: "A", ValueExists: true}, {Name: "B"}}
	cases := map[string]struct {
		p                          Profile
		state                      State
		use, execute, lock, change Code
	}{
		"new":         {Profile{}, StateUnlocked, "", CodeProfileUnlocked, "", ""},
		"filled":      {Profile{Keys: set}, StateUnlocked, "", CodeProfileUnlocked, "", ""},
		"half filled": {Profile{Keys: unset}, StateUnlocked, "", CodeProfileUnlocked, CodeMissingValue, ""},
		"locked": {Profile{Locked: true, Keys: set}, StateLocked, "", "", CodeProfileLocked,
			CodeProfileLocked},
		"locked without keys": {Profile{Locked: true}, StateLocked, "", "", CodeProfileLocked, CodeProfileLocked},
		"value gone": {Profile{Locked: true, Keys: unset}, StateLocked, "", CodeMissingValue, CodeProfileLocked,
			CodeProfileLocked},
		"revoked": {Profile{Locked: true, Revoked: true, Keys: set}, StateRevoked, CodeProfileRevoked,
			CodeProfileRevoked, CodeProfileRevoked, CodeProfileRevoked},
		"revoked before lock": {Profile{Revoked: true}, StateRevoked, CodeProfileRevoked, CodeProfileRevoked,
			CodeProfileRevoked, CodeProfileRevoked},
		"revoked and expired": {Profile{Locked: true, Revoked: true, ExpiresAt: now}, StateRevoked, CodeProfileRevoked,
			CodeProfileRevoked, CodeProfileRevoked, CodeProfileRevoked},
		"a moment before": {Profile{Locked: true, ExpiresAt: now.Add(1)}, StateLocked, "", "", CodeProfileLocked,
			CodeProfileLocked},
		"expires now": {Profile{Locked: true, ExpiresAt: now}, StateExpired, CodeProfileExpired, CodeProfileExpired,
			CodeProfileExpired, CodeProfileExpired},
		"expired before lock": {Profile{ExpiresAt: now.Add(-time.Hour)}, StateExpired, CodeProfileExpired,
			CodeProfileExpired, CodeProfileExpired, CodeProfileExpired},
		"expires in other zone": {Profile{Locked: true, ExpiresAt: now.Add(time.Second).In(time.FixedZone("x", -7200))},
			StateLocked, "", "", CodeProfileLocked, CodeProfileLocked},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got := c.p.State(now); got != c.state {
				t.Errorf("state %s, want %s", got, c.state)
			}
			got := [4]Code{CodeOf(c.p.CanUse(now)), CodeOf(c.p.CanExecute(now)), CodeOf(c.p.CanLock(now)),
				CodeOf(c.p.CanChangeKeys(now))}
			if want := [4]Code{c.use, c.execute, c.lock, c.change}; got != want {
				t.Errorf("use, execute, lock, change: %q, want %q", got, want)
			}
		})
	}
}

// A missing value can be requested; one of a deleted credential can't.
func TestMissingValueTeaches(t *testing.T) {
	for credential, want := range map[string]string{"c": "set a value for it in Airlock; then GET /profiles/{id}?wait=50",
		"": "Create a new profile"} {
		err := Profile{Locked: true, Keys: []Key{{Name: "A", CredentialID: credential}}}.CanExecute(time.Now())
		var told *Error
		if !errors.As(err, &told) || told.Code != CodeMissingValue || !strings.Contains(told.Hint, want) {
			t.Errorf("credential %q: %+v", credential, told)
		}
	}
}

func TestProfileProperties(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	rapid.Check(t, func(r *rapid.T) {
		p := Profile{Locked: rapid.Bool().Draw(r, "locked"), Revoked: rapid.Bool().Draw(r, "revoked")}
		if rapid.Bool().Draw(r, "expires") {
			p.ExpiresAt = now.Add(time.Duration(rapid.IntRange(-5, 5).Draw(r, "in")))
		}
		for range rapid.IntRange(0, 3).Draw(r, "keys") {
			p.Keys = append(p.Keys, Key{Name: "K", ValueExists: rapid.Bool().Draw(r, "value")})
		}
		execute, lock := p.CanExecute(now) == nil, p.CanLock(now) == nil
		if execute && lock {
			r.Fatalf("it may run before the lock, or be locked again: %+v", p)
		}
		if (execute || lock || p.CanChangeKeys(now) == nil) && p.CanUse(now) != nil {
			r.Fatalf("it may do something but not be used: %+v", p)
		}
		if lock {
			if p.Locked = true; p.CanExecute(now) != nil || p.CanChangeKeys(now) == nil {
				r.Fatalf("the lock didn't make it usable: %+v", p)
			}
		}
		if later := now.Add(time.Hour); p.State(now) == StateExpired && p.State(later) != StateExpired {
			r.Fatalf("it came back to life: %+v", p)
		}
		for _, err := range []error{p.CanUse(now), p.CanExecute(now), p.CanLock(now), p.CanChangeKeys(now)} {
			if e := (*Error)(nil); err != nil && (!errors.As(err, &e) || e.Hint == "" || e.Message == "") {
				r.Fatalf("an error without a next step: %#v", err)
			}
		}
	})
}

// TestCheckReference: an agent may ask only for hosts of keys that can be plain.
func TestCheckReference(t *testing.T) {
	p := Profile{Keys: []Key{{Name: "ASKED"}, {Name: "PLAIN", Mode: ModePlain}, {Name: "INJ", Mode: ModeInjected},
		{Name: "LINKED", Mode: ModeInjected, CredentialID: "c", CredentialMode: ModePlain},
		{Name: "SECRET", CredentialID: "c", CredentialMode: ModeSealed}}}
	for text, want := range map[string]bool{"api.example.com": true, "{ASKED}:1": true, "{PLAIN}:1": true,
		"{LINKED}:1": true, "{INJ}:1": false, "{SECRET}:1": false, "{NOKEY}:1": false} {
		h, err := ParseHost(text)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.CheckReference(h); (err == nil) != want || err != nil && CodeOf(err) != CodeInvalidField {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestSplitDescription: a short first line is the name; a long one is shortened, and the purpose is
// the whole.
func TestSplitDescription(t *testing.T) {
	t.Parallel()
	long := "Quarterly reconciliation of payouts, refunds and chargebacks across every legal entity"
	for _, c := range []struct{ description, name, purpose string }{
		{"", "", ""},
		{" Revenue report \n\n For the board. ", "Revenue report", "For the board."},
		{long, "Quarterly reconciliation of payouts, refunds and…", long},
		{strings.Repeat("ä", 61), strings.Repeat("ä", 59) + "…", strings.Repeat("ä", 61)},
		{strings.Repeat("ä", 60), strings.Repeat("ä", 60), ""},
	} {
		name, purpose := SplitDescription(c.description)
		if name != c.name || purpose != c.purpose {
			t.Errorf("%q: %q and %q, want %q and %q", c.description, name, purpose, c.name, c.purpose)
		}
		if n, p := SplitDescription(JoinDescription(name, purpose)); n != name || p != purpose {
			t.Errorf("joined, %q becomes %q and %q", c.description, n, p)
		}
	}
}
