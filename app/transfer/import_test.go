package transfer

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/app/egress/swap"
	"github.com/computclaw/airlock/app/leases"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/app/secrets/vault"
	"github.com/computclaw/airlock/app/transfer/content"
	"github.com/computclaw/airlock/store"
)

// refusedGrant checks that an agent who knows the id gets no value by it.
func (h *fixture) refusedGrant(p app.Profile) {
	h.T.Helper()
	got, err := h.Desk.Profiles.ByID(h.T.Context(), p.ID)
	if app.CodeOf(err) == app.CodeNotFound {
		return
	}
	h.No(err)
	policy := must[app.Policy](h.T)(h.Desk.Binder.Policy(h.T.Context(), got.Handle, got.Policy))
	if values, err := h.Desk.Resolver.Resolve(h.T.Context(), got.Handle, policy); err == nil && len(values) > 0 {
		h.T.Errorf("%s got %d values", p.Description, len(values))
	}
}

// A file's profile has a key without a credential, and its policy grants a credential by a local
// name.
func TestGrantBehindAnUnlinkedKeyBorrowsNothing(t *testing.T) {
	victim, evil := newFixture(t, "bbbb"), newFixture(t, "aaaa")
	victim.Credential("STRIPE_KEY", "sk_live_of_the_victim")
	evil.Credential("STRIPE_KEY", "sk_live_anything_else")
	p := evil.Locked("harmless", []string{"STRIPE_KEY"}, "evil.example")
	file := forge(t, evil, func(r *content.Record) bool {
		if r.Profile != nil {
			r.Profile.Keys[0].Credential = ""
		}
		return true
	})
	if item := state(victim.plan(file), "profile:"+p.Handle); !item.Asks {
		t.Errorf("%+v", item)
	}
	victim.take(file, yesTo("credential:STRIPE_KEY"))
	victim.refusedGrant(p)
}

// A path in Vault is no proof of its value. So a file that names one gets no credential or link
// without a yes. A credential without a value counts as unknown to the file.
func TestFileThatKnowsNoValueBorrowsNone(t *testing.T) {
	victim, evil := newFixture(t, "bbbb"), newFixture(t, "aaaa")
	evil.Credential("FROM_VAULT", "x-value-of-evil")
	evil.Credential("EMPTY", "x-value-of-evil")
	p := evil.Locked("reads Vault", []string{"FROM_VAULT"}, "evil.example")
	q := evil.Locked("waits for a value", []string{"EMPTY"}, "evil.example")
	file := forge(t, evil, func(r *content.Record) bool {
		if c := r.Credential; c != nil {
			c.Value, c.Version, c.Versions, c.ValueSetAt = nil, 0, []content.ValueVersion{}, 0
			if c.Name == "FROM_VAULT" {
				c.Source, c.Reference = app.SourceVault, "secret/data/prod#key"
			}
		}
		return true
	})
	if item := state(victim.plan(file), "credential:FROM_VAULT"); item.State != StateNew || !item.Asks {
		t.Errorf("a path in Vault: %+v", item)
	}
	both := Choice{Each: map[string]bool{"credential:FROM_VAULT": true, "profile:" + p.Handle: false,
		"profile:" + q.Handle: false}}
	victim.take(file, both)
	for _, x := range []app.Profile{p, q} {
		plan := victim.plan(file)
		if item := state(plan, "profile:"+x.Handle); item.State != StateNew || !item.Asks {
			t.Errorf("%s: %+v", x.Description, item)
		}
	}
}

// A deleted profile that was locked and revoked returns from an older file only by a yes.
func TestDeletedProfileComesBackOnlyByAYes(t *testing.T) {
	h := newFixture(t, "aaaa")
	p := h.Locked("was let go", nil, "api.example.com")
	file := h.export(all())
	must[app.Profile](t)(h.Desk.Lifecycle.Revoke(t.Context(), person(), p.Handle))
	h.No(h.Desk.Profiles.Delete(t.Context(), person(), p.Handle))
	key := "profile:" + p.Handle
	item := state(h.plan(file), key)
	says(t, item.Why, "It was deleted here.")
	h.take(file, Choice{History: true})
	if _, err := h.Desk.Profiles.ByID(t.Context(), p.ID); app.CodeOf(err) != app.CodeNotFound {
		t.Errorf("it is back: %v", err)
	}
	h.take(file, yesTo(key))
	must[app.Profile](t)(h.Desk.Profiles.ByID(t.Context(), p.ID))
}

