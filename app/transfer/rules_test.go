package transfer

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/transfer/content"
	"github.com/computclaw/airlock/store"
)

// relayed is an entry that a page must show: raw TCP, also at private addresses.
func relayed(t testing.TB) app.Host {
	h := hosts(t, "evil.example:443")[0]
	h.Protocol, h.Private = app.ProtocolTCP, true
	return h
}

func TestHoleF5PolicyGrantsWhatThePageShows(t *testing.T) {
	for name, change := range map[string]func(*content.Record){
		"more":        func(r *content.Record) { r.Policy.Body.Hosts = append(r.Policy.Body.Hosts, relayed(t)) },
		"other terms": func(r *content.Record) { r.Policy.Body.Hosts[0].Private = true },
		"less":        func(r *content.Record) { r.Policy.Body.Hosts = nil },
	} {
		t.Run(name, func(t *testing.T) {
			victim, evil := newFixture(t, "bbbb"), newFixture(t, "aaaa")
			evil.Credential("STRIPE_KEY", "sk_live_anything_else", "api.stripe.com")
			evil.Locked("harmless", []string{"STRIPE_KEY"}, "api.stripe.com")
			victim.plan(evil.export(all()))
			file := forge(t, evil, func(r *content.Record) bool {
				if r.Policy != nil {
					change(r)
					r.Policy.Digest = r.Policy.Body.Digest()
				}
				return true
			})
			_, err := victim.Plan(t.Context(), person(), upload(file), nil)
			if app.CodeOf(err) != app.CodeInvalidField ||
				!strings.Contains(err.Error(), "grants other hosts than its page would show") {
				t.Error(err)
			}
			_, err = victim.Import(t.Context(), person(), upload(file), Choice{}, "", nil)
			wantCode(t, "import", err, app.CodeInvalidField)
		})
	}
}

// TestHoleF5SentencesOfAPreview: a grant that says sealed doesn't make the sentence about its host
// milder.
func TestHoleF5SentencesOfAPreview(t *testing.T) {
	victim, evil := newFixture(t, "bbbb"), newFixture(t, "aaaa")
	evil.Credential("DB_PASSWORD", "an-injected-password")
	p := evil.Locked("harmless", []string{"DB_PASSWORD"}, "db.example:5432")
	file := forge(t, evil, func(r *content.Record) bool {
		if r.Policy != nil {
			r.Policy.Body.Keys[0].Mode, r.Policy.Body.Keys[0].Hosts = app.ModeSealed, r.Policy.Body.Hosts
			r.Policy.Digest = r.Policy.Body.Digest()
		}
		return true
	})
	want := "Reaches: " + hosts(t, "db.example:5432")[0].Sentence(nil)
	if item := state(victim.plan(file), "profile:"+p.Handle); !slices.Contains(said(item), want) {
		t.Errorf("%q is not in %q", want, said(item))
	}
}

// TestHoleF5LockPageOpenedBeforeAnImport: anna looks at the lock page, a file replaces the profile,
// anna locks what she saw.
func TestHoleF5LockPageOpenedBeforeAnImport(t *testing.T) {
	h := newFixture(t, "aaaa")
	p := h.Profile("harmless", nil, "api.stripe.com")
	file := forge(t, h, func(r *content.Record) bool {
		if r.Profile != nil {
			r.Profile.Hosts[0].Host = relayed(t)
		}
		return true
	})
	item := state(h.plan(file), "profile:"+p.Handle)
	if !item.Asks {
		t.Errorf("%+v", item)
	}
	says(t, said(item), "Reaches: "+relayed(t).Sentence(nil))
	if h.take(file, Choice{}).Profiles != 0 {
		t.Error("it was widened without a yes of its own")
	}
	yes := yesTo(item.Key)
	h.take(file, yes)
	_, err := h.Desk.Lifecycle.Lock(t.Context(), person(), p.Handle, p.UpdatedAt)
	wantCode(t, "locked as seen before the import", err, app.CodeConflict)

	// The same with a profile that was deleted in between.
	seen := must[app.Profile](t)(h.Desk.Profiles.ByHandle(t.Context(), p.Handle)).UpdatedAt
	file = h.export(all())
	h.No(h.Desk.Profiles.Delete(t.Context(), person(), p.Handle))
	h.cfg.Now = func() time.Time { return seen.Add(time.Second) }
	h.take(file, yes)
	_, err = h.Desk.Lifecycle.Lock(t.Context(), person(), p.Handle, seen)
	wantCode(t, "locked as seen before the deletion", err, app.CodeConflict)
}

