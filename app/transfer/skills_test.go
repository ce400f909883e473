package transfer

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/app/skills"
	"github.com/computclaw/airlock/app/skills/bundle"
	"github.com/computclaw/airlock/store"
)

func agent(p app.Profile) app.Actor { return app.Actor{Kind: app.ActorAgent, Name: p.Handle} }

// version uploads a skill that prints a text.
func (h *house) version(by app.Actor, name, text string) skills.Version {
	h.t.Helper()
	dir := h.t.TempDir()
	skill := fmt.Sprintf("---\nname: %s\ndescription: It prints %s.\nmetadata:\n  airlock.keys: STRIPE_KEY\n---\nRun it.\n", name, text)
	h.no(os.WriteFile(filepath.Join(dir, "SKILL.md"), []byte(skill), 0o600))
	h.no(os.WriteFile(filepath.Join(dir, "main.py"), []byte(fmt.Sprintf("print(%q)\n", text)), 0o600))
	return must[skills.Version](h.t)(h.skills.Upload(h.t.Context(), by, must[bundle.Bundle](h.t)(bundle.ReadFolder(dir))))
}

func (h *house) approve(v skills.Version) {
	h.t.Helper()
	must[skills.Version](h.t)(h.skills.Approve(h.t.Context(), person(), v.Name, v.Number, v.Digest))
}

func (h *house) revoke(name string, number int) {
	h.t.Helper()
	must[skills.Version](h.t)(h.skills.Revoke(h.t.Context(), person(), name, number, "It sends mail."))
}

// decided adds what a person decided about a script.
func (h *house) decided(p app.Profile, script string, state app.ApprovalState, scope app.ApprovalScope) {
	h.t.Helper()
	sum := sha256.Sum256([]byte(script))
	shown, _ := redact.New(nil).Text(script)
	h.no(h.store.Write(h.t.Context(), func(tx *store.Tx) error {
		return tx.Approvals.Add(h.t.Context(), app.Approval{ID: app.NewID(), Kind: app.ApprovalScript,
			Subject: hex.EncodeToString(sum[:]), ProfileHandle: p.Handle, Execution: app.NewID(), State: state, Scope: scope,
			AskedAt: h.now(), DecidedBy: person(), DecidedAt: h.now()}, shown)
	}))
}

// approved is what holds for a script now.
func (h *house) approved(st *store.Store, profile, script string) app.ApprovalState {
	h.t.Helper()
	sum := sha256.Sum256([]byte(script))
	var now store.Current
	h.no(st.Read(h.t.Context(), func(tx *store.Tx) (err error) {
		now, err = tx.Approvals.Current(h.t.Context(), profile, app.ApprovalScript, hex.EncodeToString(sum[:]))
		return err
	}))
	return now.Approval.State
}

// furnishSkills adds a skill with a version of each state, one that was deleted, and decisions about
// scripts.
func (h *house) furnishSkills(p app.Profile) {
	h.t.Helper()
	ctx := h.t.Context()
	h.approve(h.version(agent(p), "totals", "one"))
	h.revoke("totals", 1)
	h.approve(h.version(agent(p), "totals", "two"))
	h.version(agent(p), "totals", "three")
	h.approve(h.version(person(), "gone", "gone"))
	h.no(h.skills.Delete(ctx, person(), "gone"))
	h.decided(p, "print(1)", app.ApprovalApproved, app.ApproveAlways)
	h.decided(p, "print(2)", app.ApprovalRefused, "")
	h.decided(p, "print(3)", app.ApprovalApproved, app.ApproveOnce)
	h.decided(p, "print(4)", app.ApprovalOpen, "")
}

func (h *house) skillList() []skills.Skill {
	h.t.Helper()
	return must[[]skills.Skill](h.t)(h.skills.List(h.t.Context()))
}

// runs makes sure that a version that the profile may run prints a text.
func (h *house) runs(s *skills.Service, profile, ref, want string) {
	h.t.Helper()
	v, err := s.Resolve(h.t.Context(), profile, ref)
	h.no(err)
	b := must[*bundle.Bundle](h.t)(s.Open(h.t.Context(), v.Digest))
	if got, _ := b.File("main.py"); string(got) != fmt.Sprintf("print(%q)\n", want) {
		h.t.Errorf("%s: %q", ref, got)
	}
}

