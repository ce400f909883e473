package profiles

import (
	"context"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/approvals"
	"github.com/computclaw/airlock/store"
)

// CodeRules says which code profiles may run.
type CodeRules struct {
	*editor
	approvals *approvals.Service
}

// Set says which code the profile may run. People only. It holds at once: forbidden executions in
// the queue are cancelled, and those that need no approval any longer continue. Running ones go on.
func (s *CodeRules) Set(ctx context.Context, by app.Actor, handle string, may app.MayRun) (app.Profile, error) {
	if err := by.PeopleOnly(); err != nil {
		return app.Profile{}, err
	}
	if _, err := app.ParseMayRun(string(may)); err != nil {
		return app.Profile{}, err
	}
	var effect approvals.Effect
	p, err := s.change(ctx, by, handle, func(tx *store.Tx, p *store.Profile) (string, string, error) {
		if p.Revoked {
			return "", "", p.CanUse(s.now())
		}
		if p.MayRun == may {
			return "", "", nil
		}
		p.MayRun = may
		var err error
		effect, err = s.approvals.ApplyRule(ctx, tx, handle, may)
		return "profile.may_run", may.Sentence(), err
	})
	if err == nil {
		s.approvals.Announce(effect)
	}
	return p, err
}
