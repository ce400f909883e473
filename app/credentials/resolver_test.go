package credentials_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access/accesstest"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/app/egress/swap"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/store"
)

const sealedValue = "sealed-value-0123456789"

func (d *desk) sealed(name string, at ...string) app.Credential {
	d.T.Helper()
	return accesstest.Must[app.Credential](d.T)(
		d.Credentials.Set(d.T.Context(), person,
			credentials.Input{Name: name, Hosts: accesstest.Hosts(d.T, at...), Value: app.NewSecret(sealedValue)}))
}

// lockedSealed locks a profile with one key, linked to its credential, that asks for hosts.
func (d *desk) lockedSealed(key string, asked ...string) app.Profile {
	d.T.Helper()
	ctx := d.T.Context()
	p := accesstest.Must[app.Profile](d.T)(d.Profiles.Create(ctx, agent, "reports"))
	p = accesstest.Must[app.Profile](d.T)(
		d.Keys.Add(ctx, agent, p.Handle, []app.Key{{Name: key, Hosts: accesstest.Hosts(d.T, asked...)}}))
	accesstest.Must[app.Profile](d.T)(d.Keys.Link(ctx, person, p.Handle, key, key))
	return accesstest.Must[app.Profile](d.T)(d.Lifecycle.Lock(ctx, person, p.Handle, time.Time{}))
}

func (d *desk) resolve(p app.Profile) []secrets.Resolved {
	d.T.Helper()
	return accesstest.Must[[]secrets.Resolved](d.T)(d.Resolver.Resolve(d.T.Context(), p.Handle, d.PolicyOf(p)))
}

func texts(list []app.Host) []string {
	var texts []string
	for _, h := range list {
		texts = append(texts, h.String())
	}
	return texts
}

func TestASealedCredentialKeepsItsRules(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	d.sealed("A", "a.example")
	yes, no := true, false
	for name, in := range map[string]credentials.Input{
		"the last host":   {Name: "A", Hosts: []app.Host{}},
		"a short value":   {Name: "A", Value: app.NewSecret("only 15 bytes..")},
		"another place":   {Name: "A", Places: []app.Place{"fragment"}},
		"a logged header": {Name: "A", Headers: []string{"User-Agent"}},
		"no header":       {Name: "A", Headers: []string{"X Key"}},
		"a database":      {Name: "A", Hosts: []app.Host{{Name: "db.example", Protocol: app.ProtocolTCP}}},
		"a key reference": {Name: "A", Hosts: accesstest.Hosts(t, "{DB_HOST}:443")},
	} {
		_, err := d.Credentials.Set(ctx, person, in)
		accesstest.WantCode(t, name, err, app.CodeInvalidField)
	}
	before := len(d.Actions())
	c := accesstest.Must[app.Credential](t)(
		d.Credentials.Set(ctx, person,
			credentials.Input{Name: "A", Places: []app.Place{app.PlaceBody, app.PlaceQuery, app.PlaceBody},
				Headers: []string{"x-own", "cookie"}, PlainHTTP: &yes}))
	if diff := cmp.Diff([]app.Place{app.PlaceHeader, app.PlaceQuery, app.PlaceBody}, c.Places); diff != "" ||
		!c.PlainHTTP {
		t.Errorf("places: %s plain HTTP: %v", diff, c.PlainHTTP)
	}
	if diff := cmp.Diff([]string{"Cookie", "X-Own"}, c.Headers); diff != "" {
		t.Errorf("headers: %s", diff)
	}
	events := accesstest.Must[[]app.Event](t)(d.Audit.Latest(ctx, 1))
	if events[0].Action != "credential.change" ||
		!strings.Contains(events[0].Detail, "put into header (Cookie, X-Own), query, body, also over plain HTTP") {
		t.Errorf("audited as %+v", events[0])
	}
	if same := accesstest.Must[app.Credential](t)(d.Credentials.Set(ctx, person,
		credentials.Input{Name: "A"})); cmp.Diff(c,
		same) != "" || len(d.Actions()) != before+1 {
		t.Error("what was left out was changed")
	}
	c = accesstest.Must[app.Credential](t)(
		d.Credentials.Set(ctx, person,
			credentials.Input{Name: "A", Places: []app.Place{}, Headers: []string{}, PlainHTTP: &no}))
	if diff := cmp.Diff([]app.Place{app.PlaceHeader}, c.Places); diff != "" || c.PlainHTTP || len(c.Headers) != 0 {
		t.Errorf("places taken back: %s plain HTTP: %v", diff, c.PlainHTTP)
	}
	c = accesstest.Must[app.Credential](t)(
		d.Credentials.Set(ctx, person, credentials.Input{Name: "A", Mode: app.ModeInjected, Hosts: []app.Host{}}))
	if c.Mode != app.ModeInjected || len(c.Hosts) != 0 {
		t.Errorf("unsealed knowingly: %+v", c)
	}
	_, err := d.Credentials.Set(ctx, person, credentials.Input{Name: "A", Mode: app.ModeSealed})
	accesstest.WantCode(t, "sealed without hosts", err, app.CodeInvalidField)
}