// A deleted credential returns under its old id, and its former profile still gets nothing.
func TestDeletedCredentialDoesNotComeBackToItsProfiles(t *testing.T) {
	h := newFixture(t, "aaaa")
	h.Credential("STRIPE_KEY", "sk_live_0123456789")
	p := h.Locked("had it", []string{"STRIPE_KEY"}, "api.stripe.com")
	file, id := h.export(all()), must[app.Credential](t)(h.Desk.Credentials.ByName(t.Context(), "STRIPE_KEY")).ID
	h.No(h.Store.Write(t.Context(), func(tx *store.Tx) error { return tx.Credentials.Delete(t.Context(), id) }))
	h.refusedGrant(p)
	if report := h.take(file, Choice{}); report.Credentials != 1 {
		t.Errorf("%+v", report)
	}
	h.refusedGrant(p)
}

// Between preview and yes, a value changes here.
func TestNothingChangesBetweenPreviewAndImport(t *testing.T) {
	a, b, p := twins(t)
	a.Credential("STRIPE_KEY", "sk_live_of_the_file", "api.stripe.com")
	file := a.export(all())
	plan := b.plan(file)
	if state(plan, "credential:STRIPE_KEY").State != StateDifferent {
		t.Fatalf("%+v", plan.Items)
	}
	yes := Choice{Each: map[string]bool{"credential:STRIPE_KEY": true}}
	b.Credential("STRIPE_KEY", "sk_live_set_meanwhile", "api.stripe.com")
	_, err := b.Import(t.Context(), person(), upload(file), yes, plan, nil)
	wantCode(t, "another value here", err, app.CodeConflict)
	if got := b.Values(p)["STRIPE_KEY"]; got != "sk_live_set_meanwhile" {
		t.Errorf("the value is %q", got)
	}
}

func TestImpossibleTimesNumbersAndTexts(t *testing.T) {
	h, _, _ := furnished(t, "aaaa")
	fresh := newFixture(t, "bbbb")
	huge := strings.Repeat("x", content.MaxField+1)
	for name, change := range map[string]func(r *content.Record){
		"execution in the year 300,000": func(r *content.Record) { r.Execution.CreatedAt = 1 << 53 },
		"execution before all time":     func(r *content.Record) { r.Execution.StartedAt = -5 },
		"execution with a huge error":   func(r *content.Record) { r.Execution.Error = huge },
		"execution on a huge backend":   func(r *content.Record) { r.Execution.Backend = huge },
		"execution that took forever":   func(r *content.Record) { r.Execution.RunMs = 1 << 60 },
		"connection to a huge host":     func(r *content.Record) { r.Connection.Host = huge },
		"connection of the future":      func(r *content.Record) { r.Connection.StartedAt = content.MaxMoment + 1 },
		"output in no order":            func(r *content.Record) { r.Output.Segments = json.RawMessage(`{"a":1}`) },
		"day of the future":             func(r *content.Record) { r.Stats.Start = content.MaxMoment },
		"day without durations":         func(r *content.Record) { r.Stats.Durations = json.RawMessage(`[1]`) },
		"day of null":                   func(r *content.Record) { r.Stats.Durations = json.RawMessage(`null`) },
		"day with a null":               func(r *content.Record) { r.Stats.Durations = json.RawMessage(`{"1":null}`) },
		"day with a duration twice":     func(r *content.Record) { r.Stats.Durations = json.RawMessage(`{"1":1,"01":1}`) },
		"day of many durations":         func(r *content.Record) { r.Stats.Durations = manyDurations() },
		"day of a path":                 func(r *content.Record) { r.Stats.ProfileHandle = "../x" },
		"credential of the future":      func(r *content.Record) { r.Credential.LastUsedAt = content.MaxMoment + 1 },
		"profile of the future":         func(r *content.Record) { r.Profile.ExpiresAt = content.MaxMoment + 1 },
		"policy of the future":          func(r *content.Record) { r.Policy.CreatedAt = content.MaxMoment + 1 },
		"policy with a huge version":    func(r *content.Record) { r.Policy.Body.Version = 1 << 60 },
		"file of the future":            func(r *content.Record) { r.Airlock.MadeAt = content.MaxMoment + 1 },
	} {
		t.Run(name, func(t *testing.T) {
			done := false
			file := forge(t, h, func(r *content.Record) bool {
				if !done {
					done = attempt(r, change)
				}
				return true
			})
			if !done {
				t.Fatal("nothing was changed")
			}
			_, err := fresh.Fill(t.Context(), upload(file), nil)
			wantCode(t, "fill", err, app.CodeInvalidField)
		})
	}
}

