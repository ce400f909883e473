package transfer

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/app/policy"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/app/transfer/archive"
	"github.com/computclaw/airlock/app/transfer/content"
	"github.com/computclaw/airlock/store"
)

// twins returns two instances that hold the same, and the locked profile in both.
func twins(t testing.TB) (a, b *fixture, p app.Profile) {
	a, p, _ = furnished(t, "aaaa")
	b = newFixture(t, "bbbb")
	b.take(a.export(all()), Choice{History: true})
	return a, b, p
}

func says(t *testing.T, list []string, part string) {
	t.Helper()
	if !strings.Contains(strings.Join(list, "\n"), part) {
		t.Errorf("nothing says %q: %q", part, list)
	}
}

func TestCredentialConflicts(t *testing.T) {
	tests := []struct {
		name   string
		change credentials.Input
		says   string
	}{
		{"value", credentials.Input{Name: "DB_PASSWORD", Mode: app.ModeInjected,
			Value: app.NewSecret("a third password")}, "Value: that of the file instead of that of this instance"},
		{"mode", credentials.Input{Name: "STRIPE_KEY", Mode: app.ModeInjected}, "Mode: injected instead of sealed"},
		{"more hosts", credentials.Input{Name: "STRIPE_KEY", Hosts: hosts(t, "api.stripe.com", "evil.example")},
			"Host: evil.example"},
		{"places", credentials.Input{Name: "STRIPE_KEY", Hosts: hosts(t, "api.stripe.com"),
			Places: []app.Place{app.PlaceHeader, app.PlaceQuery}}, "Put into: the query of requests"},
		{"headers", credentials.Input{Name: "STRIPE_KEY", Hosts: hosts(t, "api.stripe.com"),
			Headers: []string{"Cookie"}}, "Header: Cookie"},
		{"fewer headers", credentials.Input{Name: "STRIPE_KEY", Hosts: hosts(t, "api.stripe.com"),
			Headers: []string{"Authorization"}}, "Header: no longer X-My-Own"},
		{"plain http", credentials.Input{Name: "STRIPE_KEY", Hosts: hosts(t, "api.stripe.com"), PlainHTTP: yes()},
			"Unencrypted HTTP: allowed"},
		{"description", credentials.Input{Name: "STRIPE_KEY", Hosts: hosts(t, "api.stripe.com"),
			Description: new("new words")}, "Description: new words instead of about STRIPE_KEY"},
		{"service", credentials.Input{Name: "STRIPE_KEY", Service: new("about STRIPE_KEY"), Description: new("")},
			"Service: about STRIPE_KEY"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, b, p := twins(t)
			must[app.Credential](t)(a.Desk.Credentials.Set(t.Context(), person(), tt.change))
			file, key := a.export(all()), "credential:"+tt.change.Name
			if left := (Choice{}).ListLeft(b.plan(file)); len(left) != 1 || left[0] != key {
				t.Errorf("left: %v", left)
			}
			item := state(b.plan(file), key)
			if item.State != StateDifferent || !item.Asks {
				t.Errorf("%+v", item)
			}
			says(t, said(item), tt.says)

			before := b.dump(Selection{})
			b.take(file, Choice{})
			if content.JSON(comparableRecords(before)) != content.JSON(comparableRecords(b.dump(Selection{}))) {
				t.Error("skipping changed something")
			}
			b.take(file, yesTo(key))
			if s := state(b.plan(file), key); s.State != StateSame {
				t.Errorf("after the yes: %+v", s)
			}
			if tt.change.Value.Reveal() != "" && b.Values(p)[tt.change.Name] != tt.change.Value.Reveal() {
				t.Error("the profile does not get the new value")
			}
		})
	}
}

func yes() *bool { b := true; return &b }