func TestSkillsTravelWithFilesStatesAndDecisions(t *testing.T) {
	h, p, _ := furnished(t, "aaaa")
	file := h.export(all())
	for name, house := range map[string]*house{"import": newHouse(t, "bbbb"), "restore": newHouse(t, "cccc")} {
		t.Run(name, func(t *testing.T) {
			house.t = t
			if name == "import" {
				house.take(file, Choice{})
			} else {
				must[Counts](t)(house.Fill(t.Context(), upload(file), nil))
			}
			if diff := cmp.Diff(h.skillList(), house.skillList()); diff != "" {
				t.Error(diff)
			}
			house.runs(house.skills, p.Handle, "totals", "two")
			_, err := house.skills.Resolve(t.Context(), p.Handle, "totals@1")
			wantCode(t, "a revoked version", err, app.CodeSkillRevoked)
			_, err = house.skills.Resolve(t.Context(), p.Handle, "totals@3")
			wantCode(t, "one that nobody reviewed", err, app.CodeSkillNotApproved)
			for script, want := range map[string]app.ApprovalState{"print(1)": app.ApprovalApproved,
				"print(2)": app.ApprovalRefused, "print(3)": "", "print(4)": ""} {
				if got := house.approved(house.store, p.Handle, script); got != want {
					t.Errorf("%s is %q, want %q", script, got, want)
				}
			}
			// The same file says nothing new.
			if item := state(house.plan(file), "skill:totals"); item.State != StateSame {
				t.Errorf("%+v", item)
			}
		})
	}
}

func TestSkillsOfChosenProfilesTravelWithThem(t *testing.T) {
	h, p, _ := furnished(t, "aaaa")
	other := h.locked("another", nil)
	h.approve(h.version(agent(other), "theirs", "theirs"))
	h.no(h.skills.Allow(t.Context(), person(), "totals", other.Handle))
	fresh := newHouse(t, "bbbb")
	fresh.take(h.export(Selection{Profiles: []string{p.Handle}}), Choice{})
	list := fresh.skillList()
	if len(list) != 1 || list[0].Name != "totals" || len(list[0].Profiles) != 1 {
		t.Errorf("%+v", list)
	}
}

// TestFilesOfSkillsThatWereChangedAreRefused: the digest that a person approved names the bytes.
func TestFilesOfSkillsThatWereChangedAreRefused(t *testing.T) {
	h, _, _ := furnished(t, "aaaa")
	seen := false
	once := func(r *record, change func(*bundleRecord)) bool {
		if r.Bundle != nil && !seen {
			seen = true
			change(r.Bundle)
		}
		return true
	}
	for name, change := range map[string]func(r *record) bool{
		"a byte": func(r *record) bool {
			return once(r, func(b *bundleRecord) {
				b.Packed = []byte(strings.Replace(string(b.Packed), "print", "Print", 1))
			})
		},
		"no tar file": func(r *record) bool { return once(r, func(b *bundleRecord) { b.Packed = []byte("x") }) },
		"other version": func(r *record) bool {
			return once(r, func(b *bundleRecord) { b.Digest = "sha256:" + strings.Repeat("0", 64) })
		},
		"missing": func(r *record) bool {
			if r.End != nil {
				r.End.Counts.Bundles = 0
			}
			return r.Bundle == nil
		},
		"another skill": func(r *record) bool {
			if r.Skill != nil {
				r.Skill.Name = "other"
			}
			return r.Skill == nil || r.Skill.DeletedAt == 0
		},
		"unknown state": func(r *record) bool {
			if r.Skill != nil && len(r.Skill.Versions) > 0 {
				r.Skill.Versions[0].State = "good"
			}
			return true
		},
		"unknown profile": func(r *record) bool {
			if r.Skill != nil && len(r.Skill.Profiles) > 0 {
				r.Skill.Profiles[0].Profile = "x"
			}
			return true
		},
		"another script": func(r *record) bool {
			if r.Approval != nil {
				r.Approval.Shown += "#"
			}
			return true
		},
		"approved once": func(r *record) bool {
			if r.Approval != nil {
				r.Approval.Scope = "once"
			}
			return true
		},
	} {
		t.Run(name, func(t *testing.T) {
			seen = false
			fresh := newHouse(t, "bbbb")
			file := forge(t, h, change)
			_, err := fresh.Plan(t.Context(), person(), upload(file), nil)
			wantCode(t, "the preview", err, app.CodeInvalidField)
			_, err = fresh.Fill(t.Context(), upload(file), nil)
			wantCode(t, "a restore", err, app.CodeInvalidField)
			if list := fresh.skillList(); len(list) != 0 {
				t.Errorf("%+v", list)
			}
		})
	}
}

