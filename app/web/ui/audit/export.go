package audit

import (
	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	appaudit "github.com/computclaw/airlock/app/audit"
	"github.com/computclaw/airlock/app/web/ui/uix"
)

// exportAudit downloads the audit log, or an imported one. Its hashes let anyone verify the chain
// without Airlock.
func (h Handlers) exportAudit(c echo.Context) error {
	if of := c.QueryParam("of"); of != "" {
		return h.exportArchived(c, of)
	}
	_, f, found, err := auditFilter(c)
	if err != nil {
		return err
	}
	for name, text := range found {
		return app.Invalid(name, text, "Go back and correct it.")
	}
	f.Limit = 1000
	return h.Download(c, "airlock-audit", func() ([]uix.Record, error) { return h.auditRecords(c, &f) })
}

func (h Handlers) auditRecords(c echo.Context, f *appaudit.Filter) ([]uix.Record, error) {
	if f.Before == 1 {
		return nil, nil
	}
	events, err := h.Access.Audit.List(c.Request().Context(), *f)
	if err != nil || len(events) == 0 {
		return nil, err
	}
	f.Before = events[len(events)-1].Seq
	return eventRecords(events), nil
}

func eventRecords(events []app.Event) []uix.Record {
	records := make([]uix.Record, len(events))
	for i, e := range events {
		records[i] = uix.Record{
			"seq", e.Seq, "at", uix.Stamp(e.At), "actor_kind", string(e.Actor.Kind), "actor_name", e.Actor.Name,
			"actor_address", e.Actor.Address,
			"action", e.Action, "subject", e.Subject, "detail", e.Detail, "previous", e.Prev, "hash", e.Hash,
		}
	}
	return records
}

// exportArchived downloads an imported audit log from its beginning.
func (h Handlers) exportArchived(c echo.Context, of string) error {
	after := int64(0)
	return h.Download(c, "airlock-audit-archived", func() ([]uix.Record, error) {
		events, err := h.Access.Audit.ArchivedEvents(c.Request().Context(), of, after)
		if err != nil || len(events) == 0 {
			return nil, err
		}
		after = events[len(events)-1].Seq
		return eventRecords(events), nil
	})
}