// A new credential's unusual permissions are shown before it is accepted.
func TestThePreviewOfANewCredentialTellsWhereItGoes(t *testing.T) {
	a, b := newFixture(t, "aaaa"), newFixture(t, "bbbb")
	must[app.Credential](t)(a.Desk.Credentials.Set(t.Context(), person(),
		credentials.Input{Name: "OPEN_KEY", Mode: app.ModeSealed, Value: app.NewSecret("a value of some length"),
			Hosts:  hosts(t, "api.stripe.com"),
			Places: []app.Place{app.PlaceHeader, app.PlaceQuery}, Headers: []string{"Cookie"}, PlainHTTP: yes()}))
	item := state(b.plan(a.export(all())), "credential:OPEN_KEY")
	for _, line := range []string{"Put into: the query of requests", "Header: Cookie", "Unencrypted HTTP: allowed"} {
		says(t, said(item), line)
	}
}

func TestProfileConflicts(t *testing.T) {
	tests := []struct {
		name   string
		change func(a, b *fixture, p app.Profile) error // on the way to the file
		state  State
		says   string
	}{
		{"later end", func(a, _ *fixture, p app.Profile) error {
			_, err := a.Desk.Lifecycle.SetExpiry(t.Context(), person(), p.Handle, time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC))
			return err
		}, StateDifferent, "Expires: 2100-01-01T00:00:00Z instead of 2099"},
		{"no end", func(a, _ *fixture, p app.Profile) error {
			_, err := a.Desk.Lifecycle.SetExpiry(t.Context(), person(), p.Handle, time.Time{})
			return err
		}, StateDifferent, "Expires: never instead of"},
		{"earlier end", func(a, _ *fixture, p app.Profile) error {
			_, err := a.Desk.Lifecycle.SetExpiry(t.Context(), person(), p.Handle, time.Date(2098, 1, 1, 0, 0, 0, 0, time.UTC))
			return err
		}, StateDifferent, "Expires: 2098-01-01T00:00:00Z instead of 2099"},
		{"more hosts", func(a, _ *fixture, p app.Profile) error {
			_, err := a.Desk.Hosts.Set(t.Context(), person(), p.Handle,
				hosts(t, "api.stripe.com", "db.example.com:5432", "evil.example"), nil)
			return err
		}, StateDifferent, "Reaches: evil.example on ports 80 and 443: Airlock checks the name, but not always who answers"},
		{"fewer hosts", func(a, _ *fixture, p app.Profile) error {
			_, err := a.Desk.Hosts.Set(t.Context(), person(), p.Handle, hosts(t, "api.stripe.com"), nil)
			return err
		}, StateDifferent, "Reaches: no longer db.example.com on port 5432"},
		{"private addresses", func(a, _ *fixture, p app.Profile) error {
			list := hosts(t, "api.stripe.com", "db.example.com:5432")
			list[1].Private = true
			_, err := a.Desk.Hosts.Set(t.Context(), person(), p.Handle, list, nil)
			return err
		}, StateDifferent, "including private addresses"},
		{"placement", func(a, _ *fixture, p app.Profile) error {
			_, err := a.Desk.Placements.Set(t.Context(), person(), p.Handle, app.Placement{MinTier: "restricted"})
			return err
		}, StateDifferent, "Runs: with isolation restricted at least instead of"},
		{"name", func(a, _ *fixture, p app.Profile) error {
			_, err := a.Desk.Profiles.Describe(t.Context(), person(), p.Handle, "renamed")
			return err
		}, StateDifferent, "Name: renamed instead of billing"},
		{"what it may run", func(a, _ *fixture, p app.Profile) error {
			_, err := a.Desk.CodeRules.Set(t.Context(), person(), p.Handle, app.MayRunApprovedSkills)
			return err
		}, StateDifferent, "Scripts: Runs only skills that a person approved, no scripts. instead of"},
		{"revoked there", func(a, _ *fixture, p app.Profile) error {
			_, err := a.Desk.Lifecycle.Revoke(t.Context(), person(), p.Handle)
			return err
		}, StateDifferent, "State: revoked instead of locked"},
		{"revoked here", func(_, b *fixture, p app.Profile) error {
			_, err := b.Desk.Lifecycle.Revoke(t.Context(), person(), p.Handle)
			return err
		}, StateBlocked, "stays so"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, b, p := twins(t)
			a.No(tt.change(a, b, p))
			file, key := a.export(all()), "profile:"+p.Handle
			item := state(b.plan(file), key)
			if item.State != tt.state || item.Asks != (tt.state == StateDifferent) {
				t.Errorf("%+v", item)
			}
			says(t, said(item), tt.says)
			before := content.JSON(comparableRecords(b.dump(Selection{})))
			b.take(file, Choice{})
			if content.JSON(comparableRecords(b.dump(Selection{}))) != before {
				t.Error("it was changed without a yes")
			}
			r := b.take(file, yesTo(key))
			if tt.state == StateBlocked {
				if content.JSON(comparableRecords(b.dump(Selection{}))) != before {
					t.Error("a yes changed what is blocked")
				}
				return
			}
			if s := state(b.plan(file), key); s.State != StateSame || r.Profiles != 1 {
				t.Errorf("after the yes: %+v, %+v", s, r)
			}
			if tt.name == "revoked there" && len(r.Revoked) != 1 {
				t.Errorf("what it runs is not stopped: %+v", r)
			}
		})
	}
}