// TestNoFileApprovesWhatWasNotApprovedHere: without a yes of its own nothing of a skill that is here
// comes to run, and nothing that was revoked here ever does.
func TestNoFileApprovesWhatWasNotApprovedHere(t *testing.T) {
	h, p, _ := furnished(t, "aaaa")
	here := newHouse(t, "bbbb")
	here.take(h.export(all()), Choice{})
	here.revoke("totals", 2)                      // approved there
	h.approve(must[skills.Version](t)(newest(h))) // waits here
	h.approve(h.version(agent(p), "totals", "four"))
	h.decided(p, "print(5)", app.ApprovalApproved, app.ApproveAlways)
	file := h.export(all())
	item := state(here.plan(file), "skill:totals")
	if item.State != StateConflict || !item.Widens {
		t.Errorf("%+v", item)
	}
	says(t, item.Changes, "Version 3 here becomes approved")
	says(t, item.Changes, "A version would be added, approved")
	here.take(file, Choice{Overwrite: true})
	for _, ref := range []string{"totals", "totals@2", "totals@3"} {
		if v, err := here.skills.Resolve(t.Context(), p.Handle, ref); err == nil {
			t.Errorf("%s runs: %+v", ref, v)
		}
	}
	here.take(file, Choice{Each: map[string]bool{"skill:totals": true}})
	here.runs(here.skills, p.Handle, "totals@3", "three")
	here.runs(here.skills, p.Handle, "totals@4", "four")
	_, err := here.skills.Resolve(t.Context(), p.Handle, "totals@2")
	wantCode(t, "what was revoked here", err, app.CodeSkillRevoked)
	if got := here.approved(here.store, p.Handle, "print(5)"); got != "" {
		t.Errorf("a script of a profile that is here became %s", got)
	}
}

func newest(h *house) (skills.Version, error) {
	s, err := h.skills.Get(h.t.Context(), "totals")
	if err != nil {
		return skills.Version{}, err
	}
	return s.Versions[0], nil
}

func TestDeletedSkillsComeBackOnlyWithAYesAndNeverRevoked(t *testing.T) {
	h, p, _ := furnished(t, "aaaa")
	here := newHouse(t, "bbbb")
	here.take(h.export(all()), Choice{})
	here.revoke("totals", 2)
	here.no(here.skills.Delete(t.Context(), person(), "totals"))
	file := h.export(all())
	if item := state(here.plan(file), "skill:totals"); !item.Widens {
		t.Errorf("%+v", item)
	}
	here.take(file, Choice{Overwrite: true})
	if list := here.skillList(); len(list) != 0 {
		t.Errorf("%+v", list)
	}
	here.take(file, Choice{Each: map[string]bool{"skill:totals": true}})
	_, err := here.skills.Resolve(t.Context(), p.Handle, "totals")
	wantCode(t, "what was revoked before it was deleted", err, app.CodeSkillNotApproved)
	if list := here.skillList(); len(list) != 1 || len(list[0].Versions) != 3 || list[0].Versions[0].Number != 6 {
		t.Errorf("%+v", list)
	}
}

// TestNewSkillsForProfilesThatAreHereNeedAYes: a file could bring code for a profile that may run
// approved skills only.
func TestNewSkillsForProfilesThatAreHereNeedAYes(t *testing.T) {
	h := newHouse(t, "aaaa")
	p := h.locked("billing", nil)
	here := newHouse(t, "bbbb")
	here.take(h.export(all()), Choice{})
	h.approve(h.version(agent(p), "totals", "one"))
	file := h.export(all())
	item := state(here.plan(file), "skill:totals")
	if item.State != StateNew || !item.Widens {
		t.Errorf("%+v", item)
	}
	says(t, item.Changes, "could run it")
	here.take(file, Choice{Overwrite: true})
	if list := here.skillList(); len(list) != 0 {
		t.Errorf("%+v", list)
	}
}

