package profiles_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access/accesstest"
	"github.com/computclaw/airlock/app/live"
	"github.com/computclaw/airlock/app/profiles"
)

func (d *desk) request(p app.Profile, h, execution string, line int) bool {
	d.T.Helper()
	return accesstest.Must[bool](d.T)(d.Hosts.Request(d.T.Context(), p.Handle, accesstest.Host(d.T, h), execution,
		line))
}

func TestARefusedConnectionAsks(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	p := d.Locked("A")
	sub := d.Hub.Subscribe(live.Profile(p.Handle))
	defer sub.Close()
	if !d.request(p, "api.example:443", "run1", 12) {
		t.Fatal("it made no request")
	}
	select {
	case <-sub.C():
	default:
		t.Error("nobody was told")
	}
	got := accesstest.Must[app.Profile](t)(d.Profiles.ByHandle(ctx, p.Handle))
	want := []app.HostRequest{{Host: accesstest.Host(t, "api.example:443"), Execution: "run1", Line: 12,
		CreatedAt: d.Now()}}
	if diff := cmp.Diff(want, got.Hosts); diff != "" {
		t.Error(diff)
	}
	if got.Policy != p.Policy || !got.UpdatedAt.After(p.UpdatedAt) {
		t.Errorf("policy %d, updated %v", got.Policy, got.UpdatedAt)
	}
	for _, same := range []string{"api.example:443", "API.example.:443"} {
		if d.request(p, same, "run2", 1) {
			t.Errorf("%s was asked for twice", same)
		}
	}
	events := accesstest.Must[[]app.Event](t)(d.Audit.Latest(ctx, 1))
	if e := events[0]; e.Action != "profile.request_host" || e.Actor.Kind != app.ActorAgent ||
		e.Detail != "The execution run1 was refused api.example:443 at line 12; it stands as a request." {
		t.Errorf("audited as %+v", e)
	}
	// A person allows it: the id and origin stay, the policy is new.
	got = accesstest.Must[app.Profile](t)(d.Hosts.Set(ctx, person, p.Handle, accesstest.Hosts(t, "api.example:443"),
		nil))
	if !got.Hosts[0].Allowed || got.Hosts[0].Execution != "run1" || got.Policy != p.Policy+1 || got.ID != p.ID {
		t.Errorf("allowed: %+v", got.Hosts)
	}
	if d.request(p, "api.example:443", "run3", 0) {
		t.Error("what is allowed was asked for")
	}
}

func TestRequestsThatAreNotMade(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	p := d.Locked("A")
	accesstest.Must[app.Profile](t)(d.Hosts.Set(ctx, person, p.Handle, accesstest.Hosts(t, "*.allowed.example"), nil))
	accesstest.Must[app.Profile](t)(d.Hosts.Propose(ctx, agent, p.Handle, accesstest.Hosts(t, "proposed.example")))
	for _, h := range []string{"localhost:80", "127.0.0.1:80", "169.254.169.254:80", "[::1]:80", "10.0.0.7:5432",
		"a.allowed.example:443",
		"proposed.example:80"} {
		if d.request(p, h, "run", 1) {
			t.Errorf("%s was asked for", h)
		}
	}
	if accesstest.Must[bool](t)(d.Hosts.Request(ctx, p.Handle, app.Host{Name: "not a host"}, "run", 1)) {
		t.Error("an impossible name was asked for")
	}
	h := accesstest.Host(t, "db.internal:5432")
	h.Private, h.Reason = true, "trust me"
	if !accesstest.Must[bool](t)(d.Hosts.Request(ctx, p.Handle, h, "run", -5)) {
		t.Fatal("no request")
	}
	hosts := accesstest.Must[app.Profile](t)(d.Profiles.ByHandle(ctx, p.Handle)).Hosts
	if last := hosts[len(hosts)-1]; last.Private || last.Reason != "" || last.Line != 0 {
		t.Errorf("the request says %+v", last)
	}
	for name, p := range map[string]app.Profile{
		"unlocked": d.Unlocked("A"),
		"revoked":  accesstest.Must[app.Profile](t)(d.Lifecycle.Revoke(ctx, person, p.Handle)),
	} {
		if d.request(p, "x.example", "run", 1) {
			t.Errorf("a profile that is %s got a request", name)
		}
	}
	_, err := d.Hosts.Request(ctx, "gone", accesstest.Host(t, "x.example"), "run", 1)
	accesstest.WantCode(t, "no profile", err, app.CodeNotFound)
}

func TestRequestsAreBounded(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	p := d.Locked("A")
	asked := 0
	for run := range 6 {
		own := 0
		for i := range profiles.MaxRequestsOfExecution + 2 {
			if d.request(p, fmt.Sprintf("h%d-%d.example", run, i), fmt.Sprint("run", run), i) {
				own++
			}
		}
		if own > profiles.MaxRequestsOfExecution {
			t.Errorf("one execution asked for %d hosts", own)
		}
		asked += own
	}
	if asked != profiles.MaxUndecidedRequests {
		t.Errorf("%d requests stand, want %d", asked, profiles.MaxUndecidedRequests)
	}
	dismissed := []string{"h0-0.example", "h0-1.example"}
	accesstest.Must[app.Profile](t)(d.Hosts.Set(ctx, person, p.Handle, nil, dismissed))
	if !d.request(p, "later.example", "run9", 1) {
		t.Error("dismissed requests still count")
	}
	if got := accesstest.Must[app.Profile](t)(d.Profiles.ByHandle(ctx,
		p.Handle)); got.State(d.Now()) != app.StateLocked ||
		got.LockedAt.IsZero() || got.LockedAt.After(d.Now().Add(time.Second)) {
		t.Errorf("the profile: %+v", got)
	}
}
