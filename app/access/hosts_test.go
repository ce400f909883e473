package access

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/computclaw/airlock/app"
)

// shown is a profile's hosts as "+allowed" and "?undecided".
func shown(p app.Profile) []string {
	var list []string
	for _, h := range p.Hosts {
		mark := "?"
		if h.Allowed {
			mark = "+"
		}
		if h.Private {
			mark += "!"
		}
		list = append(list, mark+h.String())
	}
	return list
}

func private(h app.Host) app.Host { h.Private = true; return h }

func TestProposalsGrantNothing(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	p := must[app.Profile](t)(d.ProposeHosts(ctx, agent, d.locked("A").Handle, []app.Host{private(host(t, "10.0.0.1")), host(t, "api.example:443")}))
	if diff := cmp.Diff([]string{"?10.0.0.1", "?api.example:443"}, shown(p)); diff != "" {
		t.Error(diff)
	}
	if policy := d.policy(p); p.Policy != 1 || len(policy.Hosts) != 0 {
		t.Errorf("a proposal changed the policy: %+v", policy)
	}
	again := must[app.Profile](t)(d.ProposeHosts(ctx, agent, p.Handle, hosts(t, "API.example.:443")))
	if diff := cmp.Diff(p, again); diff != "" {
		t.Errorf("the same proposal again:\n%s", diff)
	}
}

func TestAnAgentNeverMakesAHostPrivate(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	p := must[app.Profile](t)(d.SetHosts(ctx, person, d.unlocked().Handle, hosts(t, "db.example:5432"), nil))
	p = must[app.Profile](t)(d.ProposeHosts(ctx, agent, p.Handle, []app.Host{private(host(t, "db.example:5432"))}))
	if diff := cmp.Diff([]string{"+db.example:5432"}, shown(p)); diff != "" {
		t.Error(diff)
	}
	p = must[app.Profile](t)(d.SetHosts(ctx, person, p.Handle, []app.Host{private(host(t, "db.example:5432"))}, nil))
	if diff := cmp.Diff([]string{"+!db.example:5432"}, shown(p)); diff != "" {
		t.Error(diff)
	}
}

// A request for less than what is allowed waits for nobody: an agent would wait for a decision that no longer matters, and a person would be asked for it.
func TestWhatIsAllowedIsNotAskedFor(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	p := d.locked("A")
	p = must[app.Profile](t)(d.ProposeHosts(ctx, agent, p.Handle, hosts(t, "api.example:443", "api.example:8443", "x.wild.example:80", "wild.example:80")))
	p = must[app.Profile](t)(d.SetHosts(ctx, person, p.Handle, hosts(t, "api.example", "*.wild.example"), nil))
	want := []string{"+*.wild.example", "+api.example", "?api.example:8443", "?wild.example:80"}
	if diff := cmp.Diff(want, slices.Sorted(slices.Values(shown(p)))); diff != "" {
		t.Error(diff)
	}
	policy := p.Policy
	p = must[app.Profile](t)(d.ProposeHosts(ctx, agent, p.Handle, hosts(t, "api.example:80", "y.wild.example", "api.example:8443")))
	if diff := cmp.Diff(want, slices.Sorted(slices.Values(shown(p)))); diff != "" {
		t.Errorf("asked for again:\n%s", diff)
	}
	again := must[app.Profile](t)(d.SetHosts(ctx, person, p.Handle, hosts(t, "api.example", "*.wild.example"), nil))
	if again.Policy != policy {
		t.Errorf("the same hosts made policy %d of %d", again.Policy, policy)
	}
	asked := host(t, "api.example:80")
	asked.Protocol = app.ProtocolHTTPS
	p = must[app.Profile](t)(d.ProposeHosts(ctx, agent, p.Handle, []app.Host{asked}))
	if !slices.Contains(shown(p), "?api.example:80") {
		t.Errorf("another protocol is another question: %q", shown(p))
	}
}