// A file neither changes a locked profile's keys nor unlocks it.
func TestLockedStaysLocked(t *testing.T) {
	a := newFixture(t, "aaaa")
	p := a.Profile("p", nil)
	open := a.export(all())
	b := newFixture(t, "bbbb")
	b.take(open, Choice{})
	must[app.Profile](t)(b.Desk.Lifecycle.Lock(t.Context(), person(), p.Handle,
		must[app.Profile](t)(b.Desk.Profiles.ByID(t.Context(), p.ID)).UpdatedAt))
	if s := state(b.plan(open), "profile:"+p.Handle); s.State != StateBlocked {
		t.Errorf("unlocked in the file: %+v", s)
	}
	a.Credential("NEW", "value-of-new")
	must[app.Profile](t)(a.Desk.Keys.Add(t.Context(), person(), p.Handle, []app.Key{{Name: "NEW"}}))
	linked := must[app.Profile](t)(a.Desk.Keys.Link(t.Context(), person(), p.Handle, "NEW", "NEW"))
	must[app.Profile](t)(a.Desk.Lifecycle.Lock(t.Context(), person(), p.Handle, linked.UpdatedAt))
	file := a.export(all())
	if s := state(b.plan(file), "profile:"+p.Handle); s.State != StateBlocked {
		t.Errorf("other keys in the file: %+v", s)
	}
	b.take(file, yesTo("profile:"+p.Handle))
	if got := b.Values(p); len(got) != 0 {
		t.Errorf("it got keys: %v", got)
	}
	// In the other direction, a person may replace an unlocked profile with a locked one.
	c := newFixture(t, "cccc")
	c.take(open, Choice{})
	if s := state(c.plan(file), "profile:"+p.Handle); s.State != StateDifferent || !s.Asks {
		t.Errorf("locked in the file: %+v", s)
	}
	c.take(file, yesTo("profile:"+p.Handle))
	if got := c.Values(p); got["NEW"] != "value-of-new" {
		t.Errorf("values: %v", got)
	}
}