func TestSealedNeedsAModeOrHosts(t *testing.T) {
	d := newDesk(t)
	_, err := d.Credentials.Create(t.Context(), person, credentials.Input{Name: "A", Value: app.NewSecret(sealedValue)})
	accesstest.WantCode(t, "neither", err, app.CodeInvalidField)
	if err == nil || !strings.Contains(err.Error(), "hosts") {
		t.Errorf("%v does not say what is missing", err)
	}
	if c := d.sealed("A", "a.example"); c.Mode != app.ModeSealed {
		t.Errorf("a credential with hosts is %s", c.Mode)
	}
	c := accesstest.Must[app.Credential](t)(
		d.Credentials.Create(t.Context(), person,
			credentials.Input{Name: "B", Mode: app.ModeInjected, Hosts: accesstest.Hosts(t, "b.example"),
				Value: app.NewSecret("short")}))
	if c.Mode != app.ModeInjected {
		t.Errorf("ticked injected, got %s", c.Mode)
	}
}

func TestAnAgentsWishForAModeIsNone(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	d.sealed("A", "a.example")
	p := d.Unlocked()
	accesstest.Must[app.Profile](t)(d.Keys.Add(ctx, agent, p.Handle, []app.Key{{Name: "A", Mode: app.ModeInjected}}))
	accesstest.Must[app.Profile](t)(d.Keys.Link(ctx, person, p.Handle, "A", "A"))
	p = accesstest.Must[app.Profile](t)(d.Lifecycle.Lock(ctx, person, p.Handle, time.Time{}))
	if v := d.resolve(p)[0]; v.Mode != app.ModeSealed || v.Placeholder == "" {
		t.Errorf("the key asked for injected and got %s", v.Mode)
	}
}

func TestPlaceholdersAreStable(t *testing.T) {
	d := newDesk(t)
	d.sealed("A", "a.example")
	p := d.lockedSealed("A")
	first := d.resolve(p)[0]
	if !strings.HasPrefix(first.Placeholder, swap.Prefix) || strings.Contains(first.Placeholder, sealedValue) {
		t.Fatalf("placeholder %q", first.Placeholder)
	}
	if again := d.resolve(p)[0]; again.Placeholder != first.Placeholder {
		t.Error("another placeholder in the next execution")
	}
	if other := d.resolve(d.lockedSealed("A"))[0]; other.Placeholder == first.Placeholder {
		t.Error("another profile has the same placeholder")
	}
	d.sealed("A", "a.example") // a new version, though with the same value
	if next := d.resolve(p)[0]; next.Placeholder == first.Placeholder {
		t.Error("another version of the value has the same placeholder")
	}
}

