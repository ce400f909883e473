package executions

import (
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/executionview"
	"github.com/computclaw/airlock/views/layout"
	"github.com/computclaw/airlock/views/paths"
)

// listApprovals shows open approvals and decisions that still count.
func (h Handlers) listApprovals(c echo.Context) error {
	sh, profiles, err := h.Shell(c, "Approvals", layout.SectionInbox)
	if err != nil {
		return err
	}
	list, err := h.Access.Approvals.List(c.Request().Context(), c.QueryParam("profile"))
	if err != nil {
		return err
	}
	page := executionview.ApprovalsPage{Shell: sh}
	for _, a := range list {
		page.Approvals = append(page.Approvals, executionview.NamedApproval{
			Approval: a, Profile: uix.ProfileName(profiles, a.ProfileHandle),
		})
	}
	return h.Render(c, http.StatusOK, executionview.Approvals(page))
}

func (h Handlers) showApproval(c echo.Context) error {
	return h.approvalPage(c, http.StatusOK, nil, "")
}

func (h Handlers) approvalPage(c echo.Context, status int, found components.Problems, reason string) error {
	a, last, err := h.Access.Approvals.ByID(c.Request().Context(), c.Param("id"))
	if err != nil {
		return err
	}
	sh, profiles, err := h.Shell(c, "Approval", layout.SectionInbox)
	if err != nil {
		return err
	}
	return h.Render(c, status, executionview.Approval(executionview.ApprovalPage{
		Shell: sh, Approval: a, Last: last, Profile: uix.ProfileName(profiles, a.ProfileHandle),
		Deadline: a.AskedAt.Add(h.Engine.Timeouts.Approval), Problems: found, Reason: reason,
	}))
}

func (h Handlers) approve(c echo.Context, fields url.Values) error {
	scope := app.ApprovalScope(fields.Get("scope"))
	_, err := h.Access.Approvals.Approve(c.Request().Context(), uix.Actor(c), c.Param("id"), scope)
	return h.redirectDecided(c, err, "approved-"+string(scope), "")
}

func (h Handlers) refuse(c echo.Context, fields url.Values) error {
	reason := fields.Get("reason")
	_, err := h.Access.Approvals.Refuse(c.Request().Context(), uix.Actor(c), c.Param("id"), reason)
	return h.redirectDecided(c, err, "refused", reason)
}

func (h Handlers) revoke(c echo.Context, _ url.Values) error {
	_, err := h.Access.Approvals.Revoke(c.Request().Context(), uix.Actor(c), c.Param("id"))
	return h.redirectDecided(c, err, "approval-revoked", "")
}

// redirectDecided leads back to the approval with the outcome.
func (h Handlers) redirectDecided(c echo.Context, err error, notice, reason string) error {
	if err == nil {
		return h.Done(c, notice, paths.ApprovalURL(c.Param("id")))
	}
	found, err := uix.Problems(err, map[string]string{"reason": "reason", "scope": "scope"})
	if err != nil {
		return err
	}
	return h.approvalPage(c, http.StatusUnprocessableEntity, found, reason)
}
