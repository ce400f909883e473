package transfer

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/credentials"
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
			Description: "new words"}, "Description: new words instead of about STRIPE_KEY"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, b, p := twins(t)
			if tt.change.Description == "" {
				tt.change.Description = "about " + tt.change.Name
			}
			must[app.Credential](t)(a.Desk.Credentials.Set(t.Context(), person(), tt.change))
			file, key := a.export(all()), "credential:"+tt.change.Name
			if left := (Choice{}).Left(b.plan(file)); len(left) != 1 || left[0] != key {
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

// What a new credential may do besides the usual is said before it is taken.
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
		}, StateDifferent, "May run: Runs only skills that a person approved, no scripts. instead of"},
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

// A locked profile's keys never change, a locked profile never unlocks: also not by a file.
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
	// The other way round a person may: what was being set up here becomes what was locked there.
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

// A file with a profile whose id its maker knows must not get at a credential here by its name, nor
// by its id.
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

// forge writes a file of an instance with its lines changed or, on false, left out; the counts are
// made right.
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

// Files that were sealed properly and lie are refused, and nothing is changed.
func TestLyingFiles(t *testing.T) {
	h, _, _ := furnished(t, "aaaa")
	must[app.Profile](t)(h.Desk.Profiles.Create(t.Context(), person(), "one more"))
	first := func(r *content.Record) bool { return r.Profile != nil && r.Profile.Locked && len(r.Profile.Keys) > 0 }
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
			// The digest of the plan is not what refuses it: ask for the one that the import makes.
			_, errImport := fresh.Fill(t.Context(), upload(file), nil)
			for what, err := range map[string]error{"plan": errPlan, "import": errImport} {
				var e *app.Error
				if !errors.As(err, &e) || e.Code != app.CodeInvalidField && e.Code != app.CodeConflict || e.Hint == "" {
					// The schema is asked only when something is written.
					if what == "plan" && err == nil &&
						(name == "unknown verdict" || name == "negative count" || name == "part twice") {
						continue
					}
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
		in, err := content.Read(bytes.NewReader(lines))
		if err == nil {
			err = in.History(func(r content.Record) error {
				if k := r.Kind(); k == content.KindExecution || k == content.KindPart {
					_, err := content.SealHistory(h.Ring, "x", 1, r)
					return err
				}
				if r.Stats != nil {
					_, err := content.StatsRow(*r.Stats, content.MaxNumber)
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
	_, err := b.Import(t.Context(), person(), upload(file), Choice{}, plan.Digest, nil)
	wantCode(t, "stale", err, app.CodeConflict)
}