func TestSetHostsDecides(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	p := must[app.Profile](t)(d.ProposeHosts(ctx, agent, d.unlocked().Handle, hosts(t, "a.example", "b.example", "c.example")))
	steps := []struct {
		allowed   []app.Host
		dismissed []string
		want      []string
	}{
		{[]app.Host{private(host(t, "a.example")), host(t, "own.example")}, []string{"c.example"}, []string{"+!a.example", "+own.example", "?b.example"}},
		{nil, nil, []string{"?a.example", "?b.example"}}, // what a person added goes, what the agent asked for stays, without the tick
		{hosts(t, "b.example"), []string{"b.example", "a.example"}, []string{"+b.example"}},
		{nil, []string{"b.example"}, nil},
	}
	for i, step := range steps {
		p = must[app.Profile](t)(d.SetHosts(ctx, person, p.Handle, step.allowed, step.dismissed))
		if diff := cmp.Diff(step.want, shown(p)); diff != "" {
			t.Errorf("step %d:\n%s", i, diff)
		}
	}
}

func TestHostsAfterTheLockAreANewPolicyVersion(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	p := d.locked("A")
	first := d.policy(p)
	p = must[app.Profile](t)(d.SetHosts(ctx, person, p.Handle, hosts(t, "b.example", "a.example"), nil))
	second := d.policy(p)
	if p.Policy != 2 || len(second.Hosts) != 2 || second.Hosts[0].Name != "a.example" || cmp.Diff(first.Keys, second.Keys) != "" {
		t.Errorf("version 2: %+v", second)
	}
	p = must[app.Profile](t)(d.SetHosts(ctx, person, p.Handle, hosts(t, "a.example", "b.example"), nil))
	if p.Policy != 2 {
		t.Error("the same hosts in another order made a version")
	}
	p = must[app.Profile](t)(d.SetHosts(ctx, person, p.Handle, nil, nil))
	if p.Policy != 3 || len(d.policy(p).Hosts) != 0 {
		t.Errorf("narrowed: %+v", d.policy(p))
	}
	want := []string{"Allowed no hosts.", "Allowed b.example, a.example and nothing else."}
	var told []string
	for _, e := range must[[]app.Event](t)(d.Audit(ctx, 0, 100)) {
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
		if got := must[app.Policy](t)(d.Policy(ctx, p.Handle, version)); got.Digest() != want {
			t.Errorf("version %d changed", version)
		}
	}
}

// Two people decide at once: the second one's list is of before, and would bring back what the first took away.
func TestHostsAreSetAsTheyWereSeen(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	p := d.locked("A")
	first := must[app.Profile](t)(d.SetHosts(ctx, person, p.Handle, hosts(t, "a.example", "b.example"), nil))
	d.clock.pass(time.Minute)
	must[app.Profile](t)(d.SetHostsAsSeen(ctx, person, p.Handle, first.UpdatedAt, hosts(t, "a.example"), nil))
	_, err := d.SetHostsAsSeen(ctx, person, p.Handle, first.UpdatedAt, hosts(t, "a.example", "b.example", "c.example"), nil)
	wantCode(t, "of before", err, app.CodeConflict)
	if now := must[app.Profile](t)(d.ProfileByHandle(ctx, p.Handle)); len(d.policy(now).Hosts) != 1 {
		t.Errorf("hosts %v", d.policy(now).Hosts)
	}
}

func TestReasonsAreNoPartOfThePolicy(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	h := host(t, "a.example")
	p := must[app.Profile](t)(d.SetHosts(ctx, person, d.locked().Handle, []app.Host{h}, nil))
	h.Reason = "because"
	p = must[app.Profile](t)(d.SetHosts(ctx, person, p.Handle, []app.Host{h}, nil))
	if p.Policy != 2 || p.Hosts[0].Reason != "because" || d.policy(p).Hosts[0].Reason != "" {
		t.Errorf("policy %d, %+v", p.Policy, p.Hosts)
	}
}

