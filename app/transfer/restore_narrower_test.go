package transfer

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/store"
)

// restoredLater makes a copy, lets later change what is there, and puts the copy in its place.
func (h *fixture) restoredLater(kind string, later func()) (*access.Parts, Restored) {
	t := h.T.(*testing.T)
	copied := filepath.Join(t.TempDir(), "copy")
	if kind == "file" {
		h.No(os.WriteFile(copied, h.export(all()), 0o600))
	} else {
		h.No(os.Rename(filepath.Join(h.Dir, must[string](t)(h.keepRestorePoint(t.Context()))), copied))
	}
	later()
	h.No(h.Store.Close())
	r := Restore{Dir: h.Dir, Keyring: h.Ring, Replace: true, By: person(), Log: slog.New(slog.DiscardHandler)}
	var done Restored
	var err error
	if kind == "file" {
		done, err = r.FromFile(t.Context(), must[Upload](t)(OpenFile(copied, app.NewSecret(words))), nil)
	} else {
		done, err = r.FromPoint(t.Context(), copied)
	}
	if err != nil || !done.Kept {
		t.Fatalf("%+v, %v", done, err)
	}
	desk, _ := opened(t, h.Dir, h.Ring)
	if broken := must[int64](t)(desk.Audit.Verify(t.Context())); broken != 0 {
		t.Errorf("the audit log breaks at %d", broken)
	}
	return desk, done
}

// TestHoleG3RestoreGivesBack: a copy in the place of a later state of the same database gives no
// profile and no credential more than both of them allow.
func TestHoleG3RestoreGivesBack(t *testing.T) {
	set := func(name string, change func(in *credentials.Input)) func(*fixture) {
		return func(h *fixture) {
			in := credentials.Input{Name: name}
			change(&in)
			must[app.Credential](h.T)(h.Desk.Credentials.Set(h.T.Context(), person(), in))
		}
	}
	allow := func(description string, entries ...string) func(*fixture) {
		return func(h *fixture) {
			for _, p := range must[[]app.Profile](h.T)(h.Desk.Profiles.List(h.T.Context())) {
				if p.Description == description {
					must[app.Profile](h.T)(h.Desk.Hosts.Set(h.T.Context(), person(), p.Handle, hosts(h.T, entries...), nil))
				}
			}
		}
	}
	no := false
	for _, tt := range []struct {
		name  string
		later func(*fixture)
		want  string // of the profile, and of its credential
	}{
		{"nothing", func(*fixture) {}, "api.example.com, evil.example, {DB}:5432; KEY sealed api.example.com, evil.example " +
			"[header body] [Cookie X-Own] true"},
		{"a host is gone", allow("reports", "api.example.com", "{DB}:5432"), "api.example.com, {DB}:5432; KEY sealed " +
			"api.example.com, evil.example [header body] [Cookie X-Own] true"},
		{"more hosts", allow("reports", "api.example.com", "evil.example", "more.example", "{DB}:5432"), "api.example.com, " +
			"evil.example, {DB}:5432; KEY sealed api.example.com, evil.example [header body] [Cookie X-Own] true"},
		{"a plain host", set("DB", func(in *credentials.Input) { in.Value = app.NewSecret("db2.example") }),
			"api.example.com, evil.example; KEY sealed api.example.com, evil.example [header body] [Cookie X-Own] true"},
		{"a credential's host", set("KEY",
			func(in *credentials.Input) { in.Hosts = hosts(t, "api.example.com", "b.example") }),
			"api.example.com, evil.example, {DB}:5432; KEY sealed api.example.com [header body] [Cookie X-Own] true"},
		{"a place", set("KEY", func(in *credentials.Input) { in.Places = []app.Place{app.PlaceHeader, app.PlaceQuery} }),
			"api.example.com, evil.example, {DB}:5432; KEY sealed api.example.com, evil.example [header] [Cookie X-Own] true"},
		{"a header", set("KEY", func(in *credentials.Input) { in.Headers = []string{"X-Own", "X-Other"} }),
			"api.example.com, evil.example, {DB}:5432; KEY sealed api.example.com, evil.example [header body] [X-Own] true"},
		{"plain HTTP", set("KEY", func(in *credentials.Input) { in.PlainHTTP = &no }), "api.example.com, " +
			"evil.example, {DB}:5432; KEY sealed api.example.com, evil.example [header body] [Cookie X-Own] false"},
		{"no host in common", set("KEY", func(in *credentials.Input) { in.Hosts = hosts(t, "b.example") }), "revoked"},
		{"no header in common", set("KEY", func(in *credentials.Input) { in.Headers = []string{"X-Other"} }), "revoked"},
	} {
		for _, kind := range []string{"point", "file"} {
			t.Run(tt.name+", "+kind, func(t *testing.T) {
				h, yes := newFixture(t, "aaaa"), true
				h.plain("DB", "db.example")
				set("KEY", func(in *credentials.Input) {
					*in = credentials.Input{Name: "KEY", Value: app.NewSecret("a-sealed-value-0123456789"), Mode: app.ModeSealed,
						Hosts: hosts(t, "api.example.com", "evil.example"), Places: []app.Place{app.PlaceHeader, app.PlaceBody},
						Headers: []string{"X-Own", "Cookie"}, PlainHTTP: &yes}
				})(h)
				p := h.Locked("reports", []string{"KEY", "DB"}, "api.example.com", "evil.example", "{DB}:5432")
				desk, done := h.restoredLater(kind, func() { tt.later(h) })
				if got := grantedNow(t, desk, p); got != tt.want {
					t.Errorf("\n%s, want\n%s", got, tt.want)
				}
				if (len(done.Said) > 0) != (tt.name != "nothing" && tt.name != "more hosts") {
					t.Errorf("it said %q", done.Said)
				}
			})
		}
	}
}

