package web

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views"
)

// auditPage is how many events one page of the audit log shows.
const auditPage = 50

func (s *Server) showAudit(c echo.Context) error {
	before, err := strconv.ParseInt(c.QueryParam("before"), 10, 64)
	if err != nil || before < 0 {
		before = 0
	}
	sh, profiles, err := s.shell(c, "Audit", views.SectionAudit)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	page := views.AuditPage{Shell: sh, First: before == 0}
	events, err := s.cfg.Access.Audit(ctx, before, auditPage+1)
	if err != nil {
		return err
	}
	if len(events) > auditPage {
		events = events[:auditPage]
		page.Older = views.Audit + "?before=" + strconv.FormatInt(events[auditPage-1].Seq, 10)
	}
	if page.Events, err = s.auditRows(ctx, events, profiles); err != nil {
		return err
	}
	if page.Broken, err = s.cfg.Access.VerifyAudit(ctx); err != nil {
		return err
	}
	return s.render(c, http.StatusOK, views.AuditView(page))
}

// auditRows links events to the pages of what they are about, as far as it is still there. Executions are never deleted.
func (s *Server) auditRows(ctx context.Context, events []app.Event, profiles []app.Profile) ([]views.AuditRow, error) {
	credentials, err := s.cfg.Access.Credentials(ctx)
	if err != nil {
		return nil, err
	}
	pages := map[string]string{}
	for _, p := range profiles {
		pages["profile "+p.Handle] = views.ProfileURL(p.Handle)
	}
	for _, cred := range credentials {
		pages["credential "+cred.Name] = views.CredentialURL(cred.Name)
	}
	rows := make([]views.AuditRow, len(events))
	for i, e := range events {
		kind, _, _ := strings.Cut(e.Action, ".")
		rows[i] = views.AuditRow{Event: e, URL: pages[kind+" "+e.Subject]}
		if kind == "execution" {
			rows[i].URL = views.ExecutionURL(e.Subject)
		}
	}
	return rows, nil
}
