package profiles_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access/accesstest"
)

func (d *desk) propose(p app.Profile, host, reason string) app.Profile {
	d.T.Helper()
	h := accesstest.Host(d.T, host)
	h.Reason = reason
	return accesstest.Must[app.Profile](d.T)(d.Hosts.Propose(d.T.Context(), agent, p.Handle, []app.Host{h}))
}

func (d *desk) requests(p app.Profile) []app.HostRequest {
	d.T.Helper()
	return accesstest.Must[app.Profile](d.T)(d.Profiles.ByHandle(d.T.Context(), p.Handle)).Hosts
}

func TestAReasonGoesToTheRequestThatARefusalMade(t *testing.T) {
	d := newDesk(t)
	p := d.Locked("A")
	d.request(p, "api.example:443", "run1", 12)
	d.propose(p, "api.example:443", "to read the invoices")
	want := []app.HostRequest{{Host: accesstest.Host(t, "api.example:443"), Execution: "run1", Line: 12}}
	want[0].Reason = "to read the invoices"
	ignored := cmpopts.IgnoreFields(app.HostRequest{}, "CreatedAt")
	if diff := cmp.Diff(want, d.requests(p), ignored); diff != "" {
		t.Error(diff)
	}
	d.propose(p, "api.example:443", "") // no reason takes none away
	if diff := cmp.Diff(want, d.requests(p), ignored); diff != "" {
		t.Error(diff)
	}
	d.propose(p, "api.example", "also without TLS")
	want[0].Ports, want[0].Reason = []int{80, 443}, "also without TLS"
	if diff := cmp.Diff(want, d.requests(p), ignored); diff != "" {
		t.Errorf("the same host without a port is one request:\n%s", diff)
	}
}

// TestHoleARefusalIsNotSaidOfOtherPorts: a refusal doesn't extend to ports added later.
func TestHoleARefusalIsNotSaidOfOtherPorts(t *testing.T) {
	d := newDesk(t)
	p := d.Locked("A")
	d.request(p, "n.example:8443", "run1", 3)
	p = d.propose(p, "n.example:22,5432,8443", "")
	if len(p.Hosts) != 1 || p.Hosts[0].Execution != "" || p.Hosts[0].Line != 0 {
		t.Errorf("%+v", p.Hosts)
	}
}

func TestRequestsForOneHostAndPortAreMerged(t *testing.T) {
	d := newDesk(t)
	p := d.Locked("A")
	for _, step := range []struct {
		host string
		want []string
	}{
		{"api.example:443", []string{"?api.example:443"}},
		{"api.example:8443", []string{"?api.example:443", "?api.example:8443"}}, // another port is another question
		{"api.example:443,8443,9000", []string{"?api.example:443,8443,9000"}},
		{"api.example:9000", []string{"?api.example:443,8443,9000"}},
		{"other.example:443", []string{"?api.example:443,8443,9000", "?other.example:443"}},
	} {
		if diff := cmp.Diff(step.want, accesstest.Shown(d.propose(p, step.host, ""))); diff != "" {
			t.Errorf("after %s:\n%s", step.host, diff)
		}
	}
	raw := accesstest.Host(t, "db.example:5432")
	raw.Protocol = app.ProtocolTCP
	accesstest.Must[app.Profile](t)(d.Hosts.Propose(t.Context(), agent, p.Handle, []app.Host{raw}))
	for _, h := range d.requestsFor(d.propose(p, "db.example:443,5432", "")) {
		if h.RelaysWeb() {
			t.Errorf("merging made a request that an agent can't make: %+v", h)
		}
	}
}

func (d *desk) requestsFor(p app.Profile) (list []app.Host) {
	for _, r := range p.Hosts {
		list = append(list, r.Host)
	}
	return list
}

// A declined host is not asked for again automatically, and the agent sees the refusal.
func TestADeclinedHostIsRemembered(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	p := d.Locked("A")
	d.request(p, "api.example:443", "run1", 3)
	p = accesstest.Must[app.Profile](t)(d.Hosts.Set(ctx, person, p.Handle, nil, []string{"api.example:443"}))
	if len(p.Hosts) != 0 || len(p.Declined) != 1 || p.Declined[0].String() != "api.example:443" ||
		!p.Declined[0].At.Equal(d.Now()) {
		t.Fatalf("hosts %+v, declined %+v", p.Hosts, p.Declined)
	}
	if d.request(p, "api.example:443", "run2", 3) {
		t.Error("a refusal asked again for what a person declined")
	}
	if p = d.propose(p, "api.example", ""); len(p.Hosts) != 0 {
		t.Errorf("asked again without a reason: %+v", p.Hosts)
	}
	if p = d.propose(p, "api.example:443", "the invoices moved there"); len(p.Hosts) != 1 || len(p.Declined) != 0 {
		t.Errorf("with a new reason: hosts %+v, declined %+v", p.Hosts, p.Declined)
	}
	p = accesstest.Must[app.Profile](t)(d.Hosts.Set(ctx, person, p.Handle, nil, []string{"api.example:443"}))
	if p = d.propose(p, "api.example:443", "the invoices moved there"); len(p.Hosts) != 0 {
		t.Errorf("the same reason asked again: %+v", p.Hosts)
	}
	p = accesstest.Must[app.Profile](t)(d.Hosts.Set(ctx, person, p.Handle, accesstest.Hosts(t, "api.example:443"), nil))
	if len(p.Declined) != 0 || len(p.Hosts) != 1 || !p.Hosts[0].Allowed {
		t.Errorf("after the person allowed it: hosts %+v, declined %+v", p.Hosts, p.Declined)
	}
}