// A file's maker who knows a profile's id must not get a local credential by name or id.
func TestFileCanNotBorrowACredential(t *testing.T) {
	victim := newFixture(t, "bbbb")
	victim.Credential("STRIPE_KEY", "sk_live_of_the_victim", "api.stripe.com")
	evil := newFixture(t, "aaaa")
	evil.Credential("STRIPE_KEY", "sk_live_anything_else", "api.stripe.com")
	p := evil.Locked("harmless", []string{"STRIPE_KEY"}, "api.stripe.com")
	file, key := evil.export(all()), "profile:"+p.Handle

	item := state(victim.plan(file), key)
	if item.State != StateNew || !item.Asks {
		t.Errorf("%+v", item)
	}
	says(t, item.Why, "Its key STRIPE_KEY would get the credential STRIPE_KEY of this instance")
	victim.take(file, yesTo("credential:STRIPE_KEY"))
	if _, err := victim.Desk.Profiles.ByID(t.Context(), p.ID); app.CodeOf(err) != app.CodeNotFound {
		t.Errorf("the profile came in: %v", err)
	}

	// The same by id: a grant that names no credential of the file points nowhere.
	stolen := must[app.Credential](t)(victim.Desk.Credentials.ByName(t.Context(), "STRIPE_KEY")).ID
	q := evil.Locked("also harmless", nil, "evil.example")
	forged := forge(t, evil, func(r *content.Record) bool {
		switch {
		case r.Credential != nil, r.Profile != nil && r.Profile.Handle != q.Handle,
			r.Policy != nil && r.Policy.Profile != q.Handle:
			return false
		case r.Profile != nil:
			r.Profile.Keys = []content.Key{{ProfileKeyRow: store.ProfileKeyRow{Name: "K", CreatedAt: 1}}}
		case r.Policy != nil:
			r.Policy.Body.Keys = []app.Grant{{Key: "K", CredentialID: stolen, Mode: app.ModeInjected}}
			r.Policy.Digest = r.Policy.Body.Digest()
		}
		return true
	})
	victim.take(forged, Choice{})
	got := must[app.Profile](t)(victim.Desk.Profiles.ByID(t.Context(), q.ID))
	policy := must[app.Policy](t)(victim.Desk.Binder.Policy(t.Context(), q.Handle, got.Policy))
	if values, err := victim.Desk.Resolver.Resolve(t.Context(), q.Handle,
		policy); app.CodeOf(err) != app.CodeMissingValue {
		t.Errorf("the grant reaches %v, %v", values, err)
	}
}

// forge writes a file with its lines changed or, on false, left out. It corrects the counts.
func forge(t testing.TB, h *fixture, change func(*content.Record) bool) []byte {
	t.Helper()
	return forgeOf(t, h, all(), change)
}

func forgeOf(t testing.TB, h *fixture, what Selection, change func(*content.Record) bool) []byte {
	t.Helper()
	var file bytes.Buffer
	sealed := must[*archive.Writer](t)(archive.NewWriter(&file, app.NewSecret(words), h.cfg.Cost))
	w := content.NewWriter(sealed)
	for _, r := range h.dump(what) {
		if r.End != nil {
			r.End = &content.Ending{Counts: w.Counts}
		}
		if change(&r) {
			h.No(w.Write(r))
		}
	}
	h.No(sealed.Close())
	return file.Bytes()
}

