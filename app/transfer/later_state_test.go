package transfer

import (
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/approvals"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/store"
)

// restoredLater makes a copy, lets later change what is there, and puts the copy in its place.
func (h *fixture) restoredLater(kind string, later func()) (*access.Parts, Restored) {
	t := h.T.(*testing.T)
	copied := filepath.Join(t.TempDir(), "copy")
	if kind == "file" {
		h.No(os.WriteFile(copied, h.export(all()), 0o600))
	} else {
		h.No(os.Rename(filepath.Join(h.Dir, must[string](t)(h.keepRestorePoint(t.Context()))), copied))
	}
	later()
	h.No(h.Store.Close())
	r := Restore{Dir: h.Dir, Keyring: h.Ring, Replace: true, By: person(), Log: slog.New(slog.DiscardHandler)}
	var done Restored
	var err error
	if kind == "file" {
		done, err = r.FromFile(t.Context(), must[Upload](t)(OpenFile(copied, app.NewSecret(words))), nil)
	} else {
		done, err = r.FromPoint(t.Context(), copied)
	}
	if err != nil || !done.Kept {
		t.Fatalf("%+v, %v", done, err)
	}
	desk, _ := opened(t, h.Dir, h.Ring)
	if broken := must[int64](t)(desk.Audit.Verify(t.Context())); broken != 0 {
		t.Errorf("the audit log breaks at %d", broken)
	}
	return desk, done
}

// A copy turns no backups on and restores no passphrase of theirs.
func TestHoleG3BackupSettingsOfTheLaterState(t *testing.T) {
	for _, kind := range []string{"point", "file"} {
		t.Run(kind, func(t *testing.T) {
			h := newFixture(t, "aaaa")
			h.Credential("KEY", "a value of some length")
			h.setBackup("on, with a passphrase that leaked")
			_, done := h.restoredLater(kind, func() { h.setBackup("off, with a new passphrase") })
			_, st := opened(t, h.Dir, h.Ring)
			h.No(st.Read(t.Context(), func(tx *store.Tx) error {
				set, _, err := tx.Settings.Get(t.Context(), SettingBackup)
				h.No(err)
				got, err := h.Ring.Open(secrets.Settings, SettingBackup, set.Value)
				if string(got) != "off, with a new passphrase" {
					t.Errorf("%q; %q", got, done.Said)
				}
				return err
			}))
		})
	}
}

// TestHoleG3SwitchedOffSkillsStayOff: a copy doesn't switch a skill on again, nor let a profile run
// it that was disallowed since. What the later state still has runs on.
func TestHoleG3SwitchedOffSkillsStayOff(t *testing.T) {
	for _, kind := range []string{"point", "file"} {
		t.Run(kind, func(t *testing.T) {
			h := newFixture(t, "aaaa")
			stays, loses := h.Locked("stays", nil), h.Locked("loses", nil)
			for _, name := range []string{"off", "on"} {
				h.Approve(h.Version(person(), name, name))
				h.No(h.Skills.Allow(t.Context(), person(), name, stays.Handle))
				h.No(h.Skills.Allow(t.Context(), person(), name, loses.Handle))
			}
			_, done := h.restoredLater(kind, func() {
				h.No(h.Skills.SetEnabled(t.Context(), person(), "off", false))
				h.No(h.Skills.Disallow(t.Context(), person(), "on", loses.Handle))
			})
			_, st := opened(t, h.Dir, h.Ring)
			after := skillsOfStore(t, h, st)
			h.runs(after, stays.Handle, "on", "on")
			_, err := after.Resolve(t.Context(), stays.Handle, "off")
			wantCode(t, "a skill that was switched off", err, app.CodeSkillDisabled)
			_, err = after.Resolve(t.Context(), loses.Handle, "on")
			wantCode(t, "a skill that was disallowed", err, app.CodeSkillNotFound)
			want := []string{"The skill off is switched off, as in the database that was replaced.",
				"The skill on is not allowed to the profile " + loses.Handle + ", as in the database that was replaced."}
			if !slices.Equal(done.Said, want) {
				t.Errorf("it says %q", done.Said)
			}
		})
	}
}

// TestHoleQueuedScriptOfACopy: a script that waited for its start in a copy ran after the restore, though
// the approval by which it had got into the queue was revoked.
func TestHoleQueuedScriptOfACopy(t *testing.T) {
	ctx := t.Context()
	h := newFixture(t, "aaaa")
	p := h.Locked("reports", nil, "api.example.com")
	must[app.Profile](t)(h.Desk.CodeRules.Set(ctx, person(), p.Handle, app.MayRunApprovedScripts))
	handle, id, approval := app.NewID(), app.NewExecutionID(), ""
	h.No(h.Store.Write(ctx, func(tx *store.Tx) (err error) {
		waits := false
		approval, waits, err = h.Desk.Approvals.Require(ctx, tx, approvals.Script{ProfileHandle: p.Handle, Script: "print(1)",
			Shown: redact.Fixed("print(1)"), Execution: handle, By: person()})
		if err != nil {
			return err
		}
		_, err = tx.Queue.Add(ctx, store.NewExecution{Handle: handle, ProfileHandle: p.Handle, Timeout: time.Minute, By: person(),
			At: time.Now().UTC().Truncate(time.Millisecond), Lookup: h.Ring.Lookup(secrets.Execs, id),
			SealedID: h.Ring.Seal(secrets.Execs, secrets.ExecutionRow(handle), []byte(id)),
			Script:   h.Ring.Seal(secrets.Scripts, secrets.ScriptRow(handle), []byte("print(1)")),
			Shown:    store.Shown{Script: redact.Fixed("print(1)")}, Approval: approval, Waits: waits})
		return err
	}))
	must[app.Approval](t)(h.Desk.Approvals.Approve(ctx, person(), approval, app.ApproveAlways))
	point := filepath.Join(t.TempDir(), "copy")
	h.No(os.Rename(filepath.Join(h.Dir, must[string](t)(h.keepRestorePoint(ctx))), point))
	must[app.Approval](t)(h.Desk.Approvals.Revoke(ctx, person(), approval))
	h.No(h.Store.Close())
	r := Restore{Dir: h.Dir, Keyring: h.Ring, Replace: true, By: person(), Log: slog.New(slog.DiscardHandler)}
	must[Restored](t)(r.FromPoint(ctx, point))
	_, st := opened(t, h.Dir, h.Ring)
	h.No(st.Read(ctx, func(tx *store.Tx) error {
		x, err := tx.Executions.ByHandle(ctx, handle)
		if err == nil && (x.Status != app.StatusError || !strings.Contains(x.Error, "restored from a copy")) {
			t.Errorf("it is %s: %q", x.Status, x.Error)
		}
		return err
	}))
}
