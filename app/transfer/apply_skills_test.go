package transfer

import (
	"bytes"
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
	"github.com/computclaw/airlock/app/skills"
	"github.com/computclaw/airlock/app/skills/bundle"
	"github.com/computclaw/airlock/app/transfer/content"
	"github.com/computclaw/airlock/app/transfer/transfertest"
	"github.com/computclaw/airlock/store"
)

func (h *fixture) approved(st *store.Store, profile, script string) app.ApprovalState {
	h.T.Helper()
	sum := sha256.Sum256([]byte(script))
	var now store.Current
	h.No(st.Read(h.T.Context(), func(tx *store.Tx) (err error) {
		now, err = tx.Approvals.Current(h.T.Context(), profile, app.ApprovalScript, hex.EncodeToString(sum[:]))
		return err
	}))
	return now.Approval.State
}

func (h *fixture) skillList() []skills.Skill {
	h.T.Helper()
	return must[[]skills.Skill](h.T)(h.Skills.List(h.T.Context()))
}

func (h *fixture) runs(s *skills.Service, profile, ref, want string) {
	h.T.Helper()
	v, err := s.Resolve(h.T.Context(), profile, ref)
	h.No(err)
	b := must[*bundle.Bundle](h.T)(s.Open(h.T.Context(), v.Digest))
	if got, _ := b.File("main.py"); string(got) != fmt.Sprintf("print(%q)\n", want) {
		h.T.Errorf("%s: %q", ref, got)
	}
}

func TestSkillsTravelWithFilesStatesAndDecisions(t *testing.T) {
	h, p, _ := furnished(t, "aaaa")
	file := h.export(all())
	for name, target := range map[string]*fixture{"import": newFixture(t, "bbbb"), "restore": newFixture(t, "cccc")} {
		t.Run(name, func(t *testing.T) {
			target.T = t
			if name == "import" {
				target.take(file, Choice{})
			} else {
				must[content.Counts](t)(target.Fill(t.Context(), upload(file), nil))
			}
			if diff := cmp.Diff(h.skillList(), target.skillList()); diff != "" {
				t.Error(diff)
			}
			target.runs(target.Skills, p.Handle, "totals", "two")
			_, err := target.Skills.Resolve(t.Context(), p.Handle, "totals@1")
			wantCode(t, "a revoked version", err, app.CodeSkillRevoked)
			_, err = target.Skills.Resolve(t.Context(), p.Handle, "totals@3")
			wantCode(t, "one that nobody reviewed", err, app.CodeSkillNotApproved)
			for script, want := range map[string]app.ApprovalState{"print(1)": app.ApprovalApproved,
				"print(2)": app.ApprovalRefused, "print(3)": "", "print(4)": ""} {
				if got := target.approved(target.Store, p.Handle, script); got != want {
					t.Errorf("%s is %q, want %q", script, got, want)
				}
			}
			// The same file says nothing new.
			if item := state(target.plan(file), "skill:totals"); item.State != StateSame {
				t.Errorf("%+v", item)
			}
		})
	}
}

func TestSkillsOfChosenProfilesTravelWithThem(t *testing.T) {
	h, p, _ := furnished(t, "aaaa")
	other := h.Locked("another", nil)
	h.Approve(h.Version(transfertest.Agent(other), "theirs", "theirs"))
	h.No(h.Skills.Allow(t.Context(), person(), "totals", other.Handle))
	fresh := newFixture(t, "bbbb")
	fresh.take(h.export(Selection{Profiles: []string{p.Handle}}), Choice{})
	list := fresh.skillList()
	if len(list) != 1 || list[0].Name != "totals" || len(list[0].Profiles) != 1 {
		t.Errorf("%+v", list)
	}
}

