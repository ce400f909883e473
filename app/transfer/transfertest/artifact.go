package transfertest

import (
	"context"
	"io"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/store"
)

// HandleOf returns the handle of an execution.
func (h *Instance) HandleOf(id string) (handle string) {
	h.T.Helper()
	h.No(h.Store.Read(h.T.Context(), func(tx *store.Tx) error {
		x, err := tx.Executions.ByLookup(h.T.Context(), h.Ring.Lookup(secrets.Execs, id))
		handle = x.Handle
		return err
	}))
	return handle
}

// Artifact returns an execution's artifact and its expiry. content is "" if it is not kept.
func (h *Instance) Artifact(ctx context.Context, execution string) (content string, until time.Time) {
	h.T.Helper()
	var left app.Artifact
	h.No(h.Store.Read(ctx, func(tx *store.Tx) error {
		list, err := tx.Executions.Artifacts(ctx, execution)
		if err != nil || len(list) != 1 || !list[0].Kept {
			return err
		}
		var blob store.Blob
		if left, blob, err = tx.Executions.Artifact(ctx, execution, list[0].Name); err != nil {
			return err
		}
		r, err := h.Files.OpenIn(ctx, tx, blob.ID)
		if err != nil {
			return err
		}
		text, err := io.ReadAll(r)
		content = string(text)
		return err
	}))
	return content, left.ExpiresAt
}