// grantedNow says what a profile grants, by its policy and its page, and what its KEY is.
func grantedNow(t *testing.T, desk *access.Parts, p app.Profile) string {
	now := must[app.Profile](t)(desk.Profiles.ByID(t.Context(), p.ID))
	if now.Revoked {
		return "revoked"
	}
	policy := must[app.Policy](t)(desk.Binder.Policy(t.Context(), now.Handle, now.Policy))
	if !app.SameHosts(app.WithoutReasons(app.AllowedHosts(now.Hosts)), policy.Hosts) {
		t.Errorf("the page shows %v, the policy grants %v", now.Hosts, policy.Hosts)
	}
	c := must[app.Credential](t)(desk.Credentials.ByName(t.Context(), "KEY"))
	return fmt.Sprintf("%s; KEY %s %s %v %v %v", app.BriefHosts(policy.Hosts), c.Mode, app.BriefHosts(c.Hosts), c.Places,
		c.Headers, c.PlainHTTP)
}

// TestHoleG3RestoreWeakensNoMode: a credential keeps the stronger mode of both, or where its value
// can't have it, its profile is revoked.
func TestHoleG3RestoreWeakensNoMode(t *testing.T) {
	const long = "a-value-of-many-characters"
	for _, tt := range []struct {
		value         string // in the copy
		before, after app.Mode
		want          string
	}{
		{long, app.ModeInjected, app.ModeSealed, "api.example.com; KEY sealed api.example.com [header] [] false"},
		{long, app.ModePlain, app.ModeInjected, "api.example.com; KEY injected  [header] [] false"},
		{long, app.ModeSealed, app.ModeInjected, "api.example.com; KEY sealed api.example.com [header] [] false"},
		{"short", app.ModeInjected, app.ModeSealed, "revoked"},
	} {
		t.Run(fmt.Sprint(len(tt.value), tt.before, tt.after), func(t *testing.T) {
			h := newFixture(t, "aaaa")
			in := credentials.Input{Name: "KEY", Value: app.NewSecret(tt.value), Mode: tt.before}
			if tt.before == app.ModeSealed {
				in.Hosts = hosts(t, "api.example.com")
			}
			must[app.Credential](t)(h.Desk.Credentials.Set(t.Context(), person(), in))
			p := h.Locked("reports", []string{"KEY"}, "api.example.com")
			desk, _ := h.restoredLater("point", func() {
				in := credentials.Input{Name: "KEY", Value: app.NewSecret(long), Mode: tt.after}
				if tt.after == app.ModeSealed {
					in.Hosts = hosts(t, "api.example.com")
				}
				must[app.Credential](t)(h.Desk.Credentials.Set(t.Context(), person(), in))
			})
			if got := grantedNow(t, desk, p); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
			events := must[[]app.Event](t)(desk.Audit.Latest(t.Context(), 10))
			if said := fmt.Sprint(events); tt.before != app.ModeSealed && !strings.Contains(said, "took the place of") &&
				!strings.Contains(said, "from the copy alone") {
				t.Errorf("the audit log says %s", said)
			}
		})
	}
}

