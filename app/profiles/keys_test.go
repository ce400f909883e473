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
)

func TestKeysAreRequestsUntilAPersonLinksThem(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	d.AddCredential("DB_PASSWORD", app.ModeInjected, "value")
	p := accesstest.Must[app.Profile](t)(d.Keys.Add(ctx, agent, d.Unlocked().Handle, []app.Key{{
		Name: "DB_PASSWORD", Description: "to read", Mode: app.ModeSealed,
		Hosts:          []app.Host{{Name: "DB.example.", Ports: []int{5432}, Private: true}},
		CredentialID:   accesstest.Must[app.Credential](t)(d.Credentials.ByName(ctx, "DB_PASSWORD")).ID,
		Credential:     "DB_PASSWORD",
		CredentialMode: app.ModePlain, ValueExists: true,
	}}))
	want := []app.Key{{Name: "DB_PASSWORD", Description: "to read", Mode: app.ModeSealed,
		Hosts: []app.Host{{Name: "db.example", Ports: []int{5432}}}}}
	if diff := cmp.Diff(want, p.Keys); diff != "" {
		t.Errorf("an agent linked a key, or found out that a credential exists:\n%s", diff)
	}
	p = accesstest.Must[app.Profile](t)(d.Keys.Link(ctx, person, p.Handle, "DB_PASSWORD", "DB_PASSWORD"))
	if k := p.Keys[0]; !k.ValueExists || k.Credential != "DB_PASSWORD" || k.CredentialMode != app.ModeInjected {
		t.Errorf("linked: %+v", k)
	}
	p = accesstest.Must[app.Profile](t)(d.Keys.Link(ctx, person, p.Handle, "DB_PASSWORD", ""))
	if diff := cmp.Diff(want, p.Keys); diff != "" {
		t.Errorf("unlinked:\n%s", diff)
	}
	_, err := d.Keys.Link(ctx, person, p.Handle, "DB_PASSWORD", "NO_SUCH")
	accesstest.WantCode(t, "unknown credential", err, app.CodeNotFound)
	_, err = d.Keys.Link(ctx, person, p.Handle, "NO_SUCH", "DB_PASSWORD")
	accesstest.WantCode(t, "unknown key", err, app.CodeNotFound)
}

func TestAKeyMayBeLinkedToAnotherName(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	d.AddCredential("STAGING_DB_HOST", app.ModeInjected, "staging")
	d.AddCredential("PRODUCTION_DB_HOST", app.ModeInjected, "production")
	for _, env := range []string{"STAGING", "PRODUCTION"} {
		p := d.Unlocked("DB_HOST")
		accesstest.Must[app.Profile](t)(d.Keys.Link(ctx, person, p.Handle, "DB_HOST", env+"_DB_HOST"))
		p = accesstest.Must[app.Profile](t)(d.Lifecycle.Lock(ctx, person, p.Handle, time.Time{}))
		if got := d.Values(p)["DB_HOST"]; got != strings.ToLower(env) {
			t.Errorf("%s profile got %q", env, got)
		}
	}
}

func TestAddKeysIsAllOrNone(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	p := d.Linked("LINKED")
	for name, keys := range map[string][]app.Key{
		"bad name":       accesstest.Keys("OK", "not ok"),
		"digit first":    accesstest.Keys("OK", "1A"),
		"empty":          {},
		"twice":          accesstest.Keys("OK", "OK"),
		"unknown mode":   {{Name: "OK"}, {Name: "B", Mode: "open"}},
		"bad host":       {{Name: "OK"}, {Name: "B", Hosts: []app.Host{{Name: "0x7f.1"}}}},
		"linked changes": {{Name: "OK"}, {Name: "LINKED", Description: "other"}},
		"too many": accesstest.Keys(slices.Collect(func(yield func(string) bool) {
			for i := range app.MaxKeys {
				if !yield(fmt.Sprint("K", i)) {
					return
				}
			}
		})...),
	} {
		if _, err := d.Keys.Add(ctx, agent, p.Handle, keys); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if got := accesstest.Must[app.Profile](t)(d.Profiles.ByHandle(ctx, p.Handle)); len(got.Keys) != 1 ||
		got.UpdatedAt != p.UpdatedAt {
		t.Errorf("a refused request left %+v", got.Keys)
	}
	again := accesstest.Must[app.Profile](t)(d.Keys.Add(ctx, agent, p.Handle, accesstest.Keys("LINKED"))) // a retry
	if diff := cmp.Diff(p, again); diff != "" {
		t.Errorf("a retry changed:\n%s", diff)
	}
	_ = accesstest.Must[app.Profile](t)(d.Keys.Add(ctx, agent, p.Handle, accesstest.Keys("NEW")))
	replaced := accesstest.Must[app.Profile](t)(
		d.Keys.Add(ctx, agent, p.Handle, []app.Key{{Name: "NEW", Description: "another reason"}}))
	if got := replaced.Keys[1]; got.Description != "another reason" || len(replaced.Keys) != 2 ||
		!replaced.Keys[0].ValueExists {
		t.Errorf("replaced: %+v", replaced.Keys)
	}
}