func manyDurations() json.RawMessage {
	times := map[int]int{}
	for ms := range content.MaxDurations + 1 {
		times[ms] = 1
	}
	return json.RawMessage(content.JSON(times))
}

// attempt calls change for records of its kind.
func attempt(r *content.Record, change func(*content.Record)) (done bool) {
	defer func() { _ = recover() }()
	change(r)
	return true
}

// Each change must be later than the one before. A file must not move times to where backups become
// unreadable.
func TestAFileLeadsNoTimeToItsEnd(t *testing.T) {
	old, h := newFixture(t, "aaaa"), newFixture(t, "bbbb")
	old.Credential("TOKEN", "value-of-the-token", "api.example.com")
	old.Locked("billing", []string{"TOKEN"}, "api.example.com")
	h.take(forge(t, old, func(r *content.Record) bool {
		if r.Credential != nil {
			r.Credential.UpdatedAt = content.MaxMoment
		}
		if r.Profile != nil {
			r.Profile.UpdatedAt = content.MaxMoment
		}
		return true
	}), Choice{})
	h.Credential("TOKEN", "another-value-of-the-token", "api.example.com")
	soon := time.Now().Add(time.Minute).UnixMilli()
	for _, r := range h.dump(all()) {
		if r.Credential != nil && r.Credential.UpdatedAt > soon || r.Profile != nil && r.Profile.UpdatedAt > soon {
			t.Errorf("%+v", r)
		}
	}
	h.plan(h.export(all()))
}

// A version or sum at the end of its range is refused. The next one would make every backup fail.
func TestAFileLeadsNoVersionAndNoSumToItsEnd(t *testing.T) {
	h, _, _ := furnished(t, "aaaa")
	for name, change := range map[string]func(*content.Record) bool{
		"credential": func(r *content.Record) bool {
			if c := r.Credential; c != nil && c.Name == "DB_PASSWORD" {
				c.Version = content.MaxNumber
				c.Versions[len(c.Versions)-1].Version = content.MaxNumber
			}
			return true
		},
		"uses": func(r *content.Record) bool {
			if r.Credential != nil {
				r.Credential.Uses = content.MaxNumber
			}
			return true
		},
		"executions": func(r *content.Record) bool {
			if r.Profile != nil {
				r.Profile.Executions = content.MaxNumber
			}
			return true
		},
		"statistics": func(r *content.Record) bool {
			if r.Stats != nil {
				r.Stats.RunMs = content.MaxNumber
			}
			return true
		},
		"durations": func(r *content.Record) bool {
			if r.Stats != nil {
				r.Stats.Durations = json.RawMessage(`{"2":9007199254740992}`)
			}
			return true
		},
		"policy": func(r *content.Record) bool {
			if r.Profile != nil && r.Profile.Locked {
				r.Profile.Policy = content.MaxNumber
			}
			if r.Policy != nil {
				r.Policy.Body.Version = content.MaxNumber
				r.Policy.Digest = r.Policy.Body.Digest()
			}
			return true
		},
	} {
		t.Run(name, func(t *testing.T) {
			file, fresh := forge(t, h, change), newFixture(t, "bbbb")
			plan, err := fresh.Plan(t.Context(), person(), upload(file), nil)
			if err == nil {
				_, err = fresh.Import(t.Context(), person(), upload(file), Choice{History: true}, plan, nil)
			}
			wantCode(t, "import", err, app.CodeInvalidField)
		})
	}
	fewer := forge(t, h, func(r *content.Record) bool {
		if r.Stats != nil {
			r.Stats.Cancelled = -1
		}
		return true
	})
	_, err := newFixture(t, "bbbb").Fill(t.Context(), upload(fewer), nil)
	wantCode(t, "fewer than none", err, app.CodeInvalidField)
}