func TestBadHostsAreRefused(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	p := d.unlocked()
	many := make([]app.Host, app.MaxHosts+1)
	for i := range many {
		many[i] = app.Host{Name: fmt.Sprintf("h%d.example", i)}
	}
	other := host(t, "a.example")
	other.Protocol = app.ProtocolTCP
	for name, list := range map[string][]app.Host{
		"nothing at all": {{}}, "address trick": {{Name: "0x7f.1"}}, "number": {{Name: "2130706433"}}, "url": {{Name: "http://a.example"}},
		"user": {{Name: "a@b.example"}}, "nul": {{Name: "a\x00.example"}}, "star": {{Name: "*"}}, "tld": {{Name: "*.com"}}, "port": {{Name: "a.example", Ports: []int{0}}},
		"zone": {{Name: "fe80::1%eth0"}}, "reference": {{Name: "{not a key}"}}, "contradiction": {host(t, "a.example"), other}, "too many": many,
		"protocol": {{Name: "a.example", Protocol: "gopher"}}, "this host": {{Name: "127.0.0.1"}}, "this host's name": {{Name: "localhost"}},
		"below it": {{Name: "x.localhost"}}, "v6": {{Name: "::1"}}, "metadata": {{Name: "169.254.169.254"}}, "any": {{Name: "0.0.0.0"}}, "group": {{Name: "224.0.0.1"}}, "reason": {{Name: "a.example", Reason: "\x00"}},
	} {
		_, err := d.ProposeHosts(ctx, agent, p.Handle, list)
		wantCode(t, "propose "+name, err, app.CodeInvalidField)
		_, err = d.SetHosts(ctx, person, p.Handle, list, nil)
		wantCode(t, "set "+name, err, app.CodeInvalidField)
	}
	_, err := d.ProposeHosts(ctx, agent, p.Handle, nil)
	wantCode(t, "propose none", err, app.CodeInvalidField)
	must[app.Profile](t)(d.ProposeHosts(ctx, agent, p.Handle, many[:app.MaxHosts]))
	_, err = d.ProposeHosts(ctx, agent, p.Handle, many[app.MaxHosts:])
	wantCode(t, "one more", err, app.CodeInvalidField)
}

func TestReferencesNeedAPlainKey(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	d.credential("DB_HOST", app.ModePlain, " db.internal.example\n")
	d.credential("SECRET", app.ModeInjected, "hunter2hunter2")
	p := d.unlocked("DB_HOST", "SECRET")
	for _, k := range []string{"DB_HOST", "SECRET"} {
		must[app.Profile](t)(d.LinkKey(ctx, person, p.Handle, k, k))
	}
	for ref, want := range map[string]app.Code{"{SECRET}": app.CodeInvalidField, "{NOBODY}": app.CodeInvalidField} {
		must[app.Profile](t)(d.SetHosts(ctx, person, p.Handle, hosts(t, ref), nil))
		_, err := d.Lock(ctx, person, p.Handle, time.Time{})
		wantCode(t, ref, err, want)
	}
	must[app.Profile](t)(d.SetHosts(ctx, person, p.Handle, []app.Host{private(host(t, "{DB_HOST}:1521")), host(t, "api.example")}, nil))
	d.credential("DB_HOST", app.ModePlain, "https://db.internal.example")
	_, err := d.Lock(ctx, person, p.Handle, time.Time{})
	wantCode(t, "no host name", err, app.CodeInvalidField)
	if err == nil || !strings.Contains(err.Error(), "DB_HOST") || strings.Contains(err.Error(), "internal") {
		t.Errorf("the refusal is %v", err)
	}
	d.credential("DB_HOST", app.ModePlain, " db.internal.example\n")
	p = must[app.Profile](t)(d.Lock(ctx, person, p.Handle, time.Time{}))
	_, err = d.SetHosts(ctx, person, p.Handle, hosts(t, "{SECRET}"), nil)
	wantCode(t, "after the lock", err, app.CodeInvalidField)

	got := must[[]app.Host](t)(ResolveHosts(d.policy(p), must[[]Value](t)(d.Resolve(ctx, p.Handle, d.policy(p)))))
	want := []app.Host{host(t, "api.example"), private(host(t, "db.internal.example:1521"))}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, bad := range []string{"*.example.com", "{DB_HOST}", "a.example:22", "a.example,b.example", "http://a.example", "0x7f.1", "not a host", "a\nb"} {
		d.credential("DB_HOST", app.ModePlain, bad)
		_, err := ResolveHosts(d.policy(p), must[[]Value](t)(d.Resolve(ctx, p.Handle, d.policy(p))))
		wantCode(t, bad, err, app.CodeInvalidField)
	}
	d.credential("DB_HOST", app.ModeInjected, "db.internal.example")
	_, err = ResolveHosts(d.policy(p), must[[]Value](t)(d.Resolve(ctx, p.Handle, d.policy(p))))
	wantCode(t, "secret now", err, app.CodeInvalidField)
	if err != nil && strings.Contains(err.Error(), "internal") {
		t.Errorf("%v tells the value", err)
	}
	_, err = ResolveHosts(d.policy(p), nil)
	wantCode(t, "no value", err, app.CodeMissingValue)
}