// The digest that a person approved covers the bytes.
func TestFilesOfSkillsThatWereChangedAreRefused(t *testing.T) {
	h, _, _ := furnished(t, "aaaa")
	seen := false
	once := func(r *content.Record, change func(*content.Bundle)) bool {
		if r.Bundle != nil && !seen {
			seen = true
			change(r.Bundle)
		}
		return true
	}
	for name, change := range map[string]func(r *content.Record) bool{
		"a byte": func(r *content.Record) bool {
			return once(r, func(b *content.Bundle) {
				b.Packed = []byte(strings.Replace(string(b.Packed), "print", "Print", 1))
			})
		},
		"no tar file": func(r *content.Record) bool { return once(r, func(b *content.Bundle) { b.Packed = []byte("x") }) },
		"other version": func(r *content.Record) bool {
			return once(r, func(b *content.Bundle) { b.Digest = "sha256:" + strings.Repeat("0", 64) })
		},
		"missing": func(r *content.Record) bool {
			if r.End != nil {
				r.End.Counts.Bundles = 0
			}
			return r.Bundle == nil
		},
		"another skill": func(r *content.Record) bool {
			if r.Skill != nil {
				r.Skill.Name = "other"
			}
			return r.Skill == nil || r.Skill.DeletedAt == 0
		},
		"unknown state": func(r *content.Record) bool {
			if r.Skill != nil && len(r.Skill.Versions) > 0 {
				r.Skill.Versions[0].State = "good"
			}
			return true
		},
		"unknown profile": func(r *content.Record) bool {
			if r.Skill != nil && len(r.Skill.Profiles) > 0 {
				r.Skill.Profiles[0].Profile = "x"
			}
			return true
		},
		"another script": func(r *content.Record) bool {
			if r.Approval != nil {
				r.Approval.Shown += "#"
			}
			return true
		},
		"approved once": func(r *content.Record) bool {
			if r.Approval != nil {
				r.Approval.Scope = "once"
			}
			return true
		},
	} {
		t.Run(name, func(t *testing.T) {
			seen = false
			fresh := newFixture(t, "bbbb")
			file := forge(t, h, change)
			_, err := fresh.Fill(t.Context(), upload(file), nil)
			wantCode(t, "a restore", err, app.CodeInvalidField)
			if list := fresh.skillList(); len(list) != 0 {
				t.Errorf("%+v", list)
			}
		})
	}
}

// A file needs a separate yes to make anything of a present skill runnable. Revoked versions stay
// revoked.
func TestNoFileApprovesWhatWasNotApprovedHere(t *testing.T) {
	h, p, _ := furnished(t, "aaaa")
	here := newFixture(t, "bbbb")
	here.take(h.export(all()), Choice{})
	here.Revoke("totals", 2)                      // approved there
	h.Approve(must[skills.Version](t)(newest(h))) // waits here
	h.Approve(h.Version(transfertest.Agent(p), "totals", "four"))
	h.Decided(p, "print(5)", app.ApprovalApproved, app.ApproveAlways)
	file := h.export(all())
	item := state(here.plan(file), "skill:totals")
	if item.State != StateDifferent || !item.Asks {
		t.Errorf("%+v", item)
	}
	says(t, said(item), ": approved instead of not reviewed")
	says(t, said(item), ": approved")
	here.take(file, Choice{})
	for _, ref := range []string{"totals", "totals@2", "totals@3"} {
		if v, err := here.Skills.Resolve(t.Context(), p.Handle, ref); err == nil {
			t.Errorf("%s runs: %+v", ref, v)
		}
	}
	here.take(file, yesTo("skill:totals"))
	here.runs(here.Skills, p.Handle, "totals@3", "three")
	here.runs(here.Skills, p.Handle, "totals@4", "four")
	_, err := here.Skills.Resolve(t.Context(), p.Handle, "totals@2")
	wantCode(t, "what was revoked here", err, app.CodeSkillRevoked)
	if got := here.approved(here.Store, p.Handle, "print(5)"); got != "" {
		t.Errorf("a script of a profile that is here became %s", got)
	}
}

func newest(h *fixture) (skills.Version, error) {
	s, err := h.Skills.Get(h.T.Context(), "totals")
	if err != nil {
		return skills.Version{}, err
	}
	return s.Versions[0], nil
}

func TestDeletedSkillsComeBackOnlyWithAYesAndNeverRevoked(t *testing.T) {
	h, p, _ := furnished(t, "aaaa")
	here := newFixture(t, "bbbb")
	here.take(h.export(all()), Choice{})
	here.Revoke("totals", 2)
	here.No(here.Skills.Delete(t.Context(), person(), "totals"))
	file := h.export(all())
	if item := state(here.plan(file), "skill:totals"); !item.Asks {
		t.Errorf("%+v", item)
	}
	here.take(file, Choice{})
	if list := here.skillList(); len(list) != 0 {
		t.Errorf("%+v", list)
	}
	here.take(file, yesTo("skill:totals"))
	_, err := here.Skills.Resolve(t.Context(), p.Handle, "totals")
	wantCode(t, "what was revoked before it was deleted", err, app.CodeSkillNotApproved)
	if list := here.skillList(); len(list) != 1 || len(list[0].Versions) != 3 || list[0].Versions[0].Number != 6 {
		t.Errorf("%+v", list)
	}
}

// A file could bring code for a profile that may run approved skills only.
func TestNewSkillsForProfilesThatAreHereNeedAYes(t *testing.T) {
	h := newFixture(t, "aaaa")
	p := h.Locked("billing", nil)
	here := newFixture(t, "bbbb")
	here.take(h.export(all()), Choice{})
	h.Approve(h.Version(transfertest.Agent(p), "totals", "one"))
	file := h.export(all())
	item := state(here.plan(file), "skill:totals")
	if item.State != StateNew || !item.Asks {
		t.Errorf("%+v", item)
	}
	says(t, item.Why, "could run it")
	here.take(file, Choice{})
	if list := here.skillList(); len(list) != 0 {
		t.Errorf("%+v", list)
	}
}