// A value renewed every minute must not make a line too long to read.
func TestManyVersionsOfAValue(t *testing.T) {
	h := newFixture(t, "aaaa")
	h.Credential("TOKEN", "value-of-the-token")
	file := forge(t, h, func(r *content.Record) bool {
		if c := r.Credential; c != nil {
			c.Versions = nil
			for i := range 60_000 {
				c.Versions = append(c.Versions, content.ValueVersion{Version: i + 1, CreatedBy: person(), CreatedAt: 1})
			}
			c.Version = len(c.Versions)
		}
		return true
	})
	fresh := newFixture(t, "bbbb")
	fresh.take(file, Choice{})
	fresh.Credential("TOKEN", "a newer value")
	for _, r := range fresh.dump(Selection{}) {
		if c := r.Credential; c != nil &&
			(len(c.Versions) != content.MaxVersions || c.Version != 60_001 || c.Versions[content.MaxVersions-1].Version != 60_001) {
			t.Errorf("%d versions up to %d", len(c.Versions), c.Version)
		}
	}
	if s := state(fresh.plan(fresh.export(all())), "credential:TOKEN"); s.State != StateSame {
		t.Errorf("%+v", s)
	}
}

// An audit log stays whole and separate over several moves. A forged one is refused.
func TestAuditLogsTravelOn(t *testing.T) {
	first, _, _ := furnished(t, "aaaa")
	want := first.Actions()
	second, third := newFixture(t, "bbbb"), newFixture(t, "cccc")
	second.take(first.export(all()), Choice{History: true})
	file := second.export(all())
	for range 2 { // the second time everything is here
		third.take(file, Choice{History: true})
	}
	var got []string
	h := third
	h.No(h.Store.Read(t.Context(), func(tx *store.Tx) error {
		return tx.Events.EachArchived(t.Context(), func(source string, e store.EventRow) error {
			if source == "aaaa" {
				got = append(got, e.Action)
			}
			return nil
		})
	}))
	if len(want) == 0 || strings.Join(got, " ") != strings.Join(append(want, "transfer.export")[:len(got)], " ") ||
		len(got) < len(want) {
		t.Errorf("%v arrived, %v is right", got, want)
	}
	// Moving back doesn't archive this instance's own log.
	first.take(file, Choice{History: true})
	h = first
	h.No(h.Store.Read(t.Context(), func(tx *store.Tx) error {
		return tx.Events.EachArchived(t.Context(), func(source string, _ store.EventRow) error {
			if source == "aaaa" {
				t.Error("it keeps its own log twice")
			}
			return nil
		})
	}))
	for name, change := range map[string]func(*content.Archived){
		"another text": func(a *content.Archived) { a.Detail = "nothing happened" },
		"another one":  func(a *content.Archived) { a.Source = "../x" },
		"one missing":  func(a *content.Archived) { a.Seq++ },
	} {
		seen := false
		forged := forge(t, second, func(r *content.Record) bool {
			if r.Archived != nil && !seen {
				seen = true
				change(r.Archived)
			}
			return true
		})
		_, err := newFixture(t, "dddd").Fill(t.Context(), upload(forged), nil)
		wantCode(t, name, err, app.CodeInvalidField)
	}
}

// A profile that moved here, changed its hosts and was deleted returns as the file and preview say.
// Its hosts can be changed again.
func TestDeletedProfileComesBackAsTheFileHasIt(t *testing.T) {
	for name, versions := range map[string]int{"another second version": 1, "more versions": 2} {
		t.Run(name, func(t *testing.T) {
			a, b, p := twins(t)
			for i := range versions {
				must[app.Profile](t)(b.Desk.Hosts.Set(t.Context(), person(), p.Handle,
					hosts(t, "api.stripe.com", []string{"here.example", "also-here.example"}[i]), nil))
			}
			must[app.Profile](t)(b.Desk.Lifecycle.Revoke(t.Context(), person(), p.Handle))
			b.No(b.Desk.Profiles.Delete(t.Context(), person(), p.Handle))
			must[app.Profile](t)(a.Desk.Hosts.Set(t.Context(), person(), p.Handle, hosts(t, "api.stripe.com", "there.example"),
				nil))
			file, key := a.export(all()), "profile:"+p.Handle
			says(t, said(state(b.plan(file), key)), "Reaches: there.example on ports 80 and 443")
			b.take(file, yesTo(key))

			reaches := func() string {
				now := must[app.Profile](t)(b.Desk.Profiles.ByID(t.Context(), p.ID))
				return app.BriefHosts(must[app.Policy](t)(b.Desk.Binder.Policy(t.Context(), now.Handle, now.Policy)).Hosts)
			}
			if got := reaches(); got != "api.stripe.com, there.example" {
				t.Errorf("it reaches %s", got)
			}
			must[app.Profile](t)(b.Desk.Hosts.Set(t.Context(), person(), p.Handle, hosts(t, "api.stripe.com"), nil))
			if got := reaches(); got != "api.stripe.com" {
				t.Errorf("after a change it reaches %s", got)
			}
			if len(b.Values(p)) != 2 {
				t.Error("it has not its values")
			}
		})
	}
}

