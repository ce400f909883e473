package audit

import (
	"cmp"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/web/ui/uix"
)

// exportAudit downloads the audit log, or an imported one from its beginning. Its hashes let anyone
// verify the chain without Airlock.
func (h Handlers) exportAudit(c echo.Context) error {
	ctx := c.Request().Context()
	if of := c.QueryParam("of"); of != "" {
		return h.downloadEvents(c, "airlock-audit-archived", func(after int64) ([]app.Event, error) {
			return h.Access.Audit.ArchivedEvents(ctx, of, after)
		})
	}
	_, f, found, err := auditFilter(c)
	if err != nil {
		return err
	}
	for name, text := range found {
		return app.Invalid(name, text, "Go back and correct it.")
	}
	f.Limit = 1000
	return h.downloadEvents(c, "airlock-audit", func(last int64) ([]app.Event, error) {
		if last == 1 {
			return nil, nil
		}
		f.Before = cmp.Or(last, f.Before)
		return h.Access.Audit.List(ctx, f)
	})
}

// downloadEvents streams the events of next, which gets the number of the last one, at first 0.
func (h Handlers) downloadEvents(c echo.Context, name string, next func(last int64) ([]app.Event, error)) error {
	last := int64(0)
	return h.Download(c, name, func() ([]uix.Record, error) {
		events, err := next(last)
		records := make([]uix.Record, len(events))
		for i, e := range events {
			last = e.Seq
			records[i] = uix.Record{
				"seq", e.Seq, "at", uix.Stamp(e.At), "actor_kind", string(e.Actor.Kind), "actor_name", e.Actor.Name,
				"actor_address", e.Actor.Address,
				"action", e.Action, "subject", e.Subject, "detail", e.Detail, "previous", e.Prev, "hash", e.Hash,
			}
		}
		return records, err
	})
}