func TestACopyLetsNothingRunThatDoesNotAnyMore(t *testing.T) {
	for _, kind := range []string{"point", "file"} {
		for name, tt := range map[string]struct {
			later func(h *fixture, p app.Profile)
			want  app.Code
		}{
			"nothing": {func(*fixture, app.Profile) {}, ""},
			"revoked": {func(h *fixture, _ app.Profile) { h.Revoke("totals", 2) }, app.CodeSkillRevoked},
			"deleted": {func(h *fixture, _ app.Profile) { h.No(h.Skills.Delete(h.T.Context(), person(), "totals")) }, app.CodeSkillNotFound},
		} {
			t.Run(kind+" "+name, func(t *testing.T) {
				h, p, _ := furnished(t, "aaaa")
				h.T = t
				h.Decided(p, "print(6)", app.ApprovalApproved, app.ApproveAlways)
				h.restoredLater(kind, func() {
					tt.later(h, p)
					h.No(h.Store.Write(t.Context(), func(tx *store.Tx) error {
						list, err := tx.Approvals.List(t.Context(), p.Handle, 9, app.ApprovalApproved)
						for _, a := range list {
							if sum := sha256.Sum256([]byte("print(1)")); a.Subject == hex.EncodeToString(sum[:]) {
								err = tx.Approvals.Forget(t.Context(), a.ID)
							}
						}
						return err
					}))
				})
				_, st := opened(t, h.Dir, h.Ring)
				for script, want := range map[string]app.ApprovalState{"print(1)": "", "print(3)": "", "print(6)": app.ApprovalApproved} {
					if got := h.approved(st, p.Handle, script); got != want {
						t.Errorf("%s is %q, want %q", script, got, want)
					}
				}
				after := skillsOfStore(t, h, st)
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

// TestLostFilesOfSkillsAreSaidAndStopNoExport: the rest still travels.
func TestLostFilesOfSkillsAreSaidAndStopNoExport(t *testing.T) {
	h, p, _ := furnished(t, "aaaa")
	h.Approve(h.Version(transfertest.Agent(p), "alone", "alone"))
	two := must[skills.Version](t)(h.Skills.Resolve(t.Context(), p.Handle, "totals"))
	alone := must[skills.Version](t)(h.Skills.Resolve(t.Context(), p.Handle, "alone"))
	for i, v := range []skills.Version{two, alone} {
		var blob store.Blob
		h.No(h.Store.Read(t.Context(), func(tx *store.Tx) error {
			row, err := tx.Skills.ByDigest(t.Context(), v.Digest)
			if err != nil {
				return err
			}
			blob, err = tx.Blobs.Get(t.Context(), row.Blob)
			return err
		}))
		path := filepath.Join(h.Dir, "files", blob.Name)
		if i == 0 {
			h.No(os.Remove(path))
		} else {
			h.No(os.WriteFile(path, []byte("damaged"), 0o600))
		}
	}
	var file bytes.Buffer
	done := must[Exported](t)(h.Export(t.Context(), person(), &file, app.NewSecret(words), all(), nil))
	if lost := done.LostSentence(); !strings.Contains(lost, two.Digest) || !strings.Contains(lost, alone.Digest) {
		t.Error(lost)
	}
	fresh := newFixture(t, "bbbb")
	must[content.Counts](t)(fresh.Fill(t.Context(), upload(file.Bytes()), nil))
	list := fresh.skillList()
	if len(list) != 1 || list[0].Name != "totals" || len(list[0].Versions) != 2 {
		t.Errorf("%+v", list)
	}
	_, err := fresh.Skills.Resolve(t.Context(), p.Handle, "totals")
	wantCode(t, "what has no files", err, app.CodeSkillNotApproved)
}

func TestFailedRestoresLeaveNoFilesOfSkills(t *testing.T) {
	h, _, _ := furnished(t, "aaaa")
	file := h.export(all())
	dir := t.TempDir()
	path := filepath.Join(t.TempDir(), "x.airlock")
	h.No(os.WriteFile(path, file[:len(file)-20], 0o600))
	r := Restore{Dir: dir, Keyring: h.Ring, By: person(), Log: h.cfg.Log}
	if _, err := r.FromFile(t.Context(), must[Upload](t)(OpenFile(path, app.NewSecret(words))), nil); err == nil {
		t.Error("it was restored")
	}
	h.No(filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			t.Errorf("%s is left", path)
		}
		return err
	}))
}