// A deleted locked profile does not return unlocked from a file older than the lock.
func TestDeletedLockedProfileStaysLocked(t *testing.T) {
	h := newFixture(t, "aaaa")
	p := h.Profile("open", nil, "api.example.com")
	file := h.export(all())
	must[app.Profile](t)(h.Desk.Lifecycle.Lock(t.Context(), person(), p.Handle, p.UpdatedAt))
	must[app.Profile](t)(h.Desk.Lifecycle.Revoke(t.Context(), person(), p.Handle))
	h.No(h.Desk.Profiles.Delete(t.Context(), person(), p.Handle))
	item := state(h.plan(file), "profile:"+p.Handle)
	if item.State != StateBlocked || !strings.Contains(strings.Join(item.Why, ""), "It was locked here") {
		t.Errorf("%+v", item)
	}
	if report := h.take(file, yesTo("profile:"+p.Handle)); report.Profiles != 0 {
		t.Errorf("%+v", report)
	}
}

// A restored instance's log has two continuations. The archive keeps the first as one chain:
// mixed ones would break every later backup.
func TestALogThatGoesOnOtherwiseIsLeftOut(t *testing.T) {
	old := newFixture(t, "aaaa")
	old.Credential("BEFORE", "value-of-before")
	earlier := old.export(all())
	restored := newFixture(t, "aaaa") // with the same key, so under the same label
	must[content.Counts](t)(restored.Fill(t.Context(), upload(earlier), nil))
	old.Credential("LOST", "value-of-lost")
	restored.Credential("SINCE", "value-of-since")
	other := newFixture(t, "bbbb")
	other.take(old.export(all()), Choice{History: true})
	other.take(restored.export(all()), Choice{History: true})
	kept := ""
	other.No(other.Store.Read(t.Context(), func(tx *store.Tx) error {
		return tx.Events.EachArchived(t.Context(), func(_ string, e store.EventRow) error {
			if e.Action == "credential.create" {
				kept += e.Subject + " "
			}
			return nil
		})
	}))
	if kept != "BEFORE LOST " {
		t.Errorf("kept %s", kept)
	}
	must[content.Counts](t)(newFixture(t, "cccc").Fill(t.Context(), upload(other.export(all())), nil))
}

func (h *fixture) superseded() (n int) {
	h.T.Helper()
	h.No(h.Store.Read(h.T.Context(), func(tx *store.Tx) error {
		list, err := tx.Values.Belongings(h.T.Context())
		for _, b := range list {
			if b.Superseded != 0 {
				n++
			}
		}
		return err
	}))
	return n
}

// Output is still searched for a replaced value here. Superseded values don't travel.
func TestHoleH2ImportSupersedes(t *testing.T) {
	a, b, _ := twins(t)
	for _, value := range []string{"sk_live_second_0123456789", "sk_live_third_0123456789"} {
		must[app.Credential](t)(a.Desk.Credentials.Set(t.Context(), person(),
			credentials.Input{Name: "STRIPE_KEY", Description: new("about STRIPE_KEY"), Value: app.NewSecret(value)}))
	}
	if a.superseded() != 3 || b.superseded() != 0 { // the third is of DB_PASSWORD
		t.Fatalf("%d and %d values were superseded", a.superseded(), b.superseded())
	}
	b.take(a.export(all()), yesTo("credential:STRIPE_KEY"))
	if n := b.superseded(); n != 1 {
		t.Errorf("%d values were superseded by the import", n)
	}
	red := redact.New(must[[]secrets.Resolved](t)(b.Desk.SearchSets.Others(t.Context(), hosts(t, "api.stripe.com"), nil)))
	for value, known := range map[string]int{"sk_live_0123456789abcdef": 1, "sk_live_second_0123456789": 0,
		"sk_live_third_0123456789": 1} {
		if _, hits := red.Text(value); hits.Total() != known {
			t.Errorf("%s is masked %d times", value, hits.Total())
		}
	}
}

