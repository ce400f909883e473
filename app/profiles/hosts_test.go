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
	"github.com/computclaw/airlock/app/policy"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/store"
)

func private(h app.Host) app.Host { h.Private = true; return h }

func TestProposalsGrantNothing(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	p := accesstest.Must[app.Profile](t)(
		d.Hosts.Propose(ctx, agent, d.Locked("A").Handle,
			[]app.Host{private(accesstest.Host(t, "db.internal")), accesstest.Host(t, "api.example:443")}))
	if diff := cmp.Diff([]string{"?db.internal", "?api.example:443"}, accesstest.Shown(p)); diff != "" {
		t.Error(diff)
	}
	if policy := d.PolicyOf(p); p.Policy != 1 || len(policy.Hosts) != 0 {
		t.Errorf("a proposal changed the policy: %+v", policy)
	}
	again := accesstest.Must[app.Profile](t)(d.Hosts.Propose(ctx, agent, p.Handle,
		accesstest.Hosts(t, "API.example.:443")))
	if diff := cmp.Diff(p, again); diff != "" {
		t.Errorf("the same proposal again:\n%s", diff)
	}
}

func TestAnAgentNeverMakesAHostPrivate(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	p := accesstest.Must[app.Profile](t)(
		d.Hosts.Set(ctx, person, d.Unlocked().Handle, accesstest.Hosts(t, "db.example:5432"), nil))
	p = accesstest.Must[app.Profile](t)(
		d.Hosts.Propose(ctx, agent, p.Handle, []app.Host{private(accesstest.Host(t, "db.example:5432"))}))
	if diff := cmp.Diff([]string{"+db.example:5432"}, accesstest.Shown(p)); diff != "" {
		t.Error(diff)
	}
	p = accesstest.Must[app.Profile](t)(
		d.Hosts.Set(ctx, person, p.Handle, []app.Host{private(accesstest.Host(t, "db.example:5432"))}, nil))
	if diff := cmp.Diff([]string{"+!db.example:5432"}, accesstest.Shown(p)); diff != "" {
		t.Error(diff)
	}
}

// A request for less than is allowed needs no decision.
func TestWhatIsAllowedIsNotAskedFor(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	p := d.Locked("A")
	p = accesstest.Must[app.Profile](t)(
		d.Hosts.Propose(ctx, agent, p.Handle,
			accesstest.Hosts(t, "api.example:443", "api.example:8443", "x.wild.example:80", "wild.example:80")))
	p = accesstest.Must[app.Profile](t)(
		d.Hosts.Set(ctx, person, p.Handle, accesstest.Hosts(t, "api.example", "*.wild.example"), nil))
	want := []string{"+*.wild.example", "+api.example", "?api.example:8443", "?wild.example:80"}
	if diff := cmp.Diff(want, slices.Sorted(slices.Values(accesstest.Shown(p)))); diff != "" {
		t.Error(diff)
	}
	policy := p.Policy
	p = accesstest.Must[app.Profile](t)(
		d.Hosts.Propose(ctx, agent, p.Handle, accesstest.Hosts(t, "api.example:80", "y.wild.example",
			"api.example:8443")))
	if diff := cmp.Diff(want, slices.Sorted(slices.Values(accesstest.Shown(p)))); diff != "" {
		t.Errorf("asked for again:\n%s", diff)
	}
	again := accesstest.Must[app.Profile](t)(
		d.Hosts.Set(ctx, person, p.Handle, accesstest.Hosts(t, "api.example", "*.wild.example"), nil))
	if again.Policy != policy {
		t.Errorf("the same hosts made policy %d of %d", again.Policy, policy)
	}
	asked := accesstest.Host(t, "api.example:80")
	asked.Protocol = app.ProtocolHTTPS
	p = accesstest.Must[app.Profile](t)(d.Hosts.Propose(ctx, agent, p.Handle, []app.Host{asked}))
	if !slices.Contains(accesstest.Shown(p), "?api.example:80") {
		t.Errorf("another protocol is another question: %q", accesstest.Shown(p))
	}
}