func TestKeysOnlyNarrowTheirCredential(t *testing.T) {
	of := func(texts ...string) app.Credential { return app.Credential{Name: "C", Hosts: hosts(t, texts...)} }
	for _, c := range []struct {
		credential app.Credential
		asked      []app.Host
		want       []string // nil: refused
	}{
		{of("a.example", "b.example"), nil, []string{"a.example", "b.example"}},
		{of(), hosts(t, "a.example"), []string{"a.example"}},
		{of("a.example", "b.example"), hosts(t, "a.example"), []string{"a.example"}},
		{of("a.example"), hosts(t, "a.example", "evil.example"), []string{"a.example"}},
		{of("a.example:443"), hosts(t, "a.example"), []string{"a.example:443"}},
		{of("*.example.com"), hosts(t, "a.example.com", "*.b.example.com"), []string{"a.example.com", "*.b.example.com"}},
		{of("a.example"), hosts(t, "evil.example"), nil},
		{of("a.example:443"), hosts(t, "a.example:22"), nil},
		{of("a.example.com"), hosts(t, "*.example.com"), []string{"a.example.com"}},
		{of("a.example.com", "b.example"), hosts(t, "*.example.com", "b.example"), []string{"a.example.com", "b.example"}},
		{of("*.example.com"), hosts(t, "example.com"), nil},
		{of("*.example.com"), hosts(t, "evilexample.com"), nil},
	} {
		got, err := narrow("K", c.credential, c.asked)
		if (err != nil) != (c.want == nil) {
			t.Errorf("%v asked of %v: %v", c.asked, c.credential.Hosts, err)
		}
		var texts []string
		for _, h := range got {
			texts = append(texts, h.String())
		}
		if diff := cmp.Diff(c.want, texts); diff != "" {
			t.Errorf("%v asked of %v:\n%s", c.asked, c.credential.Hosts, diff)
		}
	}
}

