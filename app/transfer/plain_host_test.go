package transfer

import (
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/app/policy"
)

// TestHoleG2PlainHostOfALockedProfile: a plain value that names a host of a locked profile is part
// of what was locked. An import shows the old and the new host, and wants a yes of its own.
func TestHoleG2PlainHostOfALockedProfile(t *testing.T) {
	ctx := t.Context()
	h, other := newFixture(t, "bbbb"), newFixture(t, "aaaa")
	h.plain("DB_HOST", "db.corp.example")
	h.Credential("DB_PASSWORD", "an-injected-password")
	p := h.Locked("reports", []string{"DB_HOST", "DB_PASSWORD"}, "{DB_HOST}:5432")
	other.plain("DB_HOST", "evil.example")
	other.Locked("copies", []string{"DB_HOST"}, "{DB_HOST}:5432")
	file := other.export(all())

	plan := h.plan(file)
	item := state(plan, "credential:DB_HOST")
	if !item.Asks {
		t.Error("another host needs no yes")
	}
	says(t, said(item), "Value names the host: evil.example instead of db.corp.example")
	for _, i := range plan.Items {
		if i.Kind == "profile" {
			says(t, said(i), "Reaches: {DB_HOST} (evil.example) on port 5432")
		}
	}
	for _, step := range []struct {
		choice Choice
		want   string
	}{
		{Choice{}, "db.corp.example"},
		{yesTo("credential:DB_HOST"), "evil.example"},
	} {
		h.take(file, step.choice)
		granted := must[app.Policy](t)(h.Desk.Binder.Policy(ctx, p.Handle, p.Policy))
		values := must[[]credentials.Value](t)(h.Desk.Resolver.Resolve(ctx, p.Handle, granted))
		if list := must[[]app.Host](t)(policy.ResolveHosts(granted, values)); list[0].Name != step.want {
			t.Errorf("after %+v the locked profile reaches %v", step.choice, list)
		}
	}
}

func (h *fixture) plain(name, value string) {
	h.T.Helper()
	in := credentials.Input{Name: name, Mode: app.ModePlain, Value: app.NewSecret(value)}
	must[app.Credential](h.T)(h.Desk.Credentials.Set(h.T.Context(), person(), in))
}