// TestHoleH2HostOfALaterState: a host that got the value only after a copy was made is still searched
// for it after the copy took the place of the later state, and the credential doesn't belong there.
func TestHoleH2HostOfALaterState(t *testing.T) {
	both := credentials.Input{Hosts: hosts(t, "api.example.com", "b.example")}
	one := credentials.Input{Hosts: hosts(t, "api.example.com")}
	rotated := credentials.Input{Value: app.NewSecret("another-sealed-value-987654321")}
	for name, later := range map[string][]credentials.Input{
		"added":                {both},
		"added and rotated":    {both, rotated},
		"rotated and added":    {rotated, both},
		"added and taken away": {both, one},
		"moved":                {{Hosts: hosts(t, "b.example")}},
	} {
		for _, kind := range []string{"point", "file"} {
			t.Run(name+" "+kind, func(t *testing.T) {
				h := newFixture(t, "aaaa")
				set := func(in credentials.Input) {
					in.Name = "KEY"
					must[app.Credential](t)(h.Desk.Credentials.Set(t.Context(), person(), in))
				}
				set(credentials.Input{Value: app.NewSecret("a-sealed-value-0123456789"), Mode: app.ModeSealed,
					Hosts: hosts(t, "api.example.com")})
				h.Locked("watch", nil, "b.example")
				desk, done := h.restoredLater(kind, func() {
					for _, in := range later {
						set(in)
					}
				})
				if known, err := desk.SearchSets.Known(t.Context(), "b.example", 443); known == nil || err != nil {
					t.Errorf("b.example is not searched, %v; %q", err, done.Said)
				}
				c := must[app.Credential](t)(desk.Credentials.ByName(t.Context(), "KEY"))
				if got := app.BriefHosts(c.Hosts); got != "api.example.com" {
					t.Errorf("belongs to %s; %q", got, done.Said)
				}
			})
		}
	}
}

// TestHoleG3BackupSettingsOfTheLaterState: a copy doesn't turn backups on again, nor bring back
// their passphrase.
func TestHoleG3BackupSettingsOfTheLaterState(t *testing.T) {
	for _, kind := range []string{"point", "file"} {
		t.Run(kind, func(t *testing.T) {
			h := newFixture(t, "aaaa")
			h.Credential("KEY", "a value of some length")
			h.setBackup("on, with a passphrase that leaked")
			_, done := h.restoredLater(kind, func() { h.setBackup("off, with a new passphrase") })
			_, st := opened(t, h.Dir, h.Ring)
			h.No(st.Read(t.Context(), func(tx *store.Tx) error {
				set, _, err := tx.Settings.Get(t.Context(), SettingBackup)
				h.No(err)
				got, err := h.Ring.Open(secrets.Settings, SettingBackup, set.Value)
				if string(got) != "off, with a new passphrase" {
					t.Errorf("%q; %q", got, done.Said)
				}
				return err
			}))
		})
	}
}

// TestHoleG3PolicyThatGrantsMoreThanItsPage: a copy whose policy grants more than the profile's
// page shows loses it in a restore, and where it is there already, when a person saves the page.
func TestHoleG3PolicyThatGrantsMoreThanItsPage(t *testing.T) {
	ctx := t.Context()
	h := newFixture(t, "aaaa")
	p := h.Locked("reports", nil, "api.example.com")
	h.No(h.Store.Write(ctx, func(tx *store.Tx) error {
		now, err := tx.Profiles.ByHandle(ctx, p.Handle)
		if err != nil {
			return err
		}
		more := must[app.Policy](t)(tx.Policies.Version(ctx, p.Handle, p.Policy))
		now.Policy++
		more.Version, more.Hosts = now.Policy, hosts(t, "api.example.com", "evil.example")
		if err := tx.Policies.Insert(ctx, p.Handle, more); err != nil {
			return err
		}
		_, err = tx.Profiles.Update(ctx, now, now.UpdatedAt, now.UpdatedAt, now.UpdatedAt)
		return err
	}))
	point := filepath.Join(h.Dir, must[string](t)(h.keepRestorePoint(ctx)))
	saved := must[app.Profile](t)(h.Desk.Hosts.Set(ctx, person(), p.Handle, hosts(t, "api.example.com"), nil))
	dir := t.TempDir()
	r := Restore{Dir: dir, Keyring: h.Ring, By: person(), Log: slog.New(slog.DiscardHandler)}
	must[Restored](t)(r.FromPoint(ctx, point))
	desk, _ := opened(t, dir, h.Ring)
	for what, policy := range map[string]app.Policy{
		"saved": must[app.Policy](t)(h.Desk.Binder.Policy(ctx, p.Handle, saved.Policy)),
		"restored": must[app.Policy](t)(
			desk.Binder.Policy(ctx, p.Handle, must[app.Profile](t)(desk.Profiles.ByID(ctx, p.ID)).Policy)),
	} {
		if got := app.BriefHosts(policy.Hosts); got != "api.example.com" {
			t.Errorf("%s: the policy grants %s", what, got)
		}
	}
}