// Well-sealed files with false contents are refused and change nothing.
func TestLyingFiles(t *testing.T) {
	h, _, _ := furnished(t, "aaaa")
	must[app.Profile](t)(h.Desk.Profiles.Create(t.Context(), person(), "one more"))
	first := func(r *content.Record) bool { return r.Profile != nil && r.Profile.Locked && len(r.Profile.Keys) > 0 }
	history := map[string]bool{"running execution": true, "unknown status": true, "bad exec id": true, "result no JSON": true,
		"unknown verdict": true, "negative count": true, "part twice": true, "audit gap": true, "audit forged": true}
	seen := false
	once := func(r *content.Record, is bool, do func()) bool {
		if is && !seen {
			seen = true
			do()
		}
		return true
	}
	for name, change := range map[string]func(*content.Record) bool{
		"newer content": func(r *content.Record) bool {
			return once(r, r.Airlock != nil, func() { r.Airlock.Content = content.Version + 1 })
		},
		"bad label": func(r *content.Record) bool { return once(r, r.Airlock != nil, func() { r.Airlock.Instance = "../x" }) },
		"bad asked key": func(r *content.Record) bool {
			return once(r, r.Airlock != nil,
				func() { r.Airlock.AskedKeys = [][]byte{{1}} })
		},
		"no end":       func(r *content.Record) bool { return r.End == nil },
		"wrong counts": func(r *content.Record) bool { return once(r, r.End != nil, func() { r.End.Counts.Executions++ }) },
		"execution missing": func(r *content.Record) bool {
			return once(r, r.Execution != nil, func() { r.Execution = nil; r.End = nil; r.Stats = nil })
		},
		"profile without policy": func(r *content.Record) bool { return r.Policy == nil },
		"malformed id": func(
			r *content.Record) bool {
			return once(r, r.Profile != nil, func() { r.Profile.ID = "ark_short" })
		},
		"other handle": func(r *content.Record) bool { return once(r, first(r), func() { r.Profile.Handle = "other" }) },
		"unknown credential": func(r *content.Record) bool {
			return once(r, first(r),
				func() { r.Profile.Keys[0].Credential = "nothere" })
		},
		"hidden grant": func(r *content.Record) bool { return once(r, first(r), func() { r.Profile.Keys = r.Profile.Keys[1:] }) },
		"forged policy": func(r *content.Record) bool {
			return once(r, r.Policy != nil, func() { r.Policy.Body.Hosts = hosts(t, "evil.example") })
		},
		"uncanonical host": func(r *content.Record) bool {
			return once(r, r.Credential != nil && len(r.Credential.Hosts) > 0,
				func() { r.Credential.Hosts[0].Name = "API.stripe.com" })
		},
		"uncanonical header": func(r *content.Record) bool {
			return once(r, r.Credential != nil, func() { r.Credential.Headers = []string{"x-api-key"} })
		},
		"sealed for nowhere": func(r *content.Record) bool {
			return once(r, r.Credential != nil, func() { r.Credential.Mode, r.Credential.Hosts = app.ModeSealed, nil })
		},
		"unknown mode": func(r *content.Record) bool {
			return once(r, r.Credential != nil, func() { r.Credential.Mode = "open" })
		},
		"unknown source": func(r *content.Record) bool {
			return once(r, r.Credential != nil, func() { r.Credential.Source = "elsewhere" })
		},
		"vault with value": func(r *content.Record) bool {
			return once(r, r.Credential != nil,
				func() { r.Credential.Source, r.Credential.Reference = app.SourceVault, "secret/data/a#x" })
		},
		"reference to Vault's own": func(r *content.Record) bool {
			return once(r, r.Credential != nil, func() {
				r.Credential.Source, r.Credential.Reference, r.Credential.Value = app.SourceVault, "auth/token/lookup-self#id", nil
			})
		},
		"same name twice": func(r *content.Record) bool {
			return once(r, r.Credential != nil && r.Credential.Name == "STRIPE_KEY",
				func() { r.Credential.Name = "DB_PASSWORD" })
		},
		"running execution": func(r *content.Record) bool {
			return once(r, r.Execution != nil,
				func() { r.Execution.Status = "running" })
		},
		"unknown status": func(r *content.Record) bool {
			return once(r, r.Execution != nil, func() { r.Execution.Status = "won" })
		},
		"bad exec id": func(r *content.Record) bool { return once(r, r.Execution != nil, func() { r.Execution.ID = "exec_x" }) },
		"result no JSON": func(r *content.Record) bool {
			return once(r, r.Output != nil,
				func() { s := "{"; r.Output.Result = &s })
		},
		"unknown verdict": func(r *content.Record) bool {
			return once(r, r.Connection != nil,
				func() { r.Connection.Verdict = "maybe" })
		},
		"negative count": func(r *content.Record) bool { return once(r, r.Redaction != nil, func() { r.Redaction.Count = -1 }) },
		"part twice":     func(r *content.Record) bool { return once(r, r.Exchange != nil, func() { r.Exchange.Ordinal = 0 }) },
		"audit gap":      func(r *content.Record) bool { return r.Event == nil || r.Event.Seq != 2 },
		"audit forged": func(r *content.Record) bool {
			return once(r, r.Event != nil && r.Event.Seq == 2, func() { r.Event.Detail = "nothing happened" })
		},
		"unknown actor": func(r *content.Record) bool {
			return once(r, r.Profile != nil,
				func() { r.Profile.CreatedBy.Kind = "god" })
		},
		"control characters": func(r *content.Record) bool {
			return once(r, r.Profile != nil, func() { r.Profile.Description = "a\x00\u202eb" })
		},
	} {
		t.Run(name, func(t *testing.T) {
			seen = false
			file := forge(t, h, change)
			fresh := newFixture(t, "bbbb")
			before := content.JSON(fresh.Actions())
			_, errPlan := fresh.Plan(t.Context(), person(), upload(file), nil)
			// The digest must not be the cause of the refusal, so use the import's own plan.
			_, errImport := fresh.Fill(t.Context(), upload(file), nil)
			for what, err := range map[string]error{"plan": errPlan, "import": errImport} {
				var e *app.Error
				if what == "plan" && err == nil && history[name] {
					continue
				}
				if !errors.As(err, &e) || e.Code != app.CodeInvalidField && e.Code != app.CodeConflict || e.Hint == "" {
					t.Errorf("%s: %v", what, err)
				}
			}
			if content.JSON(fresh.Actions()) != before || len(fresh.dump(all())) != 2 {
				t.Error("something was changed")
			}
		})
	}
}

