package executions

import (
	"net/url"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/web/httpx"
	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/views/paths"
)

// Handlers answer the pages about executions.
type Handlers struct{ *uix.UI }

// Routes returns this package's pages and forms.
func (h Handlers) Routes() []httpx.Route {
	return []httpx.Route{
		httpx.Get(paths.Executions, h.showExecutions),
		httpx.Get(paths.ExecutionsExport, h.exportExecutions),
		httpx.Get(paths.ExecutionPath, h.withExecution(h.showExecution)),
		httpx.Post(paths.ExecutionCancel, h.withExecution(h.cancelByPerson)),
		uix.Post(paths.ExecutionRerun, h.withExecutionForm(h.rerunByPerson)),
		uix.Post(paths.ExecutionRespond, h.withExecutionForm(h.answerByPerson)),
		httpx.Get(paths.ExecutionCompare, h.withExecution(h.compareExecutions)),
		httpx.Get(paths.ExecutionImage, h.showImage),
		httpx.Get(paths.Approvals, h.listApprovals),
		httpx.Get(paths.ApprovalPath, h.showApproval),
		uix.Post(paths.ApprovalApprove, h.approve),
		uix.Post(paths.ApprovalRefuse, h.refuse),
		uix.Post(paths.ApprovalRevoke, h.revoke),
	}
}

// withExecution passes the path's execution to a handler.
func (h Handlers) withExecution(handle func(echo.Context, app.Execution) error) echo.HandlerFunc {
	return func(c echo.Context) error {
		x, err := h.Engine.Reader.ByHandle(c.Request().Context(), c.Param("handle"))
		if err != nil {
			return err
		}
		httpx.LogExecution(c, x.Handle)
		return handle(c, x)
	}
}

// withExecutionForm is withExecution for a form.
func (h Handlers) withExecutionForm(handle func(echo.Context, app.Execution, url.Values) error) uix.FormHandler {
	return func(c echo.Context, fields url.Values) error {
		return h.withExecution(func(c echo.Context, x app.Execution) error { return handle(c, x, fields) })(c)
	}
}
