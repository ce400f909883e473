package approvals

import (
	"context"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/store"
)

// maxListed bounds a list of approvals.
const maxListed = 1000

// Open lists open questions, oldest first. Shown is left out.
func (s *Service) Open(ctx context.Context) ([]app.Approval, error) {
	return s.list(ctx, "", app.ApprovalOpen)
}

// CountUndecided counts the scripts and skill versions that wait for a person.
func (s *Service) CountUndecided(ctx context.Context) (scripts, versions int, err error) {
	err = s.store.Read(ctx, func(tx *store.Tx) (err error) {
		scripts, versions, err = tx.CountUndecided(ctx)
		return err
	})
	return scripts, versions, err
}

// List lists questions and valid decisions, of one profile or ("") all. Shown is left out.
func (s *Service) List(ctx context.Context, profileHandle string) ([]app.Approval, error) {
	return s.list(ctx, profileHandle, app.ApprovalOpen, app.ApprovalApproved, app.ApprovalRefused)
}

func (s *Service) list(ctx context.Context, profileHandle string, states ...app.ApprovalState) (
	list []app.Approval, err error) {
	err = s.store.Read(ctx, func(tx *store.Tx) (err error) {
		list, err = tx.Approvals.List(ctx, profileHandle, maxListed, states...)
		return err
	})
	return list, err
}

// ByID returns an approval, and its profile's previous approval, if any. last.ID is "" without one.
// CodeNotFound if id is unknown.
func (s *Service) ByID(ctx context.Context, id string) (a, last app.Approval, err error) {
	err = s.store.Read(ctx, func(tx *store.Tx) (err error) {
		if a, err = tx.Approvals.ByID(ctx, id); err != nil {
			return err
		}
		last, _, err = tx.Approvals.LastApproved(ctx, a)
		return err
	})
	return a, last, err
}