// Whatever a key asks for, it reaches no name and port that its credential does not.
func TestNarrowNeverWidens(t *testing.T) {
	names := []string{"a.example", "b.a.example", "*.a.example", "*.b.a.example", "xa.example", "192.0.2.1"}
	entry := rapid.Custom(func(t *rapid.T) app.Host {
		h, err := app.Host{
			Name:  rapid.SampledFrom(names).Draw(t, "name"),
			Ports: rapid.SliceOfN(rapid.SampledFrom([]int{22, 80, 443}), 1, 3).Draw(t, "ports"),
		}.Canonical()
		if err != nil {
			t.Fatal(err)
		}
		return h
	})
	probes := []string{"a.example", "b.a.example", "c.b.a.example", "xa.example", "192.0.2.1", "z.example"}
	reaches := func(list []app.Host, name string, port int) bool {
		for _, h := range list {
			if h.Matches(name, port) {
				return true
			}
		}
		return false
	}
	rapid.Check(t, func(t *rapid.T) {
		c := app.Credential{Hosts: rapid.SliceOfN(entry, 1, 4).Draw(t, "credential")}
		asked := rapid.SliceOfN(entry, 1, 4).Draw(t, "asked")
		got, _ := narrow("K", c, asked)
		for _, name := range probes {
			for _, port := range []int{22, 80, 443} {
				if reaches(got, name, port) && !(reaches(c.Hosts, name, port) && reaches(asked, name, port)) {
					t.Fatalf("%s:%d is reached", name, port)
				}
			}
		}
	})
}

// TestReferencesThatNameNothing: an agent's {KEY} host of a key that isn't there, or is secret, is refused before a person reads it; what a plain key names is told.
func TestReferencesThatNameNothing(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	d.credential("DB_HOST", app.ModePlain, " db.internal.example\n")
	d.credential("URL", app.ModePlain, "https://db.internal.example")
	d.credential("SECRET", app.ModeInjected, "hunter2hunter2")
	p := d.unlocked("DB_HOST", "SECRET", "URL")
	for _, k := range []string{"DB_HOST", "SECRET", "URL"} {
		p = must[app.Profile](t)(d.LinkKey(ctx, person, p.Handle, k, k))
	}
	for _, bad := range []string{"{NOKEY}:443", "{SECRET}:443"} {
		_, err := d.ProposeHosts(ctx, agent, p.Handle, hosts(t, "fine.example", bad))
		wantCode(t, bad, err, app.CodeInvalidField)
	}
	p = must[app.Profile](t)(d.ProposeHosts(ctx, agent, p.Handle, hosts(t, "{DB_HOST}:443")))
	if len(p.Hosts) != 1 {
		t.Errorf("the hosts are %v", p.Hosts)
	}
	named := must[map[string]string](t)(d.NamedHosts(ctx, p))
	if len(named) != 1 || named["DB_HOST"] != "db.internal.example" {
		t.Errorf("named: %v", named)
	}
}

// TestCredentialsOfThisMachineAreRefused: no script ever reaches Airlock's own machine by its address, so no value can go there.
func TestCredentialsOfThisMachineAreRefused(t *testing.T) {
	d := newDesk(t)
	for _, bad := range []string{"127.0.0.1", "[::1]:8443", "localhost", "169.254.169.254"} {
		_, err := d.SetCredential(t.Context(), person, CredentialInput{Name: "A", Hosts: hosts(t, bad), Value: app.NewSecret("long-enough-and-hard-to-guess-1")})
		wantCode(t, bad, err, app.CodeInvalidField)
	}
	must[app.Credential](t)(d.SetCredential(t.Context(), person, CredentialInput{Name: "A", Hosts: hosts(t, "192.0.2.7:443"), Value: app.NewSecret("long-enough-and-hard-to-guess-1")}))
}

// What a person allows by its name alone keeps the reason that it was asked for with.
func TestAllowedHostsKeepTheirReason(t *testing.T) {
	d := newDesk(t)
	asked := host(t, "api.example:443")
	asked.Reason = "revenue data"
	p := must[app.Profile](t)(d.ProposeHosts(t.Context(), agent, d.locked("A").Handle, []app.Host{asked}))
	p = must[app.Profile](t)(d.SetHosts(t.Context(), person, p.Handle, hosts(t, "api.example:443", "other.example:443"), nil))
	var got []string
	for _, h := range p.Hosts {
		got = append(got, h.String()+" "+h.Reason)
	}
	if diff := cmp.Diff([]string{"api.example:443 revenue data", "other.example:443 "}, got); diff != "" {
		t.Error(diff)
	}
}