func TestSetHostsDecides(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	p := accesstest.Must[app.Profile](t)(
		d.Hosts.Propose(ctx, agent, d.Unlocked().Handle, accesstest.Hosts(t, "a.example", "b.example", "c.example")))
	steps := []struct {
		allowed   []app.Host
		dismissed []string
		want      []string
	}{
		{[]app.Host{private(accesstest.Host(t, "a.example")), accesstest.Host(t, "own.example")}, []string{"c.example"},
			[]string{"+!a.example", "+own.example", "?b.example"}},
		// a person's host goes, an agent's request stays undecided
		{nil, nil, []string{"?a.example", "?b.example"}},
		{accesstest.Hosts(t, "b.example"), []string{"b.example", "a.example"}, []string{"+b.example"}},
		{nil, []string{"b.example"}, nil},
	}
	for i, step := range steps {
		p = accesstest.Must[app.Profile](t)(d.Hosts.Set(ctx, person, p.Handle, step.allowed, step.dismissed))
		if diff := cmp.Diff(step.want, accesstest.Shown(p)); diff != "" {
			t.Errorf("step %d:\n%s", i, diff)
		}
	}
}

func TestHostsAfterTheLockAreANewPolicyVersion(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	p := d.Locked("A")
	first := d.PolicyOf(p)
	p = accesstest.Must[app.Profile](t)(
		d.Hosts.Set(ctx, person, p.Handle, accesstest.Hosts(t, "b.example", "a.example"), nil))
	second := d.PolicyOf(p)
	if p.Policy != 2 || len(second.Hosts) != 2 || second.Hosts[0].Name != "a.example" ||
		cmp.Diff(first.Keys, second.Keys) != "" {
		t.Errorf("version 2: %+v", second)
	}
	p = accesstest.Must[app.Profile](t)(
		d.Hosts.Set(ctx, person, p.Handle, accesstest.Hosts(t, "a.example", "b.example"), nil))
	if p.Policy != 2 {
		t.Error("the same hosts in another order made a version")
	}
	p = accesstest.Must[app.Profile](t)(d.Hosts.Set(ctx, person, p.Handle, nil, nil))
	if p.Policy != 3 || len(d.PolicyOf(p).Hosts) != 0 {
		t.Errorf("narrowed: %+v", d.PolicyOf(p))
	}
	want := []string{"Allowed no hosts.", "Allowed b.example, a.example and nothing else."}
	var told []string
	for _, e := range accesstest.Must[[]app.Event](t)(d.Audit.Latest(ctx, 100)) {
		if e.Action == "profile.hosts" && e.Subject == p.Handle {
			told = append(told, e.Detail)
			if cmp.Diff(person, e.Actor) != "" {
				t.Errorf("event %d was put down to %+v", e.Seq, e.Actor)
			}
		}
	}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("the audit log tells of the two changes:\n%s", diff)
	}
	for version, want := range map[int]string{1: first.Digest(), 2: second.Digest(), 3: first.Digest()} {
		if got := accesstest.Must[app.Policy](t)(d.Binder.Policy(ctx, p.Handle, version)); got.Digest() != want {
			t.Errorf("version %d changed", version)
		}
	}
}

// A second person's outdated list must not restore removed hosts.
func TestHostsAreSetAsTheyWereSeen(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	p := d.Locked("A")
	first := accesstest.Must[app.Profile](t)(
		d.Hosts.Set(ctx, person, p.Handle, accesstest.Hosts(t, "a.example", "b.example"), nil))
	d.Pass(time.Minute)
	accesstest.Must[app.Profile](t)(
		d.Hosts.SetAsSeen(ctx, person, p.Handle, first.UpdatedAt, accesstest.Hosts(t, "a.example"), nil))
	_, err := d.Hosts.SetAsSeen(ctx, person, p.Handle, first.UpdatedAt,
		accesstest.Hosts(t, "a.example", "b.example", "c.example"), nil)
	accesstest.WantCode(t, "of before", err, app.CodeConflict)
	if now := accesstest.Must[app.Profile](t)(d.Profiles.ByHandle(ctx, p.Handle)); len(d.PolicyOf(now).Hosts) != 1 {
		t.Errorf("hosts %v", d.PolicyOf(now).Hosts)
	}
}