func FuzzLines(f *testing.F) {
	h, _, _ := furnished(f, "aaaa")
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	for _, r := range h.dump(all()) {
		h.No(enc.Encode(r))
	}
	f.Add(out.Bytes())
	f.Add(must[[]byte](f)(os.ReadFile(golden("jsonl"))))
	f.Fuzz(func(t *testing.T, lines []byte) {
		in, err := content.Read(bytes.NewReader(lines), false)
		if err == nil {
			err = in.History(func(r content.Record) error {
				if k := r.Kind(); k == content.KindExecution || k == content.KindPart {
					_, err := content.SealHistory(h.Ring, "x", 1, r)
					return err
				}
				if r.Stats != nil {
					_, err := r.Stats.Row()
					return err
				}
				return nil
			})
		}
		if err != nil && app.CodeOf(err) != app.CodeInvalidField {
			t.Errorf("%v", err)
		}
	})
}

func TestFilesThatDoNotOpen(t *testing.T) {
	h, _, _ := furnished(t, "aaaa")
	file := h.export(all())
	fresh := newFixture(t, "bbbb")
	wrong := upload(file)
	wrong.Passphrase = app.NewSecret("some other words than those")
	bomb := forge(t, h, func(r *content.Record) bool {
		if r.Event != nil && r.Event.Seq == 1 {
			r.Event.Detail = strings.Repeat("0", 40<<20)
		}
		return true
	})
	limited := upload(bomb)
	limited.MaxSize = 1 << 20
	for name, tt := range map[string]struct {
		file  Upload
		field string
	}{
		"wrong passphrase": {wrong, "passphrase"}, "truncated": {upload(file[:len(file)-5]), "file"},
		"tampered":       {upload(append(bytes.Clone(file[:200]), append([]byte{file[200] ^ 1}, file[201:]...)...)), "file"},
		"something else": {upload([]byte("SQLite format 3")), "file"}, "bomb": {limited, "file"},
	} {
		_, err := fresh.Plan(t.Context(), person(), tt.file, nil)
		_, err2 := fresh.Fill(t.Context(), tt.file, nil)
		for _, err := range []error{err, err2} {
			var e *app.Error
			if !errors.As(err, &e) || e.Code != app.CodeInvalidField || e.Field != tt.field || e.Hint == "" {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if len(fresh.dump(all())) != 2 {
		t.Error("something was changed")
	}
}

func TestImportOfAnotherPlanIsRefused(t *testing.T) {
	a, b, _ := twins(t)
	a.Credential("NEW", "value-of-new")
	file := a.export(all())
	plan := b.plan(file)
	b.Credential("NEW", "another value, set meanwhile")
	_, err := b.Import(t.Context(), person(), upload(file), Choice{}, plan, nil)
	wantCode(t, "stale", err, app.CodeConflict)
}

// A plain value naming a host of a locked profile is part of the lock. An import shows both hosts
// and wants a separate yes.
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
		values := must[[]secrets.Resolved](t)(h.Desk.Resolver.Resolve(ctx, p.Handle, granted))
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
			_, err = victim.Import(t.Context(), person(), upload(file), Choice{}, Plan{}, nil)
			wantCode(t, "import", err, app.CodeInvalidField)
		})
	}
}

// A grant of mode sealed doesn't soften the sentence about its host.
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

// anna opens the lock page, a file replaces the profile, and anna locks the old contents.
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
			_, err = victim.Import(t.Context(), person(), upload(file), Choice{}, Plan{}, nil)
			wantCode(t, "import", err, app.CodeInvalidField)
			// A restore accepts what older rules allowed.
			must[content.Counts](t)(victim.Fill(t.Context(), upload(file), nil))
		})
	}
}

// A file without a value can't seal a local value that is too short.
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
