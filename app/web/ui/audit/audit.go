package audit

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	appaudit "github.com/computclaw/airlock/app/audit"
	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/views/auditview"
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/format"
	"github.com/computclaw/airlock/views/layout"
	"github.com/computclaw/airlock/views/paths"
)

const auditPage = 50

func (h Handlers) showAudit(c echo.Context) error {
	q, f, found, err := auditFilter(c)
	if err != nil {
		return err
	}
	sh, profiles, err := h.Shell(c, "Audit", layout.SectionAudit)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	page := auditview.Page{
		Shell: sh, Query: q, Problems: found, CSV: uix.Address(paths.AuditExport, q, "as", "csv"),
		Lines: uix.Address(paths.AuditExport, q, "as", "jsonl"),
	}
	if page.Chain, err = h.Access.Audit.State(ctx, false); err != nil {
		return err
	}
	if len(found) > 0 {
		return h.Render(c, http.StatusUnprocessableEntity, auditview.Audit(page))
	}
	f.Limit = auditPage + 1
	events, err := h.Access.Audit.List(ctx, f)
	if err != nil {
		return err
	}
	if len(events) > auditPage {
		events = events[:auditPage]
		page.Older = uix.Address(paths.Audit, q, "before", strconv.FormatInt(events[auditPage-1].Seq, 10))
	}
	if f.Before == 0 {
		page.Here = uix.Address(paths.Audit, q)
	}
	page.Live = uix.Partial(c)
	page.Events = auditRows(events, profiles)
	archived, err := h.Access.Audit.ArchivedLogs(ctx)
	if err != nil {
		return err
	}
	for _, l := range archived {
		page.Archived = append(page.Archived, auditview.ArchivedLog(l))
	}
	return h.Render(c, http.StatusOK, auditview.Audit(page), "chain", "events")
}

// auditFilter reads a search from the URL. It returns problems of mistyped fields.
func auditFilter(c echo.Context) (q url.Values, f appaudit.Filter, found components.Problems, err error) {
	q = uix.Query(c, "actor", "action", "subject", "from", "to")
	f = appaudit.Filter{Kind: app.ActorKind(q.Get("actor")), Action: q.Get("action"), Subject: q.Get("subject")}
	switch f.Kind {
	case "", app.ActorAgent, app.ActorPerson, app.ActorCommand, app.ActorSystem:
	default:
		return q, f, nil, app.Invalid("actor", "this kind of actor is not known",
			"Choose one of person, agent, command, system.")
	}
	f.From, f.To, found = uix.ParseDays(q)
	if before, err := strconv.ParseInt(c.QueryParam("before"), 10, 64); err == nil && before > 0 {
		f.Before = before
	}
	return q, f, found, nil
}

// verifyAudit walks the whole chain.
func (h Handlers) verifyAudit(c echo.Context) error {
	if _, err := h.Access.Audit.State(c.Request().Context(), true); err != nil {
		return err
	}
	return h.Done(c, "verified", paths.Audit)
}

// auditRows describes events and links their subjects. Executions and credentials that were removed
// lead to "not found".
func auditRows(events []app.Event, profiles []app.Profile) []auditview.Row {
	names := map[string]string{}
	for _, p := range profiles {
		names[p.Handle] = format.Title(p.Description)
	}
	rows := make([]auditview.Row, len(events))
	for i, e := range events {
		rows[i] = auditview.Row{Event: e, Who: format.EventActor(e, names[e.Actor.Name]), Name: e.Subject}
		row := &rows[i]
		switch kind, _, _ := strings.Cut(e.Action, "."); kind {
		case "execution":
			row.Name, row.URL = "Execution "+format.ShortHandle(e.Subject), paths.ExecutionURL(e.Subject)
		case "profile":
			if row.Name = names[e.Subject]; row.Name != "" {
				row.URL = paths.ProfileURL(e.Subject)
			} else {
				row.Name = "Deleted profile " + format.ShortHandle(e.Subject)
			}
		case "credential":
			row.URL = paths.CredentialURL(e.Subject)
		default:
			if app.IsID(e.Subject) {
				row.Name = format.ShortHandle(e.Subject)
			}
		}
	}
	return rows
}
