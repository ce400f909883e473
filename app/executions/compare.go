package executions

import (
	"context"

	"github.com/computclaw/airlock/app"
)

// Comparison is how a re-run compares with the execution it repeats.
type Comparison struct {
	Original   app.Execution
	Gone       bool     // the original is not kept any more; the rest is empty
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