func TestReasonsAreNoPartOfThePolicy(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	h := accesstest.Host(t, "a.example")
	p := accesstest.Must[app.Profile](t)(d.Hosts.Set(ctx, person, d.Locked().Handle, []app.Host{h}, nil))
	h.Reason = "because"
	p = accesstest.Must[app.Profile](t)(d.Hosts.Set(ctx, person, p.Handle, []app.Host{h}, nil))
	if p.Policy != 2 || p.Hosts[0].Reason != "because" || d.PolicyOf(p).Hosts[0].Reason != "" {
		t.Errorf("policy %d, %+v", p.Policy, p.Hosts)
	}
}

func TestBadHostsAreRefused(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	p := d.Unlocked()
	many := make([]app.Host, app.MaxHosts+1)
	for i := range many {
		many[i] = app.Host{Name: fmt.Sprintf("h%d.example", i)}
	}
	other := accesstest.Host(t, "a.example")
	other.Protocol = app.ProtocolTCP
	for name, list := range map[string][]app.Host{
		"nothing at all": {{}}, "address trick": {{Name: "0x7f.1"}}, "number": {{Name: "2130706433"}},
		"url":  {{Name: "http://a.example"}},
		"user": {{Name: "a@b.example"}}, "nul": {{Name: "a\x00.example"}}, "star": {{Name: "*"}},
		"tld":  {{Name: "*.com"}},
		"port": {{Name: "a.example", Ports: []int{0}}},
		"zone": {{Name: "fe80::1%eth0"}}, "reference": {{Name: "{not a key}"}},
		"contradiction": {accesstest.Host(t, "a.example"), other}, "too many": many,
		"protocol": {{Name: "a.example", Protocol: "gopher"}}, "this host": {{Name: "127.0.0.1"}},
		"this host's name": {{Name: "localhost"}},
		"below it":         {{Name: "x.localhost"}}, "v6": {{Name: "::1"}}, "metadata": {{Name: "169.254.169.254"}},
		"any": {{Name: "0.0.0.0"}}, "group": {{Name: "224.0.0.1"}}, "reason": {{Name: "a.example", Reason: "\x00"}},
	} {
		_, err := d.Hosts.Propose(ctx, agent, p.Handle, list)
		accesstest.WantCode(t, "propose "+name, err, app.CodeInvalidField)
		_, err = d.Hosts.Set(ctx, person, p.Handle, list, nil)
		accesstest.WantCode(t, "set "+name, err, app.CodeInvalidField)
	}
	_, err := d.Hosts.Propose(ctx, agent, p.Handle, nil)
	accesstest.WantCode(t, "propose none", err, app.CodeInvalidField)
	accesstest.Must[app.Profile](t)(d.Hosts.Propose(ctx, agent, p.Handle, many[:app.MaxHosts]))
	_, err = d.Hosts.Propose(ctx, agent, p.Handle, many[app.MaxHosts:])
	accesstest.WantCode(t, "one more", err, app.CodeInvalidField)
}