// TestACopyLetsNothingRunThatDoesNotAnyMore: an older copy takes the place of a later state.
func TestACopyLetsNothingRunThatDoesNotAnyMore(t *testing.T) {
	for _, kind := range []string{"point", "file"} {
		for name, tt := range map[string]struct {
			later func(h *house, p app.Profile)
			want  app.Code
		}{
			"nothing":      {func(*house, app.Profile) {}, ""},
			"revoked":      {func(h *house, _ app.Profile) { h.revoke("totals", 2) }, app.CodeSkillRevoked},
			"switched off": {func(h *house, _ app.Profile) { h.no(h.skills.SetEnabled(h.t.Context(), person(), "totals", false)) }, app.CodeSkillDisabled},
			"deleted":      {func(h *house, _ app.Profile) { h.no(h.skills.Delete(h.t.Context(), person(), "totals")) }, app.CodeSkillNotFound},
			"disallowed":   {func(h *house, p app.Profile) { h.no(h.skills.Disallow(h.t.Context(), person(), "totals", p.Handle)) }, app.CodeSkillNotFound},
		} {
			t.Run(kind+" "+name, func(t *testing.T) {
				h, p, _ := furnished(t, "aaaa")
				h.t = t
				h.decided(p, "print(6)", app.ApprovalApproved, app.ApproveAlways)
				h.restoredLater(kind, func() {
					tt.later(h, p)
					h.no(h.store.Write(t.Context(), func(tx *store.Tx) error {
						list, err := tx.Approvals.List(t.Context(), p.Handle, 9, app.ApprovalApproved)
						for _, a := range list {
							if sum := sha256.Sum256([]byte("print(1)")); a.Subject == hex.EncodeToString(sum[:]) {
								err = tx.Approvals.Forget(t.Context(), a.ID)
							}
						}
						return err
					}))
				})
				_, st := opened(t, h.dir, h.ring)
				for script, want := range map[string]app.ApprovalState{"print(1)": "", "print(3)": "", "print(6)": app.ApprovalApproved} {
					if got := h.approved(st, p.Handle, script); got != want {
						t.Errorf("%s is %q, want %q", script, got, want)
					}
				}
				after := newHouseAt(t, h, st)
				if tt.want == "" {
					h.runs(after, p.Handle, "totals", "two")
					return
				}
				_, err := after.Resolve(t.Context(), p.Handle, "totals@2")
				wantCode(t, "the skill", err, tt.want)
			})
		}
	}
}

// TestLostFilesOfSkillsAreSaidAndStopNoBackup: the rest still travels.
func TestLostFilesOfSkillsAreSaidAndStopNoBackup(t *testing.T) {
	h, p, _ := furnished(t, "aaaa")
	h.approve(h.version(agent(p), "alone", "alone"))
	two := must[skills.Version](t)(h.skills.Resolve(t.Context(), p.Handle, "totals"))
	alone := must[skills.Version](t)(h.skills.Resolve(t.Context(), p.Handle, "alone"))
	for i, v := range []skills.Version{two, alone} {
		var blob store.Blob
		h.no(h.store.Read(t.Context(), func(tx *store.Tx) error {
			row, err := tx.Skills.ByDigest(t.Context(), v.Digest)
			if err != nil {
				return err
			}
			blob, err = tx.Blobs.Get(t.Context(), row.Blob)
			return err
		}))
		path := filepath.Join(h.dir, "files", blob.Name)
		if i == 0 {
			h.no(os.Remove(path))
		} else {
			h.no(os.WriteFile(path, []byte("damaged"), 0o600))
		}
	}
	target := t.TempDir()
	h.no(h.SetBackupSettings(t.Context(), person(), toDir(target)))
	b := must[store.Backup](t)(h.BackUp(t.Context(), person()))
	if b.Status != store.BackupVerified || !strings.Contains(b.Error, two.Digest) || !strings.Contains(b.Error, alone.Digest) {
		t.Errorf("%+v", b)
	}
	fresh := newHouse(t, "bbbb")
	must[Counts](t)(fresh.Fill(t.Context(), upload(must[[]byte](t)(os.ReadFile(filepath.Join(target, b.Name)))), nil))
	list := fresh.skillList()
	if len(list) != 1 || list[0].Name != "totals" || len(list[0].Versions) != 2 {
		t.Errorf("%+v", list)
	}
	_, err := fresh.skills.Resolve(t.Context(), p.Handle, "totals")
	wantCode(t, "what has no files", err, app.CodeSkillNotApproved)
}

// TestFailedRestoresLeaveNoFilesOfSkills: what they unpacked goes with their database.
func TestFailedRestoresLeaveNoFilesOfSkills(t *testing.T) {
	h, _, _ := furnished(t, "aaaa")
	file := h.export(all())
	dir := t.TempDir()
	path := filepath.Join(t.TempDir(), "x.airlock")
	h.no(os.WriteFile(path, file[:len(file)-20], 0o600))
	r := Restore{Dir: dir, Keyring: h.ring, By: person(), Log: h.cfg.Log}
	if _, err := r.FromFile(t.Context(), must[Upload](t)(OpenFile(path, app.NewSecret(words))), nil); err == nil {
		t.Error("it was restored")
	}
	h.no(filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			t.Errorf("%s is left", path)
		}
		return err
	}))
}
