package executions

import (
	"context"
	"fmt"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/store"
)

// Comparison compares a re-run with the execution it repeats.
type Comparison struct {
	Original   app.Execution
	Gone       bool     // the original is gone; the rest is empty
	SameResult *bool    // nil until both have run to an end
	Differs    []string // what defines a run and was not the same: names of app.Manifest's identity
}

// Compare compares a re-run with its original.
func (s *Reader) Compare(ctx context.Context, x app.Execution) (Comparison, error) {
	original, err := s.ByHandle(ctx, x.RerunOf)
	if app.CodeOf(err) == app.CodeNotFound {
		return Comparison{Gone: true}, nil
	}
	if err != nil {
		return Comparison{}, err
	}
	c := Comparison{Original: original}
	if x.Status.Terminal() && x.Manifest.Script != "" && original.Manifest.Script != "" {
		same := x.Status == original.Status && x.Manifest.ResultHash == original.Manifest.ResultHash
		c.SameResult, c.Differs = &same, x.Manifest.Differs(original.Manifest)
	}
	return c, nil
}

// PolicyChanges names the differences between two executions' policies; see app.Policy.Changes. It
// is nil if one was never bound to a policy.
func (s *Reader) PolicyChanges(ctx context.Context, before, after app.Execution) ([]string, error) {
	if before.Policy == 0 || after.Policy == 0 || before.Manifest.Policy == after.Manifest.Policy {
		return nil, nil
	}
	var old, now app.Policy
	err := s.cfg.Store.Read(ctx, func(tx *store.Tx) (err error) {
		if old, err = tx.Policies.Version(ctx, before.ProfileHandle, before.Policy); err != nil {
			return err
		}
		now, err = tx.Policies.Version(ctx, after.ProfileHandle, after.Policy)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("executions: compare policies: %w", err)
	}
	return now.Changes(old), nil
}
