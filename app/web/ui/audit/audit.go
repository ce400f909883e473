package audit

import (
	"context"
	"net/http"
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
	typed, f, found, err := auditFilter(c)
	if err != nil {
		return err
	}
	sh, profiles, err := h.Shell(c, "Audit", layout.SectionAudit)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	page := auditview.Page{
		Shell: sh, Filter: typed, Problems: found, CSV: auditURL(paths.AuditExport, typed, "as", "csv"),
		Lines: auditURL(paths.AuditExport, typed, "as", "jsonl"),
	}
	chain, err := h.Access.Audit.State(ctx, false)
	if err != nil {
		return err
	}
	page.Chain = auditview.Chain{Broken: chain.Broken, Through: chain.Through, Whole: chain.Whole}
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
		page.Older = auditURL(paths.Audit, typed, "before", strconv.FormatInt(events[auditPage-1].Seq, 10))
	}
	if f.Before == 0 {
		page.Here = auditURL(paths.Audit, typed)
	}
	page.Live = uix.Partial(c)
	if page.Events, err = h.auditRows(ctx, events, profiles); err != nil {
		return err
	}
	if page.Archived, err = h.archivedRows(ctx); err != nil {
		return err
	}
	return h.Render(c, http.StatusOK, auditview.Audit(page), "chain", "events")
}

// archivedRows lists imported audit logs.
func (h Handlers) archivedRows(ctx context.Context) ([]auditview.ArchivedRow, error) {
	logs, err := h.Access.Audit.ArchivedLogs(ctx)
	rows := make([]auditview.ArchivedRow, len(logs))
	for i, l := range logs {
		rows[i] = auditview.ArchivedRow{Label: l.Source, Events: l.Events, From: l.First, To: l.Last,
			CSV: uix.Address(paths.AuditExport, "of", l.Source, "as", "csv"), Lines: uix.Address(paths.AuditExport,
				"of", l.Source, "as", "jsonl")}
	}
	return rows, err
}

// auditFilter reads a search from the URL. It returns problems of mistyped fields.
func auditFilter(c echo.Context) (typed auditview.Filter, f appaudit.Filter, found components.Problems, err error) {
	ask := func(name string) string { return app.Clip(strings.TrimSpace(c.QueryParam(name)), 200) }
	typed = auditview.Filter{
		Actor: ask("actor"), Action: ask("action"), Subject: ask("subject"), From: ask("from"), To: ask("to"),
	}
	switch kind := app.ActorKind(typed.Actor); kind {
	case "", app.ActorAgent, app.ActorPerson, app.ActorCommand, app.ActorSystem:
		f.Kind = kind
	default:
		return typed, f, nil, app.Invalid("actor", "this kind of actor is not known",
			"Choose one of person, agent, command, system.")
	}
	f.Action, f.Subject = typed.Action, typed.Subject
	f.From, f.To, found = uix.ParseDays(&typed.From, &typed.To)
	if before, err := strconv.ParseInt(c.QueryParam("before"), 10, 64); err == nil && before > 0 {
		f.Before = before
	}
	return typed, f, found, nil
}

// verifyAudit walks the whole chain.
func (h Handlers) verifyAudit(c echo.Context) error {
	if _, err := h.Access.Audit.State(c.Request().Context(), true); err != nil {
		return err
	}
	return h.Done(c, "verified", paths.Audit)
}

// auditRows describes events and links existing subjects. Executions that retention removed lead to
// "not found".
func (h Handlers) auditRows(ctx context.Context, events []app.Event, profiles []app.Profile) ([]auditview.Row, error) {
	credentials, err := h.Access.Credentials.List(ctx)
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	for _, p := range profiles {
		names[p.Handle] = format.Title(p.Description)
	}
	known := map[string]bool{}
	for _, cred := range credentials {
		known[cred.Name] = true
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
			if known[e.Subject] {
				row.URL = paths.CredentialURL(e.Subject)
			}
		default:
			if app.IsID(e.Subject) {
				row.Name = format.ShortHandle(e.Subject)
			}
		}
	}
	return rows, nil
}

func auditURL(path string, f auditview.Filter, more ...string) string {
	return uix.Address(path, append([]string{
		"actor", f.Actor, "action", f.Action, "subject", f.Subject, "from", f.From, "to", f.To,
	}, more...)...)
}
