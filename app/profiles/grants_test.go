package profiles_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access/accesstest"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/app/profiles"
)

func host(text string) app.Host {
	h, err := app.ParseHost(text)
	if err != nil {
		panic(err)
	}
	return h
}

func TestGrants(t *testing.T) {
	t.Parallel()
	db := host("db.example.com:5432,5433")
	db.Private = true
	key := func(name, credential string, mode app.Mode) app.Key {
		return app.Key{Name: name, CredentialID: name, Credential: credential, CredentialMode: mode, ValueExists: true}
	}
	empty := key("E", "E", app.ModeSealed)
	empty.ValueExists = false
	keys := []profiles.KeyGrant{
		{Key: key("A", "A", app.ModeInjected)},
		{Key: key("B", "B_PROD", app.ModePlain), Names: "db.internal.example"},
		{Key: key("C", "C_PROD", app.ModeSealed),
			Where:  []app.Host{host("api.example.com"), host("b.example.com:443,8443"), host("elsewhere.test")},
			Places: []app.Place{app.PlaceHeader}, Headers: []string{"X-My-Own"}},
		{Key: key("D", "D", app.ModeSealed), Where: []app.Host{host("api.example.com")},
			Places: []app.Place{app.PlaceHeader, app.PlaceBody, app.PlacePath}, Headers: []string{"Authorization",
				"Cookie"},
			PlainHTTP: true},
		{Key: empty, Where: []app.Host{host("elsewhere.test")}},
		{Key: key("F", "F", app.ModeSealed), Where: []app.Host{host("api.example.com:80")}},
		{Key: app.Key{Name: "G"}},
	}
	var got []string
	until := app.Profile{ExpiresAt: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)}
	for _, s := range profiles.DescribeGranted(until, keys,
		[]app.Host{db, host("*.example.com"), host("*.example.com:8443"), host("{B}:1521")}) {
		line := s.Text()
		if s.Warn {
			line = "! " + line
		}
		got = append(got, line)
	}
	want := []string{
		"! A is injected: scripts get the real value. Redaction only stops accidents; a malicious " +
			"script could still send it to any host below.",
		"B (the credential B_PROD) is plain: not a secret. Scripts get it as it is, and it may appear in output.",
		"C (the credential C_PROD) is sealed: scripts never see its value. It goes only to api.example.com:443 and " +
			"b.example.com:443,8443, in the header X-My-Own.",
		"! D is sealed: scripts never see its value. It goes only to api.example.com:80,443, in the headers " +
			"Authorization and Cookie, the path and the body, also without encryption.",
		"! E is sealed: scripts never see its value. It goes only to elsewhere.test:443, which scripts can't reach: " +
			"it can go nowhere. It has no value yet.",
		"! F is sealed: scripts never see its value. It goes only to api.example.com:80, without encryption, " +
			"which its credential does not permit: it can go nowhere.",
		"! G has no credential yet.",
		"! Scripts can reach db.example.com on ports 5432 and 5433 over raw TCP, including private " +
			"addresses in your network: Airlock may be unable to check the server name, the requests or the answers.",
		"Scripts can reach *.example.com, every name below it, on ports 80 and 443: Airlock checks the name, but not " +
			"always who answers.",
		"Scripts can reach *.example.com, every name below it, on port 8443 over raw TCP: Airlock may be unable to " +
			"check the server name, the requests or the answers.",
		"Scripts can reach the host that B names, db.internal.example, on port 1521 over raw TCP: Airlock may be " +
			"unable to check the server name, the requests or the answers.",
		"Scripts can reach no other hosts.",
		"The profile ends on 4 March 2026, 05:06 UTC.",
		"Its scripts may run in any sandbox of this instance.",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]profiles.Stranded{{Key: "E", Hosts: []app.Host{host("elsewhere.test:443")}}},
		profiles.StrandedKeys(keys, []app.Host{host("*.example.com")})); diff != "" {
		t.Errorf("stranded: %s", diff)
	}
	if got := profiles.StrandedKeys(keys, []app.Host{host("{B}:443")}); len(got) != 0 {
		t.Errorf("a host that a plain key names may be the one: %v", got)
	}
	nothing := profiles.DescribeGranted(app.Profile{}, nil, nil)
	if len(nothing) != 4 || nothing[0].Text() != "Scripts with this profile receive no credentials." ||
		nothing[1].Text() != "Scripts can reach no host at all." {
		t.Errorf("nothing: %v", nothing)
	}
}

