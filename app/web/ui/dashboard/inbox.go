package dashboard

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/views/dashboardview"
	"github.com/computclaw/airlock/views/layout"
)

func (h *Handlers) showInbox(c echo.Context) error {
	sh, profiles, err := h.Shell(c, "Inbox", layout.SectionInbox)
	if err != nil {
		return err
	}
	needs, err := h.Needs(c.Request().Context(), profiles)
	if err != nil {
		return err
	}
	return h.Render(c, http.StatusOK, dashboardview.Inbox(dashboardview.InboxPage{Shell: sh, Needs: needs}), "inbox")
}

// countInbox answers with the navigation's counts.
func (h *Handlers) countInbox(c echo.Context) error {
	sh, _, err := h.Shell(c, "", layout.SectionInbox)
	if err != nil {
		return err
	}
	return h.Render(c, http.StatusOK, layout.InboxCounts(sh))
}
