package runner

import (
	"cmp"
	"context"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/app/sandbox"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/store"
)

// Binding is an execution's policy, its grants and its script. Bound with the claim, it also has a
// box.
type Binding struct {
	policy   app.Policy
	place    app.Placement // the policy's, or what filesHook makes of it for a skill
	source   Source
	grant    grant // once resolved
	resolved bool

	backend *sandbox.Backend
	box     *sandbox.Box // has met no profile yet; nil if one is still to be acquired

	decisions int64 // Runner.decisions before anything was read
}

// bind binds the execution to its profile's newest policy, unless its claim did. The secrets hook
// adds the values.
func (r *Run) bind() (*Binding, error) {
	decisions := r.runner.decisions.Load()
	if b := r.binding; b != nil {
		r.binding = nil
		if b.decisions == decisions {
			return b, nil
		}
		b.Discard() // people have decided something since. That its values count as used twice is the lesser evil
	}
	profile, policy, err := r.runner.cfg.Binder.ReadBound(r.ctx, r.x.ProfileHandle)
	switch {
	case app.CodeOf(err) == app.CodeNotFound:
		err = StopProfile(ProfileDeleted)
	case err == nil && profile.Revoked:
		err = StopProfile(ProfileRevoked)
	case err == nil:
		err = profile.CanExecute(r.runner.cfg.Now())
	}
	if err != nil {
		return nil, err
	}
	b := &Binding{policy: policy, place: policy.Placement, decisions: decisions}
	if r.source != nil {
		b.source = *r.source
		return b, nil
	}
	b.source, err = r.runner.ReadSource(r.ctx, r.x.Handle)
	return b, err
}

// Submitted is what a submission has read for its execution's binding.
type Submitted struct {
	Policy app.Policy // the newest one
	Source Source
	Opened credentials.Opened // by the redaction of the script

	Placement app.Placement // of a skill; the zero value is the policy's
}

// BindWithClaim binds an execution in the transaction that stores and claims it, and records that.
//
// It returns nil if this needs more than the store and a ready box, or if anything is missing: Run
// then binds the execution and reports the reason. After an error store nothing more in the
// transaction: SQLite may have ended it.
func (r *Runner) BindWithClaim(
	ctx context.Context, tx *store.Tx, n *store.NewExecution, from Submitted,
) (*Binding, error) {
	policy := from.Policy
	// Decisions before the transaction are read in it; later ones make Run bind anew.
	decisions := r.decisions.Load()
	newest, err := tx.Queue.NewestPolicy(ctx, n.ProfileHandle, r.cfg.Now())
	if err != nil || newest != policy.Version {
		return nil, err
	}
	place := cmp.Or(from.Placement, policy.Placement)
	backend, err := r.cfg.Sandboxes.Place(place)
	if err != nil {
		return nil, nil
	}
	values, here, err := r.cfg.Resolver.ResolveIn(ctx, tx, n.ProfileHandle, policy, from.Opened)
	if err != nil || !here {
		return nil, err
	}
	g, err := newGrant(policy, values)
	if err != nil {
		return nil, nil
	}
	box := backend.TakeReady(backend.Class(place))
	if box == nil {
		return nil, nil
	}
	b := &Binding{
		policy: policy, place: place, source: from.Source, grant: g, resolved: true, backend: backend, box: box,
		decisions: decisions,
	}
	n.Dispatch = new(b.startRecord(backend, true, n.At))
	if err := r.cfg.Resolver.CountUse(ctx, tx, policy); err != nil {
		return b, err
	}
	return b, nil
}

func (b *Binding) startRecord(in *sandbox.Backend, warm bool, at time.Time) store.Dispatch {
	return store.Dispatch{
		Policy: b.policy.Version, Backend: in.Name(), Isolation: string(in.Tier()), Warm: warm,
		Injected: b.grant.injected, Values: b.grant.recorded, At: at,
	}
}

// Discard ends an unused box of the claim.
func (b *Binding) Discard() {
	if b.box != nil {
		b.box.Close()
		b.box = nil
	}
}

// ReadSource opens what an execution was submitted with.
func (r *Runner) ReadSource(ctx context.Context, handle string) (s Source, err error) {
	var sealed store.ExecutionScript
	err = r.cfg.Store.Read(ctx, func(tx *store.Tx) (err error) {
		if sealed, err = tx.Executions.Script(ctx, handle); err != nil {
			return err
		}
		s.Files, err = tx.Executions.InputFiles(ctx, handle)
		return err
	})
	if err != nil {
		return s, err
	}
	s.Script, err = r.cfg.Keyring.Open(secrets.Scripts, secrets.ScriptRow(handle), sealed.Script)
	if err != nil || sealed.Inputs == nil {
		return s, err
	}
	s.Inputs, err = r.cfg.Keyring.Open(secrets.Scripts, secrets.InputsRow(handle), sealed.Inputs)
	return s, err
}