// TestGrantsOfAnotherProtocol: a page promises no value to a host that gets none.
func TestGrantsOfAnotherProtocol(t *testing.T) {
	t.Parallel()
	allowed := host("weather.test:8443")
	allowed.Protocol = app.ProtocolHTTP
	key := profiles.KeyGrant{Key: app.Key{Name: "A", CredentialID: "A", Credential: "A",
		CredentialMode: app.ModeSealed, ValueExists: true},
		Where: []app.Host{host("weather.test:8443")}, Places: []app.Place{app.PlaceHeader}}
	for permits, want := range map[bool]string{
		false: "weather.test:8443, without encryption, which its credential does not permit: it can go nowhere.",
		true:  "weather.test:8443, in the usual credential headers, also without encryption.",
	} {
		key.PlainHTTP = permits
		got := profiles.DescribeGranted(app.Profile{}, []profiles.KeyGrant{key}, []app.Host{allowed})[0]
		if !got.Warn || !strings.HasSuffix(got.Text(), " It goes only to "+want) {
			t.Errorf("permits %v: %s", permits, got.Text())
		}
	}
}

// TestGrantsOfReferences: a reference shows its plain key's value; a dangling one grants nothing.
func TestGrantsOfReferences(t *testing.T) {
	t.Parallel()
	plain := app.Key{Name: "B", CredentialID: "B", Credential: "B", CredentialMode: app.ModePlain, ValueExists: true}
	secret := plain
	secret.Name, secret.CredentialMode = "A", app.ModeInjected
	vault := plain
	vault.Name = "V"
	keys := []profiles.KeyGrant{{Key: secret}, {Key: plain, Names: "<db>.example"}, {Key: app.Key{Name: "G"}},
		{Key: vault, Vault: "secret/data/db#host"}}
	allowed := []app.Host{host("{B}:1521"), host("{NOKEY}:443"), host("{A}:443"), host("{G}:443"), host("{V}:443")}
	var got []string
	for _, s := range profiles.DescribeGranted(app.Profile{}, keys, allowed)[4:9] {
		got = append(got, fmt.Sprint(s.Warn, " ", s.Text()))
	}
	want := []string{
		"false Scripts can reach the host that B names, <db>.example, on port 1521 over raw TCP: Airlock may be " +
			"unable to check the server name, the requests or the answers.",
		"true Scripts reach nothing through {NOKEY}: the profile has no plain key of that name.",
		"true Scripts reach nothing through {A}: the profile has no plain key of that name.",
		"false Scripts can reach the host that G names, on port 443: Airlock checks the name, but not always who " +
			"answers.",
		"true Scripts can reach the host that V names, which Vault holds at secret/data/db#host and may change, on port 443: " +
			"Airlock checks the name, but not always who answers.",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestToldGrants: a locked profile's sentences follow its policy and today's credentials.
func TestToldGrants(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	hosts := []app.Host{host("api.example.com"), host("b.example.com")}
	accesstest.Must[app.Credential](t)(d.Credentials.Set(ctx, person, credentials.Input{
		Name: "A", Mode: app.ModeSealed, Hosts: hosts, Value: app.NewSecret("a value of sixteen or more")}))
	p := d.Unlocked()
	accesstest.Must[app.Profile](t)(d.Keys.Add(ctx, agent, p.Handle, []app.Key{{Name: "A", Hosts: hosts[:1]}}))
	accesstest.Must[app.Profile](t)(d.Hosts.Propose(ctx, agent, p.Handle, []app.Host{host("c.example.com")}))
	told := func() (granted, requested string) {
		t.Helper()
		now := accesstest.Must[app.Profile](t)(d.Profiles.ByHandle(ctx, p.Handle))
		all, asked, err := d.Grants.Describe(ctx, now)
		if err != nil || len(asked) != 1 {
			t.Fatal(asked, err)
		}
		return all[0].Line(), asked[0].Text()
	}
	if granted, _ := told(); granted != "warning: A has no credential yet." {
		t.Error(granted)
	}
	accesstest.Must[app.Profile](t)(d.Keys.Link(ctx, person, p.Handle, "A", "A"))
	const want = "warning: A is sealed: scripts never see its value. It goes only to api.example.com:443, " +
		"which scripts can't reach: it can go nowhere."
	granted, requested := told()
	if granted != want || !strings.HasPrefix(requested, "c.example.com on ports 80 and 443") {
		t.Error(granted, requested)
	}
}