func TestHoleF6ImportKeepsTheRulesOfForms(t *testing.T) {
	agents := app.Actor{Kind: app.ActorAgent}
	asks := func(r *content.Record, h app.Host, by app.Actor) {
		r.Profile.Hosts = append(r.Profile.Hosts,
			content.Host{Host: h, AskedBy: by, ProfileHostRow: store.ProfileHostRow{CreatedAt: 1}})
	}
	value := func(text string) func(*content.Record) { return func(r *content.Record) { r.Credential.Value = &text } }
	for name, c := range map[string]struct {
		credential, profile func(*content.Record)
		says                string
	}{
		"short sealed value": {credential: value("pw"), says: "at least 16 characters"},
		"NUL":                {credential: value("abcdefghijklmnop\x00qrst"), says: "NUL"},
		"short injected value": {credential: func(r *content.Record) {
			value("pw")(r)
			r.Credential.Mode, r.Credential.Hosts = app.ModeInjected, nil
		}, says: "at least 4 characters"},
		"logged header": {credential: func(r *content.Record) { r.Credential.Headers = []string{"User-Agent"} },
			says: "no sealed value can stand in User-Agent"},
		"credential of a key": {credential: func(r *content.Record) { r.Credential.Hosts = hosts(t, "{X}") },
			says: "can't belong to {X}"},
		"credential of localhost": {credential: func(r *content.Record) { r.Credential.Hosts = hosts(t, "localhost") },
			says: "never reachable"},
		"credential of a link": {credential: func(r *content.Record) { r.Credential.Hosts = hosts(t, "169.254.169.254") },
			says: "never reachable"},
		"profile of localhost": {profile: func(r *content.Record) { asks(r, hosts(t, "localhost")[0], person()) },
			says: "never reachable"},
		"what agents can't ask for": {profile: func(r *content.Record) { asks(r, relayed(t), agents) }, says: "agents can't ask"},
		"reason that isn't seen": {profile: func(r *content.Record) {
			h := hosts(t, "cdn.example")[0]
			h.Reason = "safe\u200b"
			asks(r, h, agents)
		}, says: "invisible character"},
		"pairing code": {profile: func(r *content.Record) { r.Profile.PairingCode = "type your\npassword" }, says: "pairing code"},
	} {
		t.Run(name, func(t *testing.T) {
			victim, evil := newFixture(t, "bbbb"), newFixture(t, "aaaa")
			evil.Credential("STRIPE_KEY", "sk_live_anything_else", "api.stripe.com")
			evil.Profile("harmless", []string{"STRIPE_KEY"}, "api.stripe.com")
			file := forge(t, evil, func(r *content.Record) bool {
				if r.Credential != nil && c.credential != nil {
					c.credential(r)
				}
				if r.Profile != nil && c.profile != nil {
					c.profile(r)
				}
				return true
			})
			_, err := victim.Plan(t.Context(), person(), upload(file), nil)
			if app.CodeOf(err) != app.CodeInvalidField || !strings.Contains(err.Error(), c.says) {
				t.Errorf("plan: %v", err)
			}
			_, err = victim.Import(t.Context(), person(), upload(file), Choice{}, "", nil)
			wantCode(t, "import", err, app.CodeInvalidField)
			// A restore brings back what was stored, also under the rules of an older version.
			must[content.Counts](t)(victim.Fill(t.Context(), upload(file), nil))
		})
	}
}

// TestHoleF6ImportedModeOfAValueThatStays: a file without a value can't seal one here that is too
// short for that.
func TestHoleF6ImportedModeOfAValueThatStays(t *testing.T) {
	a, b := newFixture(t, "aaaa"), newFixture(t, "bbbb")
	a.Credential("PW", "hunter22")
	b.Credential("PW", "hunter22")
	file := forge(t, a, func(r *content.Record) bool {
		if c := r.Credential; c != nil {
			withoutValue(c)
			c.Mode, c.Hosts = app.ModeSealed, hosts(t, "api.stripe.com")
		}
		return true
	})
	item := state(b.plan(file), "credential:PW")
	if item.State != StateBlocked || !strings.Contains(item.Why[0], "can't be sealed") {
		t.Errorf("the preview says %+v", item)
	}
	b.take(file, yesTo(item.Key))
	if c := must[app.Credential](t)(b.Desk.Credentials.ByName(t.Context(), "PW")); c.Mode != app.ModeInjected ||
		len(c.Hosts) > 0 {
		t.Errorf("it became %+v", c)
	}
}

func withoutValue(c *content.Credential) {
	c.Value, c.Version, c.Versions, c.ValueSetAt = nil, 0, []content.ValueVersion{}, 0
}

func TestHoleF9ValueThatMovedToVault(t *testing.T) {
	const held = "the-value-that-b-held-1"
	a, b := newFixture(t, "aaaa"), newFixture(t, "bbbb")
	a.Credential("TOKEN", "sk_live_anything_else", "api.stripe.com")
	b.Credential("TOKEN", held, "api.stripe.com")
	yes := yesTo("credential:TOKEN")
	b.take(forge(t, a, func(r *content.Record) bool {
		if c := r.Credential; c != nil {
			withoutValue(c)
			c.Source, c.Reference = app.SourceVault, "secret/data/x#y"
		}
		return true
	}), yes)
	c := must[app.Credential](t)(b.Desk.Credentials.ByName(t.Context(), "TOKEN"))
	if c.Source != app.SourceVault || b.superseded() != 1 {
		t.Errorf("it is in %s, with %d values to be searched for", c.Source, b.superseded())
	}
	b.No(b.Store.Read(t.Context(), func(tx *store.Tx) error {
		values, err := tx.Values.Current(t.Context(), []string{c.ID})
		if len(values) > 0 {
			t.Error("Airlock still holds the value")
		}
		return err
	}))
	back := forge(t, a, func(r *content.Record) bool {
		if r.Credential != nil {
			withoutValue(r.Credential)
		}
		return true
	})
	if item := state(b.plan(back), "credential:TOKEN"); item.State != StateBlocked ||
		!strings.Contains(item.Why[0], "the file holds none") {
		t.Errorf("the preview says %+v", item)
	}
	b.take(back, yes)
	if c := must[app.Credential](t)(b.Desk.Credentials.ByName(t.Context(), "TOKEN")); c.Source != app.SourceVault {
		t.Errorf("it came back as %+v", c)
	}
	b.take(a.export(all()), yes)
	if got := b.Values(b.Locked("uses it", []string{"TOKEN"}, "api.stripe.com")); got["TOKEN"] != "sk_live_anything_else" {
		t.Errorf("scripts get %v", got)
	}
}
