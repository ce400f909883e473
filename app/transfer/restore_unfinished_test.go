package transfer

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/approvals"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/store"
)

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