func TestReferencesNeedAPlainKey(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	d.AddCredential("DB_HOST", app.ModePlain, " db.internal.example\n")
	d.AddCredential("SECRET", app.ModeInjected, "hunter2hunter2")
	p := d.Unlocked("DB_HOST", "SECRET")
	for _, k := range []string{"DB_HOST", "SECRET"} {
		accesstest.Must[app.Profile](t)(d.Keys.Link(ctx, person, p.Handle, k, k))
	}
	for ref, want := range map[string]app.Code{"{SECRET}": app.CodeInvalidField, "{NOBODY}": app.CodeInvalidField} {
		accesstest.Must[app.Profile](t)(d.Hosts.Set(ctx, person, p.Handle, accesstest.Hosts(t, ref), nil))
		_, err := d.Lifecycle.Lock(ctx, person, p.Handle, time.Time{})
		accesstest.WantCode(t, ref, err, want)
	}
	accesstest.Must[app.Profile](t)(
		d.Hosts.Set(ctx, person, p.Handle,
			[]app.Host{private(accesstest.Host(t, "{DB_HOST}:1521")), accesstest.Host(t, "api.example")}, nil))
	d.AddCredential("DB_HOST", app.ModePlain, "https://db.internal.example")
	_, err := d.Lifecycle.Lock(ctx, person, p.Handle, time.Time{})
	accesstest.WantCode(t, "no host name", err, app.CodeInvalidField)
	if err == nil || !strings.Contains(err.Error(), "DB_HOST") || strings.Contains(err.Error(), "internal") {
		t.Errorf("the refusal is %v", err)
	}
	d.AddCredential("DB_HOST", app.ModePlain, " db.internal.example\n")
	p = accesstest.Must[app.Profile](t)(d.Lifecycle.Lock(ctx, person, p.Handle, time.Time{}))
	_, err = d.Hosts.Set(ctx, person, p.Handle, accesstest.Hosts(t, "{SECRET}"), nil)
	accesstest.WantCode(t, "after the lock", err, app.CodeInvalidField)

	got := accesstest.Must[[]app.Host](t)(
		policy.ResolveHosts(d.PolicyOf(p), accesstest.Must[[]secrets.Resolved](t)(d.Resolver.Resolve(ctx, p.Handle,
			d.PolicyOf(p)))))
	want := []app.Host{accesstest.Host(t, "api.example"), private(accesstest.Host(t, "db.internal.example:1521"))}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, bad := range []string{"*.example.com", "{DB_HOST}", "a.example:22", "a.example,b.example",
		"http://a.example",
		"0x7f.1", "not a host", "a\nb"} {
		d.AddCredential("DB_HOST", app.ModePlain, bad)
		_, err := policy.ResolveHosts(d.PolicyOf(p),
			accesstest.Must[[]secrets.Resolved](t)(d.Resolver.Resolve(ctx, p.Handle, d.PolicyOf(p))))
		accesstest.WantCode(t, bad, err, app.CodeInvalidField)
	}
	d.AddCredential("DB_HOST", app.ModeInjected, "db.internal.example")
	_, err = policy.ResolveHosts(d.PolicyOf(p),
		accesstest.Must[[]secrets.Resolved](t)(d.Resolver.Resolve(ctx, p.Handle, d.PolicyOf(p))))
	accesstest.WantCode(t, "secret now", err, app.CodeInvalidField)
	if err != nil && strings.Contains(err.Error(), "internal") {
		t.Errorf("%v tells the value", err)
	}
	_, err = policy.ResolveHosts(d.PolicyOf(p), nil)
	accesstest.WantCode(t, "no value", err, app.CodeMissingValue)
}

// TestReferencesThatNameNothing: a {KEY} host of a missing or secret key is refused; plain ones are
// resolved.
func TestReferencesThatNameNothing(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	d.AddCredential("DB_HOST", app.ModePlain, " db.internal.example\n")
	d.AddCredential("URL", app.ModePlain, "https://db.internal.example")
	d.AddCredential("SECRET", app.ModeInjected, "hunter2hunter2")
	p := d.Unlocked("DB_HOST", "SECRET", "URL")
	for _, k := range []string{"DB_HOST", "SECRET", "URL"} {
		p = accesstest.Must[app.Profile](t)(d.Keys.Link(ctx, person, p.Handle, k, k))
	}
	for _, bad := range []string{"{NOKEY}:443", "{SECRET}:443"} {
		_, err := d.Hosts.Propose(ctx, agent, p.Handle, accesstest.Hosts(t, "fine.example", bad))
		accesstest.WantCode(t, bad, err, app.CodeInvalidField)
	}
	p = accesstest.Must[app.Profile](t)(d.Hosts.Propose(ctx, agent, p.Handle, accesstest.Hosts(t, "{DB_HOST}:443")))
	if len(p.Hosts) != 1 {
		t.Errorf("the hosts are %v", p.Hosts)
	}
	named := accesstest.Must[map[string]string](t)(d.Policies.NamedHosts(ctx, p))
	if len(named) != 1 || named["DB_HOST"] != "db.internal.example" {
		t.Errorf("named: %v", named)
	}
}