func TestHostsOfASealedValue(t *testing.T) {
	tests := []struct {
		name                 string
		first, asked, then   []string
		want, wantOfLaterOne []string
	}{
		{"all of the credential's", []string{"a.example", "b.example"}, nil, nil, []string{"a.example", "b.example"},
			nil},
		{"narrowed by the key", []string{"*.example.com"}, []string{"api.example.com:443"}, nil,
			[]string{"api.example.com:443"}, nil},
		{"narrowed later", []string{"*.example.com"}, nil, []string{"api.example.com:443"},
			[]string{"api.example.com:443"},
			nil},
		{"widened later", []string{"a.example"}, nil, []string{"a.example", "b.example"}, []string{"a.example"},
			[]string{"a.example", "b.example"}},
		{"ports narrowed later", []string{"a.example:443,8443"}, nil, []string{"a.example:8443"},
			[]string{"a.example:8443"},
			nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := newDesk(t)
			d.sealed("A", test.first...)
			p := d.lockedSealed("A", test.asked...)
			if test.then != nil {
				d.sealed("A", test.then...)
			}
			v := d.resolve(p)[0]
			if diff := cmp.Diff(test.want, texts(v.Hosts)); diff != "" {
				t.Errorf("hosts:\n%s", diff)
			}
			if diff := cmp.Diff([]app.Place{app.PlaceHeader}, v.Places); diff != "" {
				t.Errorf("places:\n%s", diff)
			}
			if test.wantOfLaterOne != nil {
				if diff := cmp.Diff(test.wantOfLaterOne, texts(d.resolve(d.lockedSealed("A"))[0].Hosts)); diff != "" {
					t.Errorf("a profile locked later:\n%s", diff)
				}
			}
		})
	}
	t.Run("none left", func(t *testing.T) {
		d := newDesk(t)
		d.sealed("A", "a.example")
		p := d.lockedSealed("A")
		d.sealed("A", "b.example")
		_, err := d.Resolver.Resolve(t.Context(), p.Handle, d.PolicyOf(p))
		accesstest.WantCode(t, "moved away", err, app.CodeForbidden)
	})
}

func TestNarrowOnlyTakesAway(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	yes, no := true, false
	set := func(in credentials.Input) {
		in.Name = "A"
		accesstest.Must[app.Credential](t)(d.Credentials.Set(ctx, person, in))
	}
	d.sealed("A", "a.example", "b.example")
	set(credentials.Input{Places: []app.Place{app.PlaceQuery}, PlainHTTP: &yes})
	p := d.lockedSealed("A")
	running := d.resolve(p)
	narrow := func() secrets.Resolved {
		t.Helper()
		_, left, err := d.Policies.Restrict(ctx, p.Handle, nil, running)
		if err != nil || len(left) != 1 {
			t.Fatalf("%v, %v", left, err)
		}
		return left[0]
	}
	if diff := cmp.Diff(running[0], narrow(), cmp.AllowUnexported(app.Secret{})); diff != "" {
		t.Errorf("nothing was taken away:\n%s", diff)
	}
	set(credentials.Input{Hosts: accesstest.Hosts(t, "a.example", "b.example", "c.example"),
		Places: []app.Place{app.PlaceQuery, app.PlaceBody}})
	if diff := cmp.Diff(running[0], narrow(), cmp.AllowUnexported(app.Secret{})); diff != "" {
		t.Errorf("a widened credential reached what runs:\n%s", diff)
	}
	set(credentials.Input{Hosts: accesstest.Hosts(t, "b.example:443"), Places: []app.Place{app.PlaceHeader},
		PlainHTTP: &no})
	v := narrow()
	if diff := cmp.Diff([]string{"b.example:443"}, texts(v.Hosts)); diff != "" || v.PlainHTTP || len(v.Places) != 1 ||
		v.Placeholder != running[0].Placeholder {
		t.Errorf("narrowed to %+v", v)
	}
	if len(running[0].Hosts) != 2 || len(running[0].Places) != 2 {
		t.Error("the caller's values were changed")
	}
	set(credentials.Input{Hosts: accesstest.Hosts(t, "d.example")})
	if _, left, err := d.Policies.Restrict(ctx, p.Handle, nil, running); err != nil || len(left) != 0 {
		t.Errorf("moved away: %v, %v", left, err)
	}
	_, _, err := d.Policies.Restrict(ctx, "gone", nil, running)
	accesstest.WantCode(t, "no profile", err, app.CodeNotFound)
}

