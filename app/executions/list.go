package executions

import (
	"context"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/store"
)

// Filter selects executions. Zero fields don't filter.
type Filter = store.ExecutionFilter

// List returns executions newest first, and whether there are more. Request is not set.
func (s *Reader) List(ctx context.Context, f Filter) (list []app.Execution, more bool, err error) {
	page, err := s.page(ctx, f)
	if err != nil {
		return nil, false, err
	}
	list = make([]app.Execution, len(page.Executions))
	for i, x := range page.Executions {
		s.addProgress(&x.Execution)
		if list[i], err = openID(s.cfg.Keyring, x); err != nil {
			return nil, false, err
		}
	}
	return list, page.Next != "", nil
}

// Found is one page of a list for people.
type Found struct {
	Executions []app.Execution // newest first; ID and Request are not filled in
	Next       string          // handle to go on before; "" at the end
	Unfinished bool            // the search stopped at its bound; there may be more from Next on
}

// Search is List for people, without ids. One call does bounded work, so it may find nothing
// although there is more.
func (s *Reader) Search(ctx context.Context, f Filter) (Found, error) {
	page, err := s.page(ctx, f)
	if err != nil {
		return Found{}, err
	}
	found := Found{
		Executions: make([]app.Execution, len(page.Executions)), Next: page.Next, Unfinished: page.Unfinished,
	}
	for i, x := range page.Executions {
		s.addProgress(&x.Execution)
		found.Executions[i] = x.Execution
	}
	return found, nil
}

func (s *Reader) page(ctx context.Context, f Filter) (page store.ExecutionPage, err error) {
	if f.Limit <= 0 {
		f.Limit = 50
	}
	f.Limit = min(f.Limit, 100)
	err = s.cfg.Store.Read(ctx, func(tx *store.Tx) (err error) {
		page, err = tx.Executions.List(ctx, f)
		return err
	})
	return page, err
}

// Previews summarises scripts and results by handle, for lists of people.
func (s *Reader) Previews(ctx context.Context, list []app.Execution) (all map[string]store.Preview, err error) {
	err = s.cfg.Store.Read(ctx, func(tx *store.Tx) error {
		all, err = tx.Executions.Previews(ctx, handlesOf(list))
		return err
	})
	return all, err
}

// Texts returns the redacted texts that Filter.Text searches, by handle.
func (s *Reader) Texts(ctx context.Context, list []app.Execution) (all map[string]string, err error) {
	err = s.cfg.Store.Read(ctx, func(tx *store.Tx) error {
		all, err = tx.Executions.Texts(ctx, handlesOf(list))
		return err
	})
	return all, err
}

func handlesOf(list []app.Execution) []string {
	handles := make([]string, len(list))
	for i, x := range list {
		handles[i] = x.Handle
	}
	return handles
}

// maxCounted bounds how many executions a search counts.
const maxCounted = 1000

// Count returns how many executions match. exact is false if there may be more.
func (s *Reader) Count(ctx context.Context, f Filter) (n int, exact bool, err error) {
	err = s.cfg.Store.Read(ctx, func(tx *store.Tx) error {
		n, exact, err = tx.Executions.Count(ctx, f, maxCounted)
		return err
	})
	return n, exact, err
}