// A deleted credential that returns by an import has its old id and version. Answers and output are
// searched for its new value.
func TestHoleF3SameIDAndVersion(t *testing.T) {
	const theirs, ours = "second-value-of-instance-a-0123", "second-value-of-instance-b-0123"
	a, b := newFixture(t, "aaaa"), newFixture(t, "bbbb")
	a.Credential("TOKEN", "first-value-of-both-0123", "api.stripe.com")
	b.take(a.export(all()), Choice{})
	theirCredential, ourCredential := a.Credential("TOKEN", theirs, "api.stripe.com"),
		b.Credential("TOKEN", ours, "api.stripe.com")
	if theirCredential.ID != ourCredential.ID || theirCredential.Version != ourCredential.Version {
		t.Fatal("the two differ in more than their values; the test shows nothing")
	}
	b.No(b.Store.Write(t.Context(), func(tx *store.Tx) error {
		_, err := tx.Values.PruneSuperseded(t.Context(), time.Now().Add(time.Hour))
		return err
	}))
	b.wantSearched("before", ours)
	b.No(b.Desk.Credentials.Delete(t.Context(), person(), "TOKEN"))
	b.take(a.export(all()), Choice{})
	b.wantSearched("after the import", theirs)
}

// wantSearched checks that answers of api.stripe.com and their readers' output are searched for a
// value.
func (h *fixture) wantSearched(when, value string) {
	h.T.Helper()
	known, err := h.Desk.SearchSets.ValuesFor(h.T.Context(), "api.stripe.com", 443)
	if err != nil || known == nil {
		h.T.Fatalf("%s: answers are not searched: %v", when, err)
	}
	resp := &http.Response{StatusCode: 200, ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{}, ContentLength: -1,
		Body: io.NopCloser(strings.NewReader("log: " + value))}
	h.No(swap.New(nil).MaskResponse(swap.Target{Host: "api.stripe.com", Port: 443, TLS: true}, resp, known))
	if body := must[[]byte](h.T)(io.ReadAll(resp.Body)); string(body) != "log: "+swap.Withheld {
		h.T.Errorf("%s: an answer reads %s", when, body)
	}
	others, err := h.Desk.SearchSets.Others(h.T.Context(), hosts(h.T, "api.stripe.com"), nil)
	if err != nil || others == nil {
		h.T.Fatalf("%s: output is not searched: %v", when, err)
	}
	if clean, _ := redact.New(others).Text("log: " + value); clean.String() != "log: [REDACTED]" {
		h.T.Errorf("%s: output reads %s", when, clean)
	}
}

// A file holds neither Vault values nor Airlock's former ones. The other instance needs its own
// Vault.
func TestReferencesToVaultTravelAndValuesNever(t *testing.T) {
	const held = "held-by-airlock-before-0123456789"
	ctx := t.Context()
	h, fresh := newFixture(t, "aaaa"), newFixture(t, "bbbb")
	// asked for nothing
	client := must[*vault.Client](t)(
		vault.New(vault.Config{Address: "https://vault.test", Token: app.NewSecret("token-of-the-test-0123")}))
	h.Desk = access.New(access.Config{Store: h.Store, Keyring: h.Ring, Vault: client,
		Leases: leases.New(leases.Config{Store: h.Store, Vault: client})})
	h.Credential("TOKEN", held, "api.example.com")
	must[app.Credential](t)(h.Desk.Credentials.Set(ctx, person(),
		credentials.Input{Name: "TOKEN", Reference: "secret/data/app#token"}))
	h.Locked("with Vault", []string{"TOKEN"}, "api.example.com")

	text := must[[]byte](t)(json.Marshal(h.dump(all())))
	if !strings.Contains(string(text), `"reference":"secret/data/app#token"`) || strings.Contains(string(text), held) {
		t.Errorf("the file says %s", text)
	}
	// a path in Vault comes in by a yes only
	fresh.take(h.export(all()), Choice{Each: map[string]bool{"credential:TOKEN": true}})
	c := must[app.Credential](t)(fresh.Desk.Credentials.ByName(ctx, "TOKEN"))
	if c.Source != app.SourceVault || c.Reference != "secret/data/app#token" {
		t.Errorf("it came as %+v", c)
	}
	// A restore asks nothing and brings everything, also from a backup.
	restored := newFixture(t, "cccc")
	must[content.Counts](t)(restored.Fill(ctx, upload(h.export(all())), nil))
	if diff := cmp.Diff(comparableRecords(h.dump(all())), comparableRecords(restored.dump(all()))); diff != "" {
		t.Error(diff)
	}
	in := must[*vault.Inspection](t)(fresh.Desk.Vault.Inspect(ctx, person(), c))
	if !strings.Contains(in.Problem, "has no Vault") {
		t.Errorf("there it is %+v", in)
	}
}