// A credential's headers only narrow a running policy's, and never widen to all.
func TestHoleM2NarrowedHeaders(t *testing.T) {
	d := newDesk(t)
	d.sealed("A", "a.example")
	p := d.lockedSealed("A")
	name := func(headers ...string) {
		t.Helper()
		accesstest.Must[app.Credential](t)(
			d.Credentials.Set(t.Context(), person, credentials.Input{Name: "A",
				Headers: append([]string{}, headers...)}))
	}
	left := func(running []secrets.Resolved) []string {
		t.Helper()
		_, left, err := d.Policies.Restrict(t.Context(), p.Handle, nil, running)
		if err != nil || len(left) != 1 {
			t.Fatalf("%v, %v", left, err)
		}
		return left[0].Headers
	}
	usual := d.resolve(p)
	if diff := cmp.Diff(app.SealedHeaders(nil), usual[0].Headers); diff != "" {
		t.Errorf("names none: %s", diff)
	}
	name("Cookie", "X-Api-Key")
	if diff := cmp.Diff([]string{"X-Api-Key"}, left(usual)); diff != "" {
		t.Errorf("from the usual ones: %s", diff)
	}
	named := d.resolve(p)
	if diff := cmp.Diff([]string{"Cookie", "X-Api-Key"}, named[0].Headers); diff != "" {
		t.Errorf("names two: %s", diff)
	}
	name("X-Other")
	if got := append(left(usual), left(named)...); len(got) != 0 {
		t.Errorf("nothing in common: %v", got)
	}
	name()
	if diff := cmp.Diff([]string{"X-Api-Key"}, left(named)); diff != "" {
		t.Errorf("the usual ones again: %s", diff)
	}
}

func TestNarrowKnowsTheNewestHosts(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	p := d.Unlocked("DB", "OTHER")
	for key, value := range map[string]string{"DB": "db.example", "OTHER": "other.example"} {
		d.AddCredential(key, app.ModePlain, value)
		accesstest.Must[app.Profile](t)(d.Keys.Link(ctx, person, p.Handle, key, key))
	}
	accesstest.Must[app.Profile](t)(
		d.Hosts.Set(ctx, person, p.Handle, accesstest.Hosts(t, "{DB}:1521", "{OTHER}:1521", "old.example"), nil))
	p = accesstest.Must[app.Profile](t)(d.Lifecycle.Lock(ctx, person, p.Handle, time.Time{}))
	running := d.resolve(p)
	d.AddCredential("DB", "", "moved.example") // what runs keeps the value it has
	accesstest.Must[app.Profile](t)(
		d.Hosts.Set(ctx, person, p.Handle, accesstest.Hosts(t, "{DB}:1521", "{OTHER}:1521", "new.example"), nil))
	allowed, _, err := d.Policies.Restrict(ctx, p.Handle, running[:1], nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"new.example", "db.example:1521"}, texts(allowed)); diff != "" {
		t.Error(diff)
	}
}

// Binding a submission reuses the values decrypted for its redaction.
func TestOneSubmissionDecryptsAValueOnce(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := t.Context()
	p := d.Locked("A", "B")
	known := credentials.Opened{}
	if _, all, err := d.Resolver.KnownValues(ctx, p, known); !all || err != nil || len(known) != 2 {
		t.Fatalf("%d values are known; all: %v; %v", len(known), all, err)
	}
	for token := range known {
		known[token] = app.NewSecret("as it is known")
	}
	d.AddCredential("B", app.ModeInjected, "changed since")
	var got []string
	err := d.Store.Read(ctx, func(tx *store.Tx) error {
		values, here, err := d.Resolver.ResolveIn(ctx, tx, p.Handle, d.PolicyOf(p), known)
		for _, v := range values {
			got = append(got, v.Secret.Reveal())
		}
		if !here {
			t.Error("the values could not be resolved")
		}
		return err
	})
	if diff := cmp.Diff([]string{"as it is known", "changed since"}, got); diff != "" || err != nil {
		t.Error(diff, err)
	}
}