func TestWhatAnAllowedHostCoversIsNotDeclined(t *testing.T) {
	d := newDesk(t)
	p := d.Locked("A")
	d.request(p, "api.example:443", "run1", 3)
	p = accesstest.Must[app.Profile](t)(d.Hosts.Set(t.Context(), person, p.Handle, accesstest.Hosts(t, "api.example"), nil))
	if len(p.Declined) != 0 || len(p.Hosts) != 1 {
		t.Errorf("hosts %+v, declined %+v", p.Hosts, p.Declined)
	}
}

func TestAnAgentWithdrawsOnlyItsOpenRequests(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	p := d.Locked("A")
	accesstest.Must[app.Profile](t)(d.Hosts.Set(ctx, person, p.Handle, accesstest.Hosts(t, "allowed.example"), nil))
	d.propose(p, "declined.example:443", "")
	accesstest.Must[app.Profile](t)(
		d.Hosts.Set(ctx, person, p.Handle, accesstest.Hosts(t, "allowed.example"), []string{"declined.example:443"}))
	d.propose(p, "open.example:443", "")
	d.propose(p, "open.example:8443", "")
	d.propose(p, "db.example:5432", "")
	withdraw := func(entry string) error {
		_, err := d.Hosts.Withdraw(ctx, agent, p.Handle, entry)
		return err
	}
	accesstest.WantCode(t, "allowed", withdraw("allowed.example"), app.CodeConflict)
	accesstest.WantCode(t, "declined", withdraw("declined.example:443"), app.CodeConflict)
	accesstest.WantCode(t, "unknown", withdraw("other.example"), app.CodeNotFound)
	accesstest.WantCode(t, "another port", withdraw("db.example:5433"), app.CodeNotFound)
	accesstest.WantCode(t, "not a host", withdraw("a b"), app.CodeInvalidField)
	for _, entry := range []string{"open.example", "db.example:5432"} {
		if err := withdraw(entry); err != nil {
			t.Errorf("%s: %v", entry, err)
		}
	}
	got := accesstest.Must[app.Profile](t)(d.Profiles.ByHandle(ctx, p.Handle))
	if diff := cmp.Diff([]string{"+allowed.example"}, accesstest.Shown(got)); diff != "" || len(got.Declined) != 1 {
		t.Errorf("%s\ndeclined %+v", diff, got.Declined)
	}
	events := accesstest.Must[[]app.Event](t)(d.Audit.Latest(ctx, 1))
	if events[0].Action != "profile.withdraw_host" || events[0].Actor.Kind != app.ActorAgent {
		t.Errorf("audited as %+v", events[0])
	}
}

func TestDeclinedHostsAreBounded(t *testing.T) {
	d := newDesk(t)
	p := d.Locked("A")
	for i := range 3 {
		var entries []string
		for j := range 40 {
			name := string(rune('a'+i)) + string(rune('a'+j/10)) + string(rune('a'+j%10)) + ".example:443"
			d.propose(p, name, "")
			entries = append(entries, name)
		}
		p = accesstest.Must[app.Profile](t)(d.Hosts.Set(t.Context(), person, p.Handle, nil, entries))
	}
	if len(p.Declined) != app.MaxHosts {
		t.Errorf("%d declined hosts are kept, want %d", len(p.Declined), app.MaxHosts)
	}
}

func TestAnAutomaticRequestAsksForTheProtocolOfThePort(t *testing.T) {
	d := newDesk(t)
	p := d.Locked("A")
	for host, want := range map[string]app.Protocol{
		"a.example:443": "", "a.example:80": "", "a.example:8443": app.ProtocolHTTPS, "a.example:9443": app.ProtocolHTTPS,
		"a.example:8080": app.ProtocolHTTP, "a.example:5432": app.ProtocolPostgres,
	} {
		if !d.request(p, host, "run"+host, 1) {
			t.Fatalf("%s: no request", host)
		}
		for _, r := range d.requests(p) {
			if r.String() == host && r.Protocol != want {
				t.Errorf("%s is asked for with the protocol %q, want %q", host, r.Protocol, want)
			}
		}
	}
}

// Below a public suffix anybody can have a name. A person may allow that, with a warning.
func TestAnAgentCantAskForTheNamesOfManyOwners(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	p := d.Unlocked("A")
	for _, name := range []string{"*.co.uk", "*.github.io"} {
		_, err := d.Hosts.Propose(ctx, agent, p.Handle, accesstest.Hosts(t, name))
		accesstest.WantCode(t, name, err, app.CodeInvalidField)
		p = accesstest.Must[app.Profile](t)(d.Hosts.Set(ctx, person, p.Handle, accesstest.Hosts(t, name), nil))
		if len(p.Hosts) != 1 || !p.Hosts[0].Allowed {
			t.Errorf("a person could not allow %s: %+v", name, p.Hosts)
		}
	}
}