// TestCredentialsOfThisMachineAreRefused: no script reaches Airlock's own machine, so no value goes
// there.
func TestCredentialsOfThisMachineAreRefused(t *testing.T) {
	d := newDesk(t)
	for _, bad := range []string{"127.0.0.1", "[::1]:8443", "localhost", "169.254.169.254"} {
		_, err := d.Credentials.Set(t.Context(), person,
			credentials.Input{Name: "A", Hosts: accesstest.Hosts(t, bad),
				Value: app.NewSecret("long-enough-and-hard-to-guess-1")})
		accesstest.WantCode(t, bad, err, app.CodeInvalidField)
	}
	accesstest.Must[app.Credential](t)(
		d.Credentials.Set(t.Context(), person,
			credentials.Input{Name: "A", Hosts: accesstest.Hosts(t, "192.0.2.7:443"),
				Value: app.NewSecret("long-enough-and-hard-to-guess-1")}))
}

// A host allowed by its name keeps the request's reason.
func TestAllowedHostsKeepTheirReason(t *testing.T) {
	d := newDesk(t)
	asked := accesstest.Host(t, "api.example:443")
	asked.Reason = "revenue data"
	p := accesstest.Must[app.Profile](t)(d.Hosts.Propose(t.Context(), agent, d.Locked("A").Handle, []app.Host{asked}))
	p = accesstest.Must[app.Profile](t)(
		d.Hosts.Set(t.Context(), person, p.Handle, accesstest.Hosts(t, "api.example:443", "other.example:443"), nil))
	var got []string
	for _, h := range p.Hosts {
		got = append(got, h.String()+" "+h.Reason)
	}
	if diff := cmp.Diff([]string{"api.example:443 revenue data", "other.example:443 "}, got); diff != "" {
		t.Error(diff)
	}
}

// TestAnAddressIsNotAllowed: no box has a route to one. One allowed earlier stays until removed, so
// other hosts can be changed.
func TestAnAddressIsNotAllowed(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	p := d.Locked("A")
	set := func(texts ...string) error {
		_, err := d.Hosts.Set(ctx, person, p.Handle, accesstest.Hosts(t, texts...), nil)
		return err
	}
	accesstest.Must[app.Profile](t)(d.Hosts.Set(ctx, person, p.Handle, accesstest.Hosts(t, "a.example", "b.example"), nil))
	for _, bad := range []string{"93.184.215.14:443", "10.0.0.7", "[fd00::7]:5432"} {
		accesstest.WantCode(t, bad, set("a.example", "b.example", bad), app.CodeInvalidField)
		_, err := d.Hosts.Propose(ctx, agent, p.Handle, accesstest.Hosts(t, bad))
		accesstest.WantCode(t, bad, err, app.CodeInvalidField)
	}
	old := accesstest.Hosts(t, "a.example", "b.example", "10.0.0.7")
	stored := accesstest.Must[app.Profile](t)(d.Profiles.ByHandle(ctx, p.Handle))
	if err := d.Store.Write(ctx, func(tx *store.Tx) error {
		row, err := tx.Profiles.ByHandle(ctx, p.Handle)
		if err != nil {
			return err
		}
		return tx.Profiles.DecideHosts(ctx, row.Row, old, nil, person, stored.UpdatedAt)
	}); err != nil {
		t.Fatal(err)
	}
	for _, kept := range [][]string{{"a.example", "10.0.0.7"}, {"a.example"}} {
		if err := set(kept...); err != nil {
			t.Errorf("%v: %v", kept, err)
		}
	}
	accesstest.WantCode(t, "again", set("a.example", "10.0.0.7"), app.CodeInvalidField)
}
